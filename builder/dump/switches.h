/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When each thread had no processor: the stretches of the stream of switches, by thread and in the order of time, and
 * what the kernel has counted instead where it recorded none. Filled by gather, read by the replay and the summary; one
 * thread.
 */
#ifndef OTTER_BUILDER_DUMP_SWITCHES_H
#define OTTER_BUILDER_DUMP_SWITCHES_H

#include "builder/dump/reader.h"

/* A stretch in which a thread had no processor, or (off_why_unknown) may have had none. */
struct off_processor {
	uint64_t begin_ticks, end_ticks; /* begin <= end <= the next one's begin */
	uint32_t cpu, next_cpu;          /* the processor that it left, and the one that it got */
	unsigned why;                    /* off_why */
	bool has_no_cpus;                /* both are unknown: the kernel only counted how long it was */
};

struct switches_of {
	struct off_processor *offs;
	size_t n_offs, capacity;
	uint64_t n_migrations;      /* how often it got another processor than it had left */
	uint64_t known_until_ticks; /* what came later is not known, and is the last one of `offs`; 0: nothing was recorded */
	uint64_t until_ns;          /* of CLOCK_MONOTONIC: the same, as the thread's last record has it */
	uint64_t open_ns;           /* when the last of `offs` began, if it was not over then; 0: it was */
	uint64_t mask_low,
		mask_processors;         /* its affinity mask, as it was last: processors 0 to 63, and how many in all; 0 unknown */
	uint64_t running_ns, waiting_ns; /* of threads without records: as the kernel counted */
	uint64_t last_running_ns, last_waiting_ns; /* of the last processor_time record */
};

struct switches {
	bool are_recorded;           /* the dump has a stream of switches */
	struct switches_of *streams; /* by row of dump.streams; NULL where are_recorded is false */
	size_t n_streams;
	uint64_t stolen_ns, total_ns; /* of all processors, while the process ran; total 0: not known */
};

/* Reads the stream of switches. Damaged records are left out; what they hide is unknown. */
void switches_read(struct switches *switches, const struct dump *dump);
void switches_free(struct switches *switches);

#endif
