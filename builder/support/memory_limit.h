/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A limit of memory (--memory): large blocks that would go beyond it lie in files, which the system writes out and reads
 * again as it needs. The files have no names, so that nothing of them is left, however the builder ends. main.c sets the
 * limit before any other thread is there; memory.c calls these functions for each large block, on any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_MEMORY_LIMIT_H
#define OTTER_BUILDER_SUPPORT_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smaller blocks stay in memory: those of one stream or process, of which there are few. */
#define MEMORY_LIMITED_BYTES ((size_t)64 << 10)

/*
 * Limits all private memory that the process may write, stacks of threads included, as `ulimit -d` counts it. Returns 0,
 * or -1 where the system does not report how much that is.
 */
int memory_limit(uint64_t n_bytes);

/* Another directory for files, where TMPDIR (/var/tmp if that is not set) has no room: that of the output. */
void memory_limit_place(const char *dir);

bool memory_is_limited(void);

/*
 * If the limit is passed, the whole pages of a block that malloc or calloc has just returned become those of a file. Their
 * contents are 0 then, and free() gives them back like others. 0; or -1 where no file has room, with errno and *place set:
 * what the file's name was to begin with.
 */
int memory_limit_block(void *block, size_t n_bytes, const char **place);

/*
 * n_bytes of a new file, mapped at a page's address, or anywhere (NULL). Its name, which begins with `name`, is gone at
 * once. NULL with errno set.
 */
void *memory_map_file(const char *name, size_t n_bytes, void *at);

#endif
