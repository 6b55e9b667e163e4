/* SPDX-License-Identifier: BSD-3-Clause */
/* exit() inside an explicit task of the initial task. */
#include "check.h"

int main(void)
{
#pragma omp task /* @task */
	exit(5);
	return 0;
}
