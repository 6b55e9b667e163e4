/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_control_tool: pause, start, flush, end. */
#include "check.h"

static void tasks(int count, int *n)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < count; i++)
#pragma omp task shared(n)
		add(n, 1);
}

int main(void)
{
	int n = 0;
	tasks(10, &n);
	CHECK(omp_control_tool(omp_control_tool_pause, 0, NULL) == 0);
	tasks(1000, &n);
	CHECK(omp_control_tool(omp_control_tool_start, 0, NULL) == 0);
	tasks(20, &n);
	CHECK(omp_control_tool(omp_control_tool_flush, 0, NULL) == 0);
	CHECK(omp_control_tool(100, 7, &n) >= -1);
	CHECK(omp_control_tool(omp_control_tool_end, 0, NULL) == 0);
	tasks(3000, &n);
	CHECK(omp_control_tool(omp_control_tool_start, 0, NULL) != 99);
	tasks(3000, &n);
	CHECK(n == 7030);
	return 0;
}
