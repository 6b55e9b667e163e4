/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Surveys a dump for the line that the launcher prints for it. It reads meta, every segment's header and the last
 * segment of each stream. The dump's process may have been killed, or may still run. Only the builder reads a dump in
 * full.
 */
#ifndef OTTER_RECORDER_LAUNCH_SURVEY_H
#define OTTER_RECORDER_LAUNCH_SURVEY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct survey {
	char path[PATH_MAX];
	long long pid;
	bool is_ended;   /* the recorder has written how it ended */
	bool is_running; /* the process still runs */
	uint64_t start_ns;
	uint64_t recorded_ns; /* how long it was recorded: to its end, to its last segment, or until recording stopped */
	uint64_t may_take;    /* bytes that its run may take of the file system; 0: it has a limit of its own, or it is not known */
	bool keeps_newest;
	bool has_stand_in;      /* the library in libgomp's place was mapped */
	bool needs_libgomp;     /* a file that was mapped needs a libgomp, under any name */
	char libgomp[PATH_MAX]; /* a libgomp that was mapped, gcc's own or a copy with another name, else empty */
	uint64_t n_streams;
	uint64_t n_tasks; /* initial, implicit and explicit */
	uint64_t n_units; /* units of Argobots whose creation was recorded: all but the first one */
	bool has_argobots;
	uint64_t n_records;
	uint64_t n_bytes;
	uint64_t n_lost;
	uint64_t stalled_ns;
	char *notes; /* the recorder's notes, one a line; freed with the survey */
};

/* The dumps in `dir` whose processes ran with this OTTER_LAUNCH, in the order of their start. */
struct survey_list {
	struct survey *surveys;
	size_t n_surveys;
};

/* Dumps that are older than `since` are not read. */
void survey_find(struct survey_list *list, const char *dir, const char *launch, time_t since);
void survey_free(struct survey_list *list);

#endif
