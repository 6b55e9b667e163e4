/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: a method shares out rows of a triangle, the first of which are short.
limit: imbalance @loop 1.3 1.7
mended: none
 */
#include "busy.h"

namespace
{
class Triangle
{
	int rows;

      public:
	explicit Triangle(int rows) : rows(rows)
	{
	}

	void multiply() const
	{
#pragma omp parallel
		{
#pragma omp for schedule(static, MENDED ? 1 : 32) /* @loop */
			for (int row = 0; row < rows; row++)
				for (int column = 0; column <= row; column++)
					busy(8);
		}
	}
};
} // namespace

int main(void)
{
	for (int i = 0; i < 2; i++)
		Triangle(64).multiply();
	return 0;
}
