/* SPDX-License-Identifier: BSD-3-Clause */
/* The device memory routines, on two devices. */
#include "check.h"

#include <string.h>

#define N 32

int main(void)
{
	int host = omp_get_initial_device(), device = 0, other = 1;
	int a[N], b[N];
	size_t bytes = sizeof a;
	for (int i = 0; i < N; i++)
		a[i] = i;
	int *d = omp_target_alloc(bytes, device);    /* @alloc */
	int *e = omp_target_alloc(bytes / 2, other); /* @alloc_other */
	CHECK(d != NULL && e != NULL);
	CHECK(omp_target_memcpy(d, a, bytes, 0, 0, device, host) == 0); /* @to */
	CHECK(omp_target_memcpy(b, d, bytes, 0, 0, host, device) == 0); /* @from */
	CHECK(memcmp(a, b, bytes) == 0);
	CHECK(omp_target_memcpy(e, d, bytes / 2, 0, 0, other, device) == 0); /* @between */
	CHECK(omp_target_memcpy(b, a, bytes / 4, 0, 0, host, host) == 0);    /* @host */
	size_t volume[2] = {2, 4}, zero[2] = {0, 0}, rows[2] = {4, 8};
	CHECK(omp_target_memcpy_rect(d, a, sizeof(int), 2, volume, zero, zero, rows, rows, device, host) == 0); /* @rect */
	CHECK(omp_target_memset(d, 0, bytes, device) == d);                                                     /* @memset */
	CHECK(omp_target_associate_ptr(a, d, bytes, 0, device) == 0);                                           /* @associate */
	CHECK(omp_target_is_present(a, device) && !omp_target_is_present(b, device));                           /* @present */
	CHECK(omp_get_mapped_ptr(a, device) == d);
	CHECK(omp_target_disassociate_ptr(a, device) == 0);                            /* @disassociate */
	CHECK(omp_target_memcpy_async(b, d, bytes, 0, 0, host, device, 0, NULL) == 0); /* @async */
#pragma omp taskwait                                                                   /* @wait */
	CHECK(b[0] == 0);
	CHECK(omp_target_memset_async(d, 1, bytes, device, 0, NULL) == d); /* @memset_async */
#pragma omp taskwait
	CHECK(omp_target_memcpy_rect_async(b, d, sizeof(int), 2, volume, zero, zero, rows, rows, host, device, 0, NULL) ==
	      0); /* @rect_async */
#pragma omp taskwait
	CHECK(b[0] == 0x01010101 && b[4] == 0);
	omp_target_free(d, device); /* @free */
	omp_target_free(e, other);  /* @free_other */
	return 0;
}
