/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is in a dump, as far as headers tell: for the line that the launcher prints for each. Reads meta, every segment's header and the last
 * segment of each stream; the dump's process may have been killed, or still run. The builder is what reads a dump in full.
 */
#ifndef OTTER_RECORDER_LAUNCH_SURVEY_H
#define OTTER_RECORDER_LAUNCH_SURVEY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct survey {
	char path[PATH_MAX];
	bool is_ended;   /* the recorder came to its end */
	bool is_running; /* the process still runs */
	uint64_t start_ns;
	uint64_t n_streams;
	uint64_t n_tasks; /* initial, implicit and explicit */
	uint64_t n_units; /* of Argobots, whose creation is there: all but the first one */
	bool has_argobots;
	uint64_t n_records;
	uint64_t n_bytes;
	uint64_t n_lost;
	uint64_t stalled_ns;
	char *notes; /* what the recorder had to say, one a line; owned */
};

/* The dumps in `dir` of processes that ran with this OTTER_RUN, by their start. */
struct survey_list {
	struct survey *surveys;
	size_t n_surveys;
};

/* `since`: dumps older than that are not looked at. */
void survey_find(struct survey_list *list, const char *dir, const char *run, time_t since);
void survey_free(struct survey_list *list);

#endif
