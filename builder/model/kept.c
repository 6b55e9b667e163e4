/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads DUMP/binaries: see kept.h. A dump may come from anywhere: build ids that are no hexadecimal numbers name no file.
 */
#include "builder/model/kept.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_CHARS_MAX 128

static bool is_id(const char *text)
{
	size_t n = strlen(text);
	return n > 0 && n <= ID_CHARS_MAX && strspn(text, "0123456789abcdef") == n;
}

static int open_in(const char *dump, const char *name, struct stat *status)
{
	char *path = text_format("%s/binaries/%s", dump, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	free(path);
	if (fd >= 0 && (fstat(fd, status) != 0 || !S_ISREG(status->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * The line of the list with this word and build id, and with this path at its end unless that is NULL: what comes after the
 * build id. NULL: there is none. The caller frees it.
 */
static char *find_line(const char *dump, const char *word, const char *build_id, const char *at_end)
{
	struct stat status;
	int fd = open_in(dump, "list", &status);
	FILE *list = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *start = text_format("%s %s ", word, build_id), *line = NULL, *found = NULL;
	size_t capacity = 0, n_start = strlen(start);
	ssize_t n;
	while (list != NULL && found == NULL && (n = getline(&line, &capacity, list)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		const char *path = strncmp(line, start, n_start) == 0 ? strchr(line + n_start, ' ') : NULL;
		if (path != NULL && (at_end == NULL || strcmp(path + 1, at_end) == 0))
			found = text_copy(line + n_start);
	}
	free(line);
	free(start);
	if (list != NULL)
		fclose(list);
	else if (fd >= 0)
		close(fd);
	return found;
}

int kept_open(const char *dump, const char *build_id, enum kept_sort sort, bool *is_damaged)
{
	struct stat status;
	*is_damaged = false;
	char *line =
		dump != NULL && is_id(build_id) ? find_line(dump, sort == KEPT_DEBUG ? "debug" : "kept", build_id, NULL) : NULL;
	if (line == NULL)
		return -1;
	char *name = text_format("%s%s", build_id, sort == KEPT_DEBUG ? ".debug" : "");
	int fd = open_in(dump, name, &status);
	*is_damaged = fd < 0 || (uint64_t)status.st_size != strtoull(line, NULL, 10);
	free(name);
	free(line);
	if (!*is_damaged)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

char *kept_reason(const char *dump, const char *build_id, const char *path)
{
	static const char *const words[][2] = {
		{"gone", "it was gone at the end of the recording"},
		{"changed", "it had changed before the end of the recording"},
		{"no-room", "there was no room for it"},
		{"too-large", "it was too large"},
		{"no-build-id", "it has no build id"},
		{"of-the-system", "it is a library of the system, or Otter's own"},
		{"cannot-be-read", "it could not be read"},
		{"cannot-be-written", "the copy could not be written"},
	};
	const char *id = *build_id == '\0' ? "-" : build_id;
	char *line = dump != NULL ? find_line(dump, "left", id, path) : NULL, *reason = NULL;
	for (size_t i = 0; line != NULL && i < sizeof words / sizeof words[0]; i++)
		if (strncmp(line, words[i][0], strcspn(line, " ")) == 0 && words[i][0][strcspn(line, " ")] == '\0')
			reason = text_copy(words[i][1]);
	free(line);
	return reason != NULL ? reason : text_copy("");
}
