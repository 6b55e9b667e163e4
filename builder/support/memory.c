/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Allocation that ends the process where memory is out (memory_fail.c), so that no caller has to look.
 */
#include "builder/support/memory.h"
#include "builder/support/memory_limit.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20) /* if the system has no pages of this size, nothing is lost */

/* 1 at least: for 0 bytes the C library may return NULL. */
static size_t size_of(size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes;
	if (__builtin_mul_overflow(n, element_bytes, &n_bytes))
		memory_fail(SIZE_MAX, what);
	return n_bytes != 0 ? n_bytes : 1;
}

/* Advises the system about the whole pages of some memory. Returns whether it took the advice. */
static bool advise(void *memory, size_t n_bytes, int advice)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t begin = ((uintptr_t)memory + page) & ~page, end = ((uintptr_t)memory + n_bytes) & ~page;
	return begin >= end || madvise((void *)begin, end - begin, advice) == 0;
}

/*
 * A new block that begins with a huge page, where the system has some to give: one fault for each small page of large
 * tables is a third of the builder's time, and most rows are used.
 */
static void *get_huge(size_t n_bytes, const char *what)
{
	void *memory;
	if (posix_memalign(&memory, HUGE_PAGE, n_bytes) != 0)
		memory_fail(n_bytes, what);
	(void)advise(memory, n_bytes, MADV_HUGEPAGE);
	return memory;
}

static bool is_huge(size_t n_bytes)
{
	return n_bytes >= HUGE_PAGE && !memory_is_limited();
}

/* A new block, in a file if it is beyond the limit. */
static void *settle(void *memory, size_t n_bytes, const char *what)
{
	const char *place;
	char text[300];
	if (memory == NULL)
		memory_fail(n_bytes, what);
	if (memory_is_limited() && memory_limit_block(memory, n_bytes, &place) != 0) {
		snprintf(text, sizeof text, "%s, in a file %s.*: %s", what, place, strerror(errno));
		memory_fail(n_bytes, text);
	}
	return memory;
}

void *memory_get(size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes = size_of(n, element_bytes, what);
	if (is_huge(n_bytes))
		return get_huge(n_bytes, what);
	return settle(malloc(n_bytes), n_bytes, what);
}

void *memory_zeroed(size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes = size_of(n, element_bytes, what), page = (size_t)sysconf(_SC_PAGESIZE);
	if (is_huge(n_bytes)) { /* pages that are returned to the system are 0 again, and most of these were never written */
		char *memory = get_huge(n_bytes, what);
		if (advise(memory, n_bytes, MADV_DONTNEED))
			memset(memory + n_bytes / page * page, 0, n_bytes % page);
		else /* pages that are locked are kept */
			memset(memory, 0, n_bytes);
		return memory;
	}
	return settle(calloc(1, n_bytes), n_bytes, what);
}

void memory_give_back(void *memory, size_t n_bytes)
{
	if (memory != NULL)
		(void)advise(memory, n_bytes, MADV_DONTNEED);
	free(memory);
}

void memory_touch(void *memory, size_t n_bytes)
{
#ifdef MADV_POPULATE_WRITE /* since Linux 5.14 */
	(void)advise(memory, n_bytes, MADV_POPULATE_WRITE);
#else
	(void)memory;
	(void)n_bytes;
#endif
}

void *memory_grow(void *array, size_t n, size_t element_bytes, const char *what)
{
	size_t n_bytes = size_of(n, element_bytes, what);
	if (memory_is_limited() && n_bytes >= MEMORY_LIMITED_BYTES && n_bytes > malloc_usable_size(array)) {
		void *moved = settle(malloc(n_bytes), n_bytes, what);
		if (array != NULL)
			memcpy(moved, array, malloc_usable_size(array));
		free(array);
		return moved;
	}
	void *grown = realloc(array, n_bytes);
	if (grown == NULL)
		memory_fail(n_bytes, what);
	return grown;
}

void memory_look(size_t n_bytes, const char *what)
{
	void *memory = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		memory_fail(n_bytes, what);
	munmap(memory, n_bytes);
}

char *text_copy(const char *text)
{
	size_t n_bytes = strlen(text) + 1;
	return memcpy(memory_get(n_bytes, 1, "a text"), text, n_bytes);
}

char *text_format(const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		memory_fail(0, "a text");
	va_end(args);
	return text;
}

FILE *memory_open_stream(char **text, size_t *n_bytes, const char *what)
{
	FILE *stream = open_memstream(text, n_bytes);
	if (stream == NULL)
		memory_fail(0, what);
	return stream;
}

void memory_close_stream(FILE *stream, const char *what)
{
	int has_failed = ferror(stream);
	if (fclose(stream) != 0 || has_failed)
		memory_fail(0, what);
}
