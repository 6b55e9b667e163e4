/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every second task is executed at once.
lint: undeferred @task 20 40
 */
int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++) {
#ifdef MENDED
#pragma omp task
#else
#pragma omp task if (i % 2) /* @task */
#endif
		(void)i;
	}
	return 0;
}
