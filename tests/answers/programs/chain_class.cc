/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: a method makes tasks that all depend on a member of the same object.
limit: chain @link 1.7 2
mended: none
 */
#include "busy.h"

namespace
{
class Row
{
	double sum = 0;

      public:
	void add()
	{
#pragma omp task depend(inout : sum) /* @link */
		busy(1000);
	}
};
} // namespace

int main(void)
{
	Row row[40];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++)
		row[MENDED * i].add();
	return 0;
}
