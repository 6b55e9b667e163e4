/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Fields of stat, counted from 1. */
enum { FIELD_NAME = 2, FIELD_STATE = 3, FIELD_N_THREADS = 20, FIELD_START = 22 };

/* Reads stat; "" if it cannot be read. */
static void read_stat(long long pid, char *text, size_t n_bytes)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%lld/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, n_bytes - 1);
	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Returns the begin of a field after the program's name, which is in parentheses and may have any characters. */
static const char *field_of(const char *text, int field)
{
	const char *space = strrchr(text, ')');
	for (int i = FIELD_NAME; space != NULL && i < field; i++)
		space = strchr(space + 1, ' ');
	return space == NULL ? NULL : space + 1;
}

bool process_runs(long long pid, uint64_t start)
{
	char text[1024];
	if (pid <= 0)
		return false;
	read_stat(pid, text, sizeof text);
	const char *state = field_of(text, FIELD_STATE), *n_threads = field_of(text, FIELD_N_THREADS);
	const char *began = field_of(text, FIELD_START);
	if (began == NULL || strtoull(began, NULL, 10) != start || strchr("Xx", *state) != NULL)
		return false;
	/* The state is that of the main thread. When it has exited, it counts as a thread until the process ends. */
	return *state != 'Z' || strtoull(n_threads, NULL, 10) > 1;
}
