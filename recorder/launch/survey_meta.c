/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/survey_meta.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/format.h"
#include "common/libgomp.h"
#include "recorder/launch/elf.h"
#include "recorder/launch/survey.h"

/* A meta is shorter: what is longer is something else. */
#define META_BYTES_MAX (64 << 20)

int survey_open(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

char *survey_read_whole(const char *path)
{
	struct stat st;
	int fd = survey_open(path, &st);
	char *text = NULL;
	if (fd >= 0 && st.st_size <= META_BYTES_MAX && (text = malloc((size_t)st.st_size + 1))) {
		ssize_t n = read(fd, text, (size_t)st.st_size);
		text[n > 0 ? n : 0] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

bool survey_next_line(char **rest, char **key, char **value)
{
	char *end = strchr(*rest, '\n');
	if (!end)
		return false;
	*end = '\0';
	*key = *rest;
	*value = *rest + strcspn(*rest, " ");
	if (**value)
		*(*value)++ = '\0';
	*rest = end + 1;
	return true;
}

char *survey_unescape(char *text)
{
	char *out = text;
	for (const char *p = text; *p; p++) {
		if (p[0] == '\\' && p[1] == '\\')
			p++;
		*out++ = *p;
	}
	*out = '\0';
	return text;
}

static void append_note(struct survey *survey, const char *note)
{
	size_t old = survey->notes ? strlen(survey->notes) : 0;
	char *notes = realloc(survey->notes, old + strlen(note) + 2);
	if (!notes)
		return;
	sprintf(notes + old, "%s\n", note);
	survey->notes = notes;
}

/* Files with code that the process has mapped, as meta names them. */
struct mapped_files {
	const char **paths;
	size_t n_paths;
};

static void note_mapped(struct mapped_files *mapped, const char *path)
{
	const char **paths = realloc(mapped->paths, (mapped->n_paths + 1) * sizeof *paths);
	if (!paths)
		return;
	mapped->paths = paths;
	paths[mapped->n_paths++] = path;
}

static bool needs_libgomp(const char *path)
{
	struct elf elf;
	const char *needed;
	bool is_needed = false;
	if (elf_open(&elf, path) == ELF_OURS)
		for (unsigned i = 0; !is_needed && (needed = elf_needed(&elf, i)); i++)
			is_needed = strncmp(needed, "libgomp", 7) == 0;
	elf_close(&elf);
	return is_needed;
}

/* Finds whether a mapped file needs a libgomp. Files are opened only where there is one: there may be hundreds. */
static void find_need(struct survey *survey, const struct mapped_files *mapped)
{
	for (size_t i = 0; (survey->has_stand_in || survey->libgomp[0]) && !survey->needs_libgomp && i < mapped->n_paths; i++)
		survey->needs_libgomp = needs_libgomp(mapped->paths[i]);
}

/* Takes a mapping of code: "START END OFFSET ID PATH". */
static void read_map(struct survey *survey, struct mapped_files *mapped, char *value)
{
	int at = 0;
	if (sscanf(value, "%*s %*s %*s %*s %n", &at) < 0 || !at)
		return;
	const char *path = survey_unescape(value + at), *slash = strrchr(path, '/');
	note_mapped(mapped, path);
	if (!slash || strncmp(slash, "/libgomp", 8) != 0 || !strstr(slash, ".so"))
		return;
	if (libgomp_is_stand_in(path))
		survey->has_stand_in = true;
	else
		snprintf(survey->libgomp, sizeof survey->libgomp, "%s", path);
}

/* `ended` closes a block of losses. If there are several blocks (finalize, then the destructor), the last one is right. */
static void read_line(struct survey *survey, struct survey_meta *meta, struct mapped_files *mapped, const char *key, char *value)
{
	uint64_t count = strtoull(value, NULL, 10);
	if (strcmp(key, "segment_bytes") == 0)
		meta->segment_bytes = (uint32_t)count;
	else if (strcmp(key, "pid") == 0)
		meta->pid = (long long)count;
	else if (strcmp(key, "pid_start") == 0)
		meta->pid_start = count;
	else if (strcmp(key, "ring_dir") == 0)
		snprintf(meta->ring_dir, sizeof meta->ring_dir, "%s", survey_unescape(value));
	else if (strcmp(key, "map") == 0)
		read_map(survey, mapped, value);
	else if (strcmp(key, "argobots") == 0)
		survey->has_argobots = true;
	else if (strcmp(key, "note") == 0)
		append_note(survey, survey_unescape(value));
	else if (strcmp(key, "start") == 0)
		sscanf(value, "%" SCNu64 " %" SCNu64 " %" SCNu64, &meta->start.ticks, &meta->start.monotonic_ns,
		       &meta->start.realtime_ns);
	else if (strcmp(key, "end") == 0)
		sscanf(value, "%" SCNu64 " %" SCNu64, &meta->end.ticks, &meta->end.monotonic_ns);
	else if (strcmp(key, "stopped") == 0 && strchr(value, ' '))
		meta->stopped_ticks = strtoull(strchr(value, ' '), NULL, 10);
	else if (strcmp(key, "free_at_start") == 0)
		meta->free_at_start = count;
	else if (strcmp(key, "left_free") == 0)
		meta->left_free = count;
	else if (strcmp(key, "setting") == 0 && strncmp(value, "limit ", 6) == 0)
		meta->has_limit = value[6] != '-';
	else if (strcmp(key, "setting") == 0 && strcmp(value, "keep newest") == 0)
		survey->keeps_newest = true;
	else if (strcmp(key, "lost") == 0 && strncmp(value, "overwritten ", 12) == 0)
		meta->n_overwritten = strtoull(value + 12, NULL, 10);
	else if (strcmp(key, "lost") == 0 && strchr(value, ' '))
		meta->lost_in_block += strtoull(strchr(value, ' '), NULL, 10);
	else if (strcmp(key, "lost_no_stream") == 0 || strcmp(key, "lost_reentry") == 0)
		meta->lost_in_block += count;
	else if (strcmp(key, "stalled_ns") == 0)
		survey->stalled_ns = count;
	else if (strcmp(key, "ended") == 0) {
		survey->is_ended = true;
		survey->n_lost = meta->lost_in_block;
		meta->lost_in_block = 0;
	}
}

bool survey_read_meta(struct survey *survey, struct survey_meta *meta, const char *launch)
{
	char path[PATH_MAX + 8];
	snprintf(path, sizeof path, "%s/meta", survey->path);
	char *text = survey_read_whole(path), *rest = text, *key, *value;
	struct mapped_files mapped = {0};
	bool is_ours = false;
	bool is_dump = text && survey_next_line(&rest, &key, &value) && strcmp(key, "otter-dump") == 0;
	long major = is_dump ? strtol(value, NULL, 10) : 0;
	is_dump = major == FORMAT_MAJOR || major == FORMAT_PLAIN_MAJOR;
	while (is_dump && survey_next_line(&rest, &key, &value)) {
		if (strcmp(key, "env") == 0 && strncmp(value, "OTTER_LAUNCH=", 13) == 0 && strcmp(value + 13, launch) == 0)
			is_ours = true;
		else
			read_line(survey, meta, &mapped, key, value);
	}
	if (is_ours)
		find_need(survey, &mapped);
	free(mapped.paths);
	free(text);
	bool is_usable = meta->segment_bytes >= SEGMENT_BYTES_MIN && meta->segment_bytes <= SEGMENT_BYTES_MAX;
	return is_ours && is_usable;
}
