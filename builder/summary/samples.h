/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary's part about samples: in which states the runtime reported the threads, in all and by thread.
 */
#ifndef OTTER_BUILDER_SUMMARY_SAMPLES_H
#define OTTER_BUILDER_SUMMARY_SAMPLES_H

#include "builder/dump/samples.h"
#include "builder/model/trace.h"

#include <jansson.h>
#include <stdio.h>

struct thread_samples {
	const struct trace *trace;
	uint32_t stream; /* its number */
	struct sample_counts counts;
};

struct samples_summary {
	struct thread_samples *threads; /* by process and stream */
	size_t n_threads, capacity;
	struct sample_counts all;
};

/* Adds the samples of a process, whose trace lives as long as the summary. To be freed. */
void samples_collect(struct samples_summary *summary, const struct trace *trace);
void samples_summary_free(struct samples_summary *summary);

/* A line for people, where anything was sampled. */
void samples_print(const struct samples_summary *summary, FILE *out);

/* An object for programs; null where nothing was sampled. */
json_t *samples_json(const struct samples_summary *summary);

#endif
