/* SPDX-License-Identifier: BSD-3-Clause */
/* plug: a library that uses OpenMP, such as an extension of Python; and a program that opens such libraries (-DPROGRAM), each in
 * a scope of its own, or with DEEP in the environment in one where it finds its own libraries first. */
#ifndef PROGRAM
int plug(int n);

int plug(int n)
{
	int count = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task shared(count)
		{
#pragma omp atomic
			count++;
		}
	}
	return count;
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL | (getenv("DEEP") ? RTLD_DEEPBIND : 0));
		int (*plug)(int) = library ? (int (*)(int))dlsym(library, "plug") : NULL;
		if (!plug)
			return 1;
		printf("%d\n", plug(10 * i));
	}
	return 0;
}
#endif
