/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory routines that fail: memory that no device has, copies from nowhere, associations that are there already. */
#include "check.h"

#define N 16

int main(void)
{
	int host = omp_get_initial_device(), a[N] = {0};
	CHECK(omp_target_alloc((size_t)1 << 62, 0) == NULL); /* @huge */
	CHECK(omp_target_alloc(0, 0) == NULL);               /* @empty */
	int *d = omp_target_alloc(sizeof a, 0);              /* @good */
	CHECK(d != NULL);
	CHECK(omp_target_memcpy(NULL, a, sizeof a, 0, 0, 0, host) != 0); /* @nowhere */
	CHECK(omp_target_memcpy(d, a, 0, 0, 0, 0, host) == 0);           /* @nothing */
	CHECK(omp_target_associate_ptr(a, d, sizeof a, 0, 0) == 0);      /* @associate */
	CHECK(omp_target_associate_ptr(a, d + 1, sizeof a, 0, 0) != 0);  /* @again */
	CHECK(omp_target_disassociate_ptr(a, 0) == 0);                   /* @disassociate */
	omp_target_free(NULL, 0);                                        /* @free_nothing */
	omp_target_free(d, 0);                                           /* @free */
	return 0;
}
