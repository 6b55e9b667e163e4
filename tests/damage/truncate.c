/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into otter-build by tests/damage_outputs.py: each file that ends in .seg is truncated to nothing after otter-build has mapped it,
 * as a failing disk or another program may do; at once, or, with CUT_LATE in the environment, when the output directory is made.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char mapped[16][4096];
static size_t n_mapped;

static void cut(const char *path)
{
	if (truncate(path, 0) != 0)
		perror(path);
}

int mkdir(const char *path, mode_t mode)
{
	int (*next)(const char *, mode_t) = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
	while (n_mapped > 0)
		cut(mapped[--n_mapped]);
	return next(path, mode);
}

void *mmap(void *address, size_t n_bytes, int protection, int flags, int fd, off_t offset)
{
	void *(*next)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	void *at = next(address, n_bytes, protection, flags, fd, offset);
	char link[64], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = fd >= 0 ? readlink(link, path, sizeof path - 1) : -1;
	if (n > 4 && memcmp(path + n - 4, ".seg", 4) == 0) {
		path[n] = '\0';
		if (getenv("CUT_LATE") == NULL)
			cut(path);
		else if (n_mapped < sizeof mapped / sizeof *mapped)
			strcpy(mapped[n_mapped++], path);
	}
	return at;
}
