/* SPDX-License-Identifier: BSD-3-Clause */
/* by_path LIBGOMP: opens gcc's runtime by its path, as languages do that bind functions at run time, and calls it. */
#include <dlfcn.h>
#include <stdio.h>

static int count;

static void run(void *increment)
{
	__atomic_fetch_add(&count, *(int *)increment, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	void *libgomp = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = NULL;
	int increment = 5;
	if (libgomp)
		*(void **)&parallel = dlsym(libgomp, "GOMP_parallel");
	if (!parallel)
		return 1;
	parallel(run, &increment, 2, 0);
	printf("%d\n", count);
	return 0;
}
