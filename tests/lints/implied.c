/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The third task names what the second one waits for already. With different variables it would not follow.
lint: implied @third @first 10 10
 */
int main(void)
{
	int x[10], y[10];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp task depend(out : x[i]) /* @first */
		x[i] = i;
#pragma omp task depend(in : x[i]) depend(out : y[i])
		y[i] = x[i];
#ifdef MENDED
#pragma omp task depend(in : y[i])
#else
#pragma omp task depend(in : x[i], y[i]) /* @third */
#endif
		(void)y[i];
	}
	return 0;
}
