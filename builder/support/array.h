/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that grow: by doubling, so that what is appended one by one is moved few times.
 */
#ifndef OTTER_BUILDER_SUPPORT_ARRAY_H
#define OTTER_BUILDER_SUPPORT_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/* Makes room for n elements in all. False when memory is out: then the array is as it was. */
static inline bool array_reserve(void **array, size_t n, size_t *capacity, size_t element_bytes)
{
	if (n <= *capacity)
		return true;
	size_t larger = *capacity ? *capacity : 16;
	while (larger < n)
		larger *= 2;
	void *grown = realloc(*array, larger * element_bytes);
	if (grown == NULL)
		return false;
	*array = grown;
	*capacity = larger;
	return true;
}

#endif
