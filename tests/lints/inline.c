/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While the other thread is busy, one thread makes more tasks than its queue can have (256 with LLVM's runtime).
lint: inline @task 700+ 1000
 */
#ifdef MENDED
#define N 100
#else
#define N 1000
#endif

int main(void)
{
	int is_made = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		{
			for (int i = 0; i < N; i++) {
#pragma omp task /* @task */
				(void)i;
			}
#pragma omp atomic write
			is_made = 1;
		}
		for (int all = 0; !all;) { /* neither thread takes a task before all are made */
#pragma omp atomic read
			all = is_made;
		}
	}
	return 0;
}
