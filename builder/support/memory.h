/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is there: these functions do not return without it. The builder is an offline tool, which has no better answer to a lack of memory
 * than to end cleanly: it prints one message, removes the output that is not finished, and exits with EXIT_FAILED.
 *
 * Callable on any thread. What is returned is freed with free(). `what` names what the memory is for, in the message: "the graph's nodes".
 */
#ifndef OTTER_BUILDER_SUPPORT_MEMORY_H
#define OTTER_BUILDER_SUPPORT_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the process as said above. n_bytes: what could not be had; 0 where that is not known. For libraries that return NULL, too. */
_Noreturn void memory_fail(size_t n_bytes, const char *what);

/* memory_fail where n elements of so many bytes cannot be counted in a size_t. */
static inline size_t memory_bytes(size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes;
	if (__builtin_mul_overflow(n, element_bytes, &n_bytes))
		memory_fail(0, what);
	return n_bytes;
}

/* n elements, not initialised. */
static inline void *memory_get(size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes = memory_bytes(n, element_bytes, what);
	void *memory = malloc(n_bytes != 0 ? n_bytes : 1);
	if (memory == NULL)
		memory_fail(n_bytes, what);
	return memory;
}

/* n elements, all bytes 0. */
static inline void *memory_zeroed(size_t n, size_t element_bytes, const char *what)
{
	void *memory = calloc(n != 0 ? n : 1, element_bytes != 0 ? element_bytes : 1);
	if (memory == NULL)
		memory_fail(memory_bytes(n, element_bytes, what), what);
	return memory;
}

/* The array moved, with room for n elements; new ones are not initialised. `array` may be NULL. */
static inline void *memory_grow(void *array, size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes = memory_bytes(n, element_bytes, what);
	void *grown = realloc(array, n_bytes != 0 ? n_bytes : 1);
	if (grown == NULL)
		memory_fail(n_bytes, what);
	return grown;
}

/* A copy of a text; and a text made as by printf. */
char *text_copy(const char *text);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* open_memstream: a stream that writes into *text, which is there once the stream is flushed or closed by memory_close_stream. */
FILE *memory_open_stream(char **text, size_t *n_bytes, const char *what);
void memory_close_stream(FILE *stream, const char *what);

#endif
