/* SPDX-License-Identifier: BSD-3-Clause */
/* More dependences come after the first task than are followed. */
int main(void)
{
	int x = 0, y[3000];
#pragma omp parallel
#pragma omp single
	{
#pragma omp task depend(out : x)
		x = 1;
		for (int i = 0; i < 3000; i++) {
#pragma omp task depend(in : x) depend(inout : y[i / 1500])
			(void)x;
		}
	}
	return 0;
}
