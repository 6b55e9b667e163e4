/* SPDX-License-Identifier: BSD-3-Clause */
/* final tasks: what they generate is final and included. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task final(1) shared(n) /* @final */
		{
#pragma omp task shared(n) /* @child */
			{
				CHECK(omp_in_final());
				n += 1;
#pragma omp task shared(n) /* @grandchild */
				n += 10;
			}
			CHECK(n == 11);
		}
	}
	CHECK(n == 11);
	return 0;
}
