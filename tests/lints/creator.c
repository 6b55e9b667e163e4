/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread makes all tasks; or each makes its share.
lint: one_creator @task 200 200
 */
int main(void)
{
#pragma omp parallel num_threads(2)
	{
#ifdef MENDED
#pragma omp for
		for (int i = 0; i < 200; i++) {
#pragma omp task
			(void)i;
		}
#else
#pragma omp single
		for (int i = 0; i < 200; i++) {
#pragma omp task /* @task */
			(void)i;
		}
#endif
	}
	return 0;
}
