/* SPDX-License-Identifier: BSD-3-Clause */
/* The error directive at execution, with a message longer than one record. */
#include "check.h"

int main(void)
{
	for (int i = 0; i < 3; i++) {
#pragma omp error at(execution) severity(warning) message("a warning of the program that needs more than twenty-four bytes")
	}
	return 0;
}
