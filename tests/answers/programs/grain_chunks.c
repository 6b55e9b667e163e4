/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each chunk of a dynamic loop is one short iteration.
limit: grain/chunks @loop 1.5 20
mended: *
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, MENDED ? 1000 : 1) /* @loop */
		for (int i = 0; i < 600000; i++)
			turn(20);
	}
	return 0;
}
