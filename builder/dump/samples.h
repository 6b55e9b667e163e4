/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples: the state that the runtime reported for each thread, taken at intervals (OTTER_SAMPLE). A thread's samples are
 * in a stream of their own, next to the stream of its events. docs/states.md compares them with the states that are derived
 * from events. One thread.
 */
#ifndef OTTER_BUILDER_DUMP_SAMPLES_H
#define OTTER_BUILDER_DUMP_SAMPLES_H

#include "builder/dump/reader.h"

struct sample {
	uint64_t ticks;
	uint64_t task, region; /* ids, 0 unknown */
	uint64_t wait_id;      /* 0: none */
	unsigned state;        /* thread_state, or a number of the runtime's own */
	unsigned missed;       /* expirations of the timer before this one that have no sample: this sample counts for them too */
};

/* The stream of samples of the thread whose stream of events has this number; NULL if there is none. */
const struct stream *samples_of(const struct dump *dump, uint32_t number);

/*
 * Takes the next sample, in order of time. False: there are no more. Samples that a flight recorder has from before its
 * window are left out.
 */
bool sample_next(const struct dump *dump, struct cursor *c, struct sample *sample);

/* A state's name: OMPT's without "ompt_state_"; or as the runtime enumerates a state of its own; else "unknown". */
const char *sample_state_name(const struct meta *meta, unsigned state);
bool sample_state_is_named(const struct meta *meta, unsigned state);

/* How often a state was sampled, and for how many expirations of the timer these samples count. */
struct sample_count {
	unsigned state;
	uint64_t n_samples, n_expirations;
};

struct sample_counts {
	struct sample_count *rows; /* by state, ascending */
	size_t n_rows, capacity;
	uint64_t n_samples, n_expirations, n_lost;
};

/* Add a stream's samples, or other counts, to `counts`, which samples_free() frees. Always 0. */
int samples_count(struct sample_counts *counts, const struct dump *dump, const struct stream *samples);
int samples_add(struct sample_counts *counts, const struct sample_counts *more);
void samples_free(struct sample_counts *counts);

#endif
