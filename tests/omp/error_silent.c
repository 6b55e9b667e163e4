/* SPDX-License-Identifier: BSD-3-Clause */
/* An error directive may have no message: LLVM's runtime then dies of a tool that asks for such events. It must live with this one. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
	add(&n, 1);
#pragma omp error at(execution) severity(warning)
	CHECK(n == 2);
	puts("alive");
	return 0;
}
