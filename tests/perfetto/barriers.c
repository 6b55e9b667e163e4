/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text says who comes last: thread k to barrier k, thread 2 to the region's end, and in the second region a task.
 */
#include <omp.h>
#include <unistd.h>

int main(void)
{
#pragma omp parallel num_threads(4)
	for (int k = 0; k < 5; k++) {
		if (omp_get_thread_num() == (k < 4 ? k : 2))
			usleep(150000);
		if (k < 4) {
#pragma omp barrier
		}
	}
#pragma omp parallel num_threads(4)
	{
#pragma omp single nowait
#pragma omp task
		usleep(150000);
#pragma omp barrier
	}
}
