/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads meta line by line. A line whose value makes no sense is skipped and counted. Only what makes the rest of the dump
 * unreadable is an error: another major version, byte order or sizes. One thread.
 */
#include "builder/dump/meta_line.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A recorder writes kilobytes. A larger file is not from our recorder, and not worth the memory. */
#define META_BYTES_MAX ((off_t)64 << 20)

/*
 * Checks the keys that must have one certain value, because otherwise no record can be read. 0, or -1 after an error
 * message.
 */
static int check_fixed(const char *path, const char *key, const char *value)
{
	static const struct {
		const char *key, *value;
	} fixed[] = {
		{"byte_order", "little"}, {"record_bytes", "32"}, {"segment_header_bytes", "128"}, {"ring_control_bytes", "4096"}};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		if (strcmp(key, fixed[i].key) == 0 && strcmp(value, fixed[i].value) != 0)
			return error("%s: %s is \"%s\", this otter-build reads \"%s\"", path, key, value, fixed[i].value);
	return 0;
}

static int parse_first_line(struct meta *m, const char *path, char *text)
{
	struct line l = {text};
	const char *magic = line_field(&l);
	uint64_t major, minor;
	if (magic == NULL || strcmp(magic, "otter-dump") != 0 || !parse_number(line_field(&l), 10, UINT_MAX, &major) ||
	    !parse_number(line_field(&l), 10, UINT_MAX, &minor))
		return error("%s: not the meta of an Otter dump: its first line must be \"otter-dump MAJOR MINOR\"", path);
	m->major = (unsigned)major;
	m->minor = (unsigned)minor;
	if (m->major != FORMAT_MAJOR && m->major != FORMAT_PLAIN_MAJOR)
		return error("%s: the dump has format %u.%u, this otter-build reads %u.x and %u.x", path, m->major, m->minor,
			     FORMAT_PLAIN_MAJOR, FORMAT_MAJOR);
	unsigned known = m->major == FORMAT_MAJOR ? FORMAT_MINOR : FORMAT_PLAIN_MINOR;
	if (m->minor > known)
		warning("%s: the dump has format %u.%u, this otter-build knows %u.%u: what is new in it is skipped", path, m->major,
			m->minor, m->major, known);
	return 0;
}

/* Can this be a key? Unknown ones may come from a newer version, but every key consists of these characters. */
static bool is_key(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static void note_damage(struct meta *m, size_t at, const char *key)
{
	if (m->n_damaged_lines++ != 0)
		return;
	m->first_damaged = at;
	snprintf(m->damaged_key, sizeof m->damaged_key, "%s", key == NULL ? "" : key);
}

/* Parses the whole file. `text` has room for a terminating zero after its n_bytes. 0, or -1 after an error message. */
static int parse(struct meta *m, const char *path, char *text, size_t n_bytes)
{
	bool is_first = true;
	char *end = text + n_bytes, *newline;
	for (char *at = text; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
		*newline = '\0';
		if (is_first) {
			if (parse_first_line(m, path, at) != 0)
				return -1;
			is_first = false;
			continue;
		}
		struct line l = {at};
		bool is_text = strlen(at) == (size_t)(newline - at); /* false: the line has a zero byte */
		const char *key = line_field(&l);
		if (key == NULL && is_text)
			continue;
		if (key != NULL && l.rest != NULL && check_fixed(path, key, l.rest) != 0)
			return -1;
		if (!is_text || !is_key(key) || !meta_parse_line(m, key, &l))
			note_damage(m, (size_t)(at - text), key);
	}
	/* A process that was killed as it began leaves an empty file, or a cut first block. */
	const char magic[] = "otter-dump ";
	size_t n_known = n_bytes < sizeof magic - 1 ? n_bytes : sizeof magic - 1;
	m->is_empty = is_first && memcmp(text, magic, n_known) == 0;
	if (is_first && !m->is_empty)
		return error("%s: not the meta of an Otter dump: its first line must be \"otter-dump MAJOR MINOR\"", path);
	return 0;
}

/* The whole file in memory, with a terminating zero, to be freed by the caller; NULL after an error message. */
static char *read_file(const char *path, size_t *n_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	*n_bytes = 0;
	if (fd < 0 || fstat(fd, &st) != 0) {
		error("%s: %s: a dump is a directory with a file `meta`", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > META_BYTES_MAX) {
		error("%s: not a file of text lines, as meta must be", path);
	} else {
		text = memory_get((size_t)st.st_size + 1, 1, "meta");
		ssize_t n;
		while (*n_bytes < (size_t)st.st_size && (n = read(fd, text + *n_bytes, (size_t)st.st_size - *n_bytes)) > 0)
			*n_bytes += (size_t)n;
		text[*n_bytes] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/*
 * Is this a directory with the name of a dump, and without meta? The recorder makes the directory first and then meta:
 * a process that is killed in between leaves a dump of which there is only the name.
 */
static bool is_just_made(const char *dir, const char *path)
{
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	struct stat st;
	return n > 6 && strncmp(dir + n - 6, ".otter", 6) == 0 && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	       stat(path, &st) != 0 && errno == ENOENT;
}

int meta_read(struct meta *meta, const char *dir)
{
	meta_init(meta);
	meta->dir = text_copy(dir);
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/meta", dir) >= (int)sizeof path)
		return error("%s: path too long", dir);
	if (is_just_made(dir, path)) {
		meta->is_empty = true;
		return 0;
	}
	size_t n_bytes;
	char *text = read_file(path, &n_bytes);
	int result = text == NULL ? -1 : parse(meta, path, text, n_bytes);
	free(text);
	if (result == 0)
		meta_index_maps(meta);
	meta->is_ended = *meta->ended != '\0';
	return result;
}
