/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two critical sections within each other, in the one order in one function, and in the other order in another one.
limit: hang @first,@second
mended: *
status: -9
 */
#include "busy.h"

static void row(void)
{
#pragma omp critical(rows)
	{
		if (!MENDED)
			meet();
#pragma omp critical(columns) /* @first */
		busy(100);
	}
}

static void column(void)
{
#pragma omp critical(columns)
	{
		if (!MENDED)
			meet();
#pragma omp critical(rows) /* @second */
		busy(100);
	}
}

int main(void)
{
	killed_after(300);
#pragma omp parallel num_threads(2)
	if (MENDED || omp_get_thread_num() == 0)
		row();
	else
		column();
	return 0;
}
