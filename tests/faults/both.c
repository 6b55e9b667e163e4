/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with a runtime of its own that loads a library with another one and uses both, in turn and one inside of the other:
 *
 *     both LIBRARY own|space     the library's names before the program's, or in a name space of its own
 */
#include "tests/omp/check.h"

#include <dlfcn.h>
#include <string.h>

static int own(int n)
{
	int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++)
#pragma omp task shared(sum)
		add(&sum, 1);
	return sum;
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	int is_space = strcmp(argv[2], "space") == 0, sum = 0;
	void *library = is_space ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW | RTLD_LOCAL)
				 : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	int (*work)(int) = NULL;
	if (library)
		*(void **)&work = dlsym(library, "work");
	if (!work) {
		fprintf(stderr, "%s\n", dlerror());
		return 98;
	}
	sum += own(10);
	sum += work(20);
	sum += own(30);
#pragma omp parallel num_threads(2)
#pragma omp masked
	sum += work(40);
	printf("%d\n", sum);
	return 0;
}
