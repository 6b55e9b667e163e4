/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that uses OpenMP, for a program that does not (opens.c). */
int work(int n);

int work(int n)
{
	int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < n; i++)
#pragma omp task shared(sum)
	{
#pragma omp atomic
		sum++;
	}
	return sum;
}
