/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: the constructor of a static object works before main.
limit: serial @region 1.22 1.5
mended: none
 */
#include "busy.h"

namespace
{
struct Table {
	Table()
	{
		if (!MENDED)
			busy(24000);
	}
} table;
} // namespace

int main(void)
{
#pragma omp parallel /* @region */
	for (int i = 0; i < 20; i++)
		busy(MENDED ? 1800 : 1200);
	return 0;
}
