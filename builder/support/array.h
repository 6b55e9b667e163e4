/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that grow by doubling, so that elements which are appended one by one are moved only a few times.
 */
#ifndef OTTER_BUILDER_SUPPORT_ARRAY_H
#define OTTER_BUILDER_SUPPORT_ARRAY_H

#include "builder/support/memory.h"

#include <stdbool.h>

/* Makes room for n elements in all; *array may move. Where memory is out the process ends (memory.h). */
static inline void array_reserve(void **array, size_t n, size_t *capacity, size_t element_bytes)
{
	if (n <= *capacity)
		return;
	size_t larger = *capacity != 0 ? *capacity : 16;
	while (larger < n)
		larger *= 2;
	*array = memory_grow(*array, larger, element_bytes, "an array");
	*capacity = larger;
}

/*
 * The array of n elements with room for one more, which may have moved. For arrays without a number for their capacity:
 * it is the smallest power of two that is not below n, so the array has to grow when n is 0 or a power of two.
 */
static inline void *array_grown(void *array, size_t n, size_t element_bytes)
{
	bool has_room = n != 0 && (n & (n - 1)) != 0;
	return has_room ? array : memory_grow(array, n == 0 ? 1 : 2 * n, element_bytes, "an array");
}

#endif
