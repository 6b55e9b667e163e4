/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text says what the other thread waits for for a tenth of a second, and where.
 */
#include <omp.h>
#include <unistd.h>

int main(void)
{
	int number = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 2; i++)
			usleep(i == 1 ? 100000 : 1);
#pragma omp single
		usleep(100000);
#pragma omp critical(both)
		usleep(100000);
		if (omp_get_thread_num() == 0) {
#pragma omp task shared(number)
			{
				number = omp_get_thread_num();
				usleep(200000);
			}
			usleep(100000);
#pragma omp taskwait
		}
	}
}
