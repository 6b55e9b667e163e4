/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples: what the runtime said each thread was doing, at intervals (OTTER_SAMPLE). A thread's samples are in a stream of their own beside
 * that of its events; docs/states.md compares them with the states that are derived from events.
 */
#ifndef OTTER_BUILDER_DUMP_SAMPLES_H
#define OTTER_BUILDER_DUMP_SAMPLES_H

#include "builder/dump/reader.h"

struct sample {
	uint64_t ticks;
	uint64_t task, region; /* ids, 0 unknown */
	uint64_t wait_id;      /* 0: none */
	unsigned state;        /* thread_state, or one of the runtime's own */
	unsigned missed;       /* expirations of the timer before this one that have no sample: it stands for them, too */
};

/* The samples of the stream with this number, or NULL where there are none. */
const struct stream *samples_of(const struct dump *dump, uint32_t number);

/* The next sample in order of time. False: there are no more. What a flight recorder has from before its window is left out. */
bool sample_next(const struct dump *dump, struct cursor *c, struct sample *sample);

/* A state's name, without "ompt_state_" where it is OMPT's own, as the runtime calls it where it is the runtime's, else "unknown". */
const char *sample_state_name(const struct meta *meta, unsigned state);
bool sample_state_is_named(const struct meta *meta, unsigned state);

/* How often a state was seen, and how many expirations of the timer that stands for. */
struct sample_count {
	unsigned state;
	uint64_t n_samples, n_expirations;
};

struct sample_counts {
	struct sample_count *rows; /* by state, ascending */
	size_t n_rows, capacity;
	uint64_t n_samples, n_expirations, n_lost;
};

/* Counts a stream's samples, or adds counts to others. 0, or -1 with the error said. */
int samples_count(struct sample_counts *counts, const struct dump *dump, const struct stream *samples);
int samples_add(struct sample_counts *counts, const struct sample_counts *more);
void samples_free(struct sample_counts *counts);

#endif
