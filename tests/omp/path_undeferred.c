/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that the program makes undeferred by if(0), and included ones, each of which keeps its thread busy: there is nothing at any time that a
 * second thread could do. The argument says for how many ms.
 */
#include "check.h"

#define N 5

int main(int argc, char **argv)
{
	double s = (argc > 1 ? atoi(argv[1]) : 1) * 1e-3;
	int n = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < N; i++) {
#pragma omp task if (0) shared(n) /* @undeferred */
			{
				n++;
				keep_busy(s);
#pragma omp task if (0) shared(n) /* @inner */
				{
					n++;
					keep_busy(s);
				}
			}
		}
#pragma omp task final(1) shared(n) /* @final */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(n) /* @included */
			{
				n++;
				keep_busy(s);
#pragma omp taskloop num_tasks(2) shared(n) /* @loop */
				for (int j = 0; j < 2; j++)
					n++;
			}
		}
	}
	CHECK(n == 5 * N);
	return 0;
}
