/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks of a grid name the whole grid as what they change, and so follow each other; or their element of it.
limit: chain @task 1.6 2
mended: none
 */
#include "busy.h"

#define ROWS    2
#define COLUMNS 30

int main(void)
{
	int x[ROWS * COLUMNS], all;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			int *z = MENDED ? &x[i * COLUMNS + j] : &all;
#pragma omp task depend(inout : z[0]) /* @task */
			busy(900);
		}
	return 0;
}
