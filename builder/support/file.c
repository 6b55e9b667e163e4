/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens and closes files of the output directory.
 */
#include "builder/support/file.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *open_with(const char *dir, const char *name, int flags, const char *mode, off_t *n_bytes)
{
	char *path = text_format("%s/%s", dir, name);
	int fd = open(path, O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
	*n_bytes = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	FILE *file = fd >= 0 ? fdopen(fd, mode) : NULL;
	if (file == NULL)
		error("%s: cannot be written: %s", path, strerror(errno));
	free(path);
	return file;
}

FILE *file_open(const char *dir, const char *name)
{
	off_t n_bytes;
	return open_with(dir, name, O_WRONLY | O_EXCL, "a", &n_bytes);
}

FILE *file_open_both(const char *dir, const char *name)
{
	off_t n_bytes;
	return open_with(dir, name, O_RDWR | O_EXCL, "a+", &n_bytes);
}

FILE *file_append(const char *dir, const char *name, bool *is_new)
{
	off_t n_bytes;
	FILE *file = open_with(dir, name, O_WRONLY, "a", &n_bytes);
	*is_new = n_bytes == 0;
	return file;
}

int file_close(FILE *file, const char *dir, const char *name)
{
	int is_bad = ferror(file);
	if (fclose(file) != 0 || is_bad)
		return error("%s/%s: could not be written whole: %s", dir, name, strerror(errno));
	return 0;
}

int file_json(const json_t *value, const char *dir, const char *name)
{
	FILE *out = file_open(dir, name);
	if (out == NULL)
		return -1;
	int rc = json_dumpf(value, out, JSON_INDENT(2)) == 0 ? 0 : error("%s/%s: could not be written", dir, name);
	fputc('\n', out);
	return file_close(out, dir, name) == 0 ? rc : -1;
}

bool file_is_there(const char *dir, const char *name)
{
	char *path = text_format("%s/%s", dir, name);
	bool is_there = access(path, F_OK) == 0;
	free(path);
	return is_there;
}
