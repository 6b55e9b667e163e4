/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The API of devices, with what libgomp answers where it has no device: the host's number is 0, which is the number of
 * devices, or -1.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/gomp/libomp.h"

enum { HOST = 0, INITIAL_DEVICE = -1 };

#define DEFINE(type, name, ...)                                                                                                    \
	ENTRY type name(__VA_ARGS__);                                                                                              \
	ENTRY type name(__VA_ARGS__)

#define NUMBER(name, number)                                                                                                       \
	DEFINE(int, name, void)                                                                                                    \
	{                                                                                                                          \
		return number;                                                                                                     \
	}
NUMBER(omp_get_num_devices, 0)
NUMBER(omp_get_num_devices_, 0)
NUMBER(omp_get_initial_device, HOST)
NUMBER(omp_get_initial_device_, HOST)
NUMBER(omp_get_device_num, HOST)
NUMBER(omp_get_device_num_, HOST)
NUMBER(omp_is_initial_device, 1)
NUMBER(omp_is_initial_device_, 1)

static bool is_host(int device)
{
	return device == HOST || device == INITIAL_DEVICE;
}

DEFINE(void *, omp_target_alloc, size_t n_bytes, int device)
{
	return is_host(device) ? malloc(n_bytes) : NULL;
}

DEFINE(void, omp_target_free, void *address, int device)
{
	if (is_host(device))
		free(address);
}

DEFINE(int, omp_target_is_present, const void *address, int device)
{
	(void)address;
	return is_host(device);
}

DEFINE(int, omp_target_memcpy, void *to, const void *from, size_t n_bytes, size_t to_offset, size_t from_offset, int to_device,
       int from_device)
{
	if (!is_host(to_device) || !is_host(from_device))
		return EINVAL;
	memcpy((char *)to + to_offset, (const char *)from + from_offset, n_bytes);
	return 0;
}

/* Copies a box of `n` dimensions, in order of the addresses. */
static int copy_box(char *to, const char *from, size_t n_element, int n, const size_t *volume, const size_t *to_offsets,
		    const size_t *from_offsets, const size_t *to_sizes, const size_t *from_sizes)
{
	size_t to_stride = n_element, from_stride = n_element, n_bytes;
	for (int i = 1; i < n; i++)
		if (__builtin_mul_overflow(to_stride, to_sizes[i], &to_stride) ||
		    __builtin_mul_overflow(from_stride, from_sizes[i], &from_stride))
			return EINVAL;
	to += to_offsets[0] * to_stride;
	from += from_offsets[0] * from_stride;
	if (n == 1) {
		if (__builtin_mul_overflow(n_element, volume[0], &n_bytes))
			return EINVAL;
		memcpy(to, from, n_bytes);
		return 0;
	}
	for (size_t i = 0; i < volume[0]; i++) {
		int error = copy_box(to + i * to_stride, from + i * from_stride, n_element, n - 1, volume + 1, to_offsets + 1,
				     from_offsets + 1, to_sizes + 1, from_sizes + 1);
		if (error)
			return error;
	}
	return 0;
}

/* Without addresses it returns the largest number of dimensions. */
DEFINE(int, omp_target_memcpy_rect, void *to, const void *from, size_t n_element, int n_dimensions, const size_t *volume,
       const size_t *to_offsets, const size_t *from_offsets, const size_t *to_sizes, const size_t *from_sizes, int to_device,
       int from_device)
{
	if (!to && !from)
		return INT_MAX;
	if (!is_host(to_device) || !is_host(from_device) || n_dimensions < 1)
		return EINVAL;
	return copy_box(to, from, n_element, n_dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes);
}

DEFINE(int, omp_target_associate_ptr, const void *host, const void *device_address, size_t n_bytes, size_t offset, int device)
{
	(void)host, (void)device_address, (void)n_bytes, (void)offset, (void)device;
	return EINVAL;
}

DEFINE(int, omp_target_disassociate_ptr, const void *address, int device)
{
	(void)address, (void)device;
	return EINVAL;
}
