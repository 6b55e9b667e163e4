/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: methods and lambdas in a loop.
limit: none
 */
#include "busy.h"

#include <vector>

namespace
{
struct Cell {
	int us;
	void step() const
	{
		busy(us);
	}
};
} // namespace

int main(void)
{
	std::vector<Cell> cells(64, Cell{200});
	auto update = [&](const Cell &cell) { cell.step(); };
	for (int r = 0; r < 4; r++) {
#pragma omp parallel for schedule(static)
		for (const Cell &cell : cells)
			update(cell);
	}
	return 0;
}
