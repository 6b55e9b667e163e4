/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that grow by doubling, so that elements which are appended one by one are moved only a few times.
 *
 * Macros, so that the compiler checks the type of what is put in. `array`, `n`, `capacity` and `number` are variables or
 * members without side effects, as they are evaluated several times; `capacity` is a size_t. If there is no memory the process ends
 * (memory.h).
 */
#ifndef OTTER_BUILDER_SUPPORT_ARRAY_H
#define OTTER_BUILDER_SUPPORT_ARRAY_H

#include "builder/support/memory.h"

/* The array moved, with room for n elements, which are more than its capacity. */
static inline void *array_larger(void *array, size_t n, size_t *capacity, size_t element_bytes)
{
	size_t larger = *capacity != 0 ? *capacity : 16;
	while (larger < n)
		larger *= 2;
	*capacity = larger;
	return memory_grow(array, larger, element_bytes, "an array");
}

/* Makes room for n_all elements in all; the array may move. */
#define array_reserve(array, n_all, capacity)                                                                                      \
	((size_t)(n_all) > (capacity) ? (void)((array) = array_larger((array), (size_t)(n_all), &(capacity), sizeof *(array)))     \
				      : (void)0)

/* Appends a value to the n elements. */
#define array_push(array, n, capacity, ...)                                                                                        \
	(array_reserve(array, (size_t)(n) + 1, capacity), (void)((array)[n] = (__VA_ARGS__)), (void)(n)++)

/* Appends an element without a value, and returns its address, which holds until the next one is appended. */
#define array_add(array, n, capacity) (array_reserve(array, (size_t)(n) + 1, capacity), &(array)[(n)++])

/*
 * Appends a value that a map has no number of yet (map.h: *number is 0), and puts its number there: elements are counted from
 * 1 on.
 */
#define array_push_new(array, n, capacity, number, ...)                                                                            \
	(*(number) != 0 ? (void)0 : (array_push(array, n, capacity, __VA_ARGS__), (void)(*(number) = (uint32_t)(n))))

/*
 * The same for an array without a number for its capacity: that is the smallest power of two that is not below n, so the
 * array has to grow when n is 0 or a power of two.
 */
#define array_append(array, n, ...) (array_room_for_one(array, n), (void)((array)[n] = (__VA_ARGS__)), (void)(n)++)
#define array_append_one(array, n)  (array_room_for_one(array, n), &(array)[(n)++])
#define array_room_for_one(array, n)                                                                                               \
	(((n) & ((n)-1)) != 0                                                                                                      \
		 ? (void)0                                                                                                         \
		 : (void)((array) = memory_grow((array), (n) == 0 ? 1 : 2 * (size_t)(n), sizeof *(array), "an array")))

#endif
