/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: the creator walks a list, and looks at each element for longer than its task takes.
limit: creation @task 1.3 1.7
mended: none
 */
#include "busy.h"

#include <list>

namespace
{
struct Element {
	int us;
	void look() const
	{
		busy(us);
	}
};
} // namespace

int main(void)
{
	std::list<Element> all(50, Element{700});
#pragma omp parallel
#pragma omp single
	for (const Element &e : all) {
		if (!MENDED)
			e.look();
		const Element *each = &e;
#pragma omp task firstprivate(each) /* @task */
		{
			if (MENDED)
				each->look();
			busy(300);
		}
	}
	return 0;
}
