/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second task of each pair says that it writes, and nobody comes after it.
lint: last @second 20 20
 */
int main(void)
{
	int x[20];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : x[i])
		x[i] = i;
#ifdef MENDED
#pragma omp task depend(in : x[i])
#else
#pragma omp task depend(inout : x[i]) /* @second */
#endif
		(void)x[i];
	}
	return 0;
}
