/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that grow by doubling, so that elements which are appended one by one are moved only a few times.
 */
#ifndef OTTER_BUILDER_SUPPORT_ARRAY_H
#define OTTER_BUILDER_SUPPORT_ARRAY_H

#include "builder/support/memory.h"

#include <stdbool.h>

/* Makes room for n elements in all; *array may move. Always true: where memory is out the process ends (memory.h). */
static inline bool array_reserve(void **array, size_t n, size_t *capacity, size_t element_bytes)
{
	if (n <= *capacity)
		return true;
	size_t larger = *capacity != 0 ? *capacity : 16;
	while (larger < n)
		larger *= 2;
	*array = memory_grow(*array, larger, element_bytes, "an array");
	*capacity = larger;
	return true;
}

#endif
