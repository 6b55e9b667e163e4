/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks on both sides of the taskwait name their variables, and no variable is named on both.
lint: sync @wait 1 1
 */
int main(void)
{
	int x[20], y[20];
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : x[i])
			x[i] = i;
		}
#pragma omp taskwait /* @wait */
		for (int i = 0; i < 20; i++) {
#ifdef MENDED
#pragma omp task depend(in : x[i]) depend(out : y[i])
			y[i] = x[i];
#else
#pragma omp task depend(out : y[i])
			y[i] = i;
#endif
		}
	}
	return 0;
}
