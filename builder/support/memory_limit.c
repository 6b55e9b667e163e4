/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps files over blocks that malloc returned. The C library maps each large block from the system, and unmaps it when it
 * is freed: so is the file, whose disk space is free again at once. If a block lies among others instead, its
 * pages stay those of the file, which can be used like memory.
 */
#include "builder/support/memory_limit.h"
#include "builder/support/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t limit = UINT64_MAX;
static int statm = -1;           /* /proc/self/statm */
static char places[2][PATH_MAX]; /* what the files' names begin with; "": none */

/* What the process has now; 0: not known. */
static uint64_t private_bytes(void)
{
	char text[256];
	unsigned long long n_pages;
	ssize_t n = pread(statm, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%*u %*u %*u %*u %*u %llu", &n_pages) == 1 ? n_pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

int memory_limit(uint64_t n_bytes)
{
	const char *dir = getenv("TMPDIR");
	snprintf(places[0], sizeof places[0], "%s/otter-build", dir != NULL && *dir != '\0' ? dir : "/var/tmp");
	statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (private_bytes() == 0)
		return -1;
	mallopt(M_MMAP_THRESHOLD, (int)MEMORY_LIMITED_BYTES);
	limit = n_bytes;
	return 0;
}

void memory_limit_place(const char *dir)
{
	if (memory_is_limited())
		snprintf(places[1], sizeof places[1], "%s/otter-build", dir);
}

bool memory_is_limited(void)
{
	return limit != UINT64_MAX;
}

void *memory_map_file(const char *name, size_t n_bytes, void *at)
{
	int file = nameless_open(name), why = errno;
	void *map = MAP_FAILED;
	if (file >= 0) {
		why = posix_fallocate(file, 0, (off_t)n_bytes); /* where the disk is full, a store would end the process */
		if (why == 0) {
			map = mmap(at, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at != NULL ? MAP_FIXED : 0), file, 0);
			why = errno;
		}
		close(file);
	}
	errno = why;
	return map != MAP_FAILED ? map : NULL;
}

int memory_limit_block(void *block, size_t n_bytes, const char **place)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = ((uintptr_t)block + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)block + n_bytes) & ~(page - 1);
	if (n_bytes < MEMORY_LIMITED_BYTES || first >= end || private_bytes() <= limit)
		return 0;
	int why = 0;
	for (size_t i = 0; i < sizeof places / sizeof places[0] && places[i][0] != '\0'; i++) {
		/* ENOMEM: the process has as many maps as it may, so the block stays in memory. */
		if (memory_map_file(places[i], end - first, (void *)first) != NULL || errno == ENOMEM)
			return 0;
		why = why != 0 ? why : errno;
	}
	*place = places[0];
	errno = why;
	return -1;
}
