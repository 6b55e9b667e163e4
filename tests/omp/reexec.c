/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that executes itself anew: one pid, two programs, two dumps. */
#include "check.h"

int main(int argc, char **argv)
{
	int n = 0, count = argc == 1 ? 5 : 9;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < count; i++)
#pragma omp task shared(n)
		add(&n, 1);
	CHECK(n == count);
	if (argc == 1) {
		execl(argv[0], argv[0], "again", (char *)NULL);
		CHECK(0);
	}
	return 0;
}
