/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is there: these functions do not return without it. The builder is an offline tool, which has no better
 * answer to a lack of memory than to end cleanly: it prints one message, removes the output that is not finished, and
 * exits with output_abandon_status.
 *
 * Callable on any thread. What is returned is freed with free(). `what` names what the memory is for, in the message:
 * "the graph's nodes".
 */
#ifndef OTTER_BUILDER_SUPPORT_MEMORY_H
#define OTTER_BUILDER_SUPPORT_MEMORY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Ends the process like that. n_bytes: the size that was requested; 0 where that is not known, as where a library
 * returned NULL.
 */
_Noreturn void memory_fail(size_t n_bytes, const char *what);

/* n elements, not initialised. */
void *memory_get(size_t n, size_t element_bytes, const char *what);

/* n elements, all bytes 0. */
void *memory_zeroed(size_t n, size_t element_bytes, const char *what);

/* The array moved, with room for n elements, of which new ones are not initialised. `array` may be NULL. */
void *memory_grow(void *array, size_t n, size_t element_bytes, const char *what);

/* Frees memory of n_bytes, or NULL, and returns its pages to the system: free() does that only at the end of the heap. */
void memory_give_back(void *memory, size_t n_bytes);

/* Has the system provide all pages of some memory now and not at their first use, if it can. Any thread; contents stay. */
void memory_touch(void *memory, size_t n_bytes);

/* Fails if n_bytes are not available. Called before libraries that do not check each of their allocations. */
void memory_look(size_t n_bytes, const char *what);

/* A copy of a text; and a text made as by printf. */
char *text_copy(const char *text);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * open_memstream: a stream that writes into *text, which is there once the stream is flushed or closed by
 * memory_close_stream.
 */
FILE *memory_open_stream(char **text, size_t *n_bytes, const char *what);
void memory_close_stream(FILE *stream, const char *what);

#endif
