/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each iteration of a loop is a chunk of its own, and takes a tenth of a microsecond; or two hundred are one. A loop
 * with a static schedule hands out nothing.
lint: chunks @loop 20000 20000
 */
#ifdef MENDED
#define CHUNK 200
#else
#define CHUNK 1
#endif

static int values[20000];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic, CHUNK) /* @loop */
		for (int i = 0; i < 20000; i++) {
			/* In the mended program a chunk takes 10 us and more. */
			for (volatile int k = 0; k < 50; k++)
				;
			values[i] = i;
			if (i % 1000 == 0) { /* the chunk of this loop is no chunk of the one around it */
#pragma omp parallel for num_threads(1) schedule(dynamic, 1)
				for (int j = 0; j < 4; j++)
					values[i] += j - j;
			}
		}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 20000; i++)
			values[i]++;
	}
	return values[19999] != 20000;
}
