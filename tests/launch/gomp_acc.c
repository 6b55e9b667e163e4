/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_acc: a program with OpenACC, which is in gcc's runtime alone. */
#include <stdio.h>

int main(void)
{
	int sum = 0;
#pragma acc parallel loop reduction(+ : sum) copy(sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	printf("sum %d\n", sum);
	return 0;
}
