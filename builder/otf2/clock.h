/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's time stamps: the ticks of the dumps, where these come from one counter, else ns of real time. One
 * thread.
 */
#ifndef OTTER_BUILDER_OTF2_CLOCK_H
#define OTTER_BUILDER_OTF2_CLOCK_H

#include "builder/otf2/archive.h"
#include "builder/model/trace.h"

/* Do the dumps' ticks come from one counter? */
bool clock_is_shared(const struct trace *traces, size_t n_traces);

/* Finds the first and the last time stamp of the process that begins, and with it the archive's. */
void clock_begin(struct archive *a, const struct trace *trace);

/* Ticks as ns of real time. */
uint64_t clock_convert(const struct process *p, uint64_t ticks);

uint64_t clock_stamp_slow(const struct process *p, uint64_t ticks);

/* The time stamp of `ticks`, never before the process's first and never after its last. */
static inline uint64_t clock_stamp(const struct process *p, uint64_t ticks)
{
	return __builtin_expect(ticks - p->first_time < p->n_plain_ticks, 1) ? ticks : clock_stamp_slow(p, ticks);
}

#endif
