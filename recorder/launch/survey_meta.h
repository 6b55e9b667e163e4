/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a dump's meta for the survey: the launch that it belongs to, the recorder's notes, and the figures that are
 * needed to read its segments.
 */
#ifndef OTTER_RECORDER_LAUNCH_SURVEY_META_H
#define OTTER_RECORDER_LAUNCH_SURVEY_META_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "common/clock.h"

struct survey;

struct survey_meta {
	uint32_t segment_bytes;
	struct clock_triple start, end; /* end: without realtime; 0: the process did not reach its end */
	uint64_t stopped_ticks;         /* when recording was stopped; 0: it was not */
	uint64_t free_at_start, left_free;
	bool has_limit;
	char ring_dir[PATH_MAX]; /* "": the rings are in the dump */
	long long pid;
	uint64_t pid_start;
	uint64_t lost_in_block; /* in a block of losses that no line `ended` has closed */
	uint64_t n_overwritten;
};

/* Reads the meta of the dump at survey->path, and fills in the survey's own fields. False: it is no dump of this
 * launch; the survey may have notes nevertheless. */
bool survey_read_meta(struct survey *survey, struct survey_meta *meta, const char *launch);

/* Opens a file below OTTER_DIR, which other users may have made: it does not block, and opens only a regular file.
 * Returns -1 if it is not one. */
int survey_open(const char *path, struct stat *st);

/* Returns the text of such a file, as large as a meta at most; the caller frees it. NULL: it cannot be read. */
char *survey_read_whole(const char *path);

/* Returns the next line of `*rest`, split into its key and the value after it. A last line without its newline is cut
 * and does not count. */
bool survey_next_line(char **rest, char **key, char **value);

/* Undoes the escapes of meta's values, in place. Characters that move the cursor stay escaped: the value goes to a
 * terminal. */
char *survey_unescape(char *text);

#endif
