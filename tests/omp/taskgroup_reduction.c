/* SPDX-License-Identifier: BSD-3-Clause */
/* task_reduction: tasks, their children, a taskloop and a second taskgroup take part in it. */
#include "check.h"

int main(void)
{
	int sum = 0, product = 1;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(* : product) /* @group */
		{
			for (int i = 1; i <= 4; i++)
#pragma omp task in_reduction(+ : sum) firstprivate(i) /* @task */
			{
				sum += i;
#pragma omp task in_reduction(+ : sum) /* @child */
				sum += 10;
			}
#pragma omp task in_reduction(* : product) /* @other */
			product *= 3;
#pragma omp taskgroup /* @inner */
			{
#pragma omp task in_reduction(+ : sum) in_reduction(* : product) /* @both */
				{
					sum += 100;
					product *= 2;
				}
			}
#pragma omp taskloop in_reduction(+ : sum) num_tasks(5) /* @loop */
			for (int i = 0; i < 10; i++)
				sum += 1000;
		}
		CHECK(sum == 10150 && product == 6);
	}
	return 0;
}
