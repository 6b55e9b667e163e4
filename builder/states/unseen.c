/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processor time of threads that made no records: see states.h.
 */
#include "builder/states/states.h"

/* How long a stream's threads had a processor, at most: what is not known of their lives counts as well. */
static uint64_t most_running(const struct state_times *times, const struct switches_of *of)
{
	uint64_t life = state_times_total(times), off = 0;
	for (size_t i = 0; i < of->n_offs; i++)
		if (of->offs[i].why != off_why_unknown)
			off += of->offs[i].end_ticks - of->offs[i].begin_ticks;
	return off < life ? life - off : 0;
}

/* What the process does before threads attach and after they detach takes some ms as well. */
#define LEAST_NS      10000000
#define LEAST_NS_EACH 1000000
#define LEAST_PERCENT 1

uint64_t states_unseen_ns(const struct states *states)
{
	const struct model *m = states->model;
	if (!m->switches.are_recorded || m->dump->meta.processor_ns == 0 || m->window.is_part)
		return 0;
	uint64_t seen_ticks = 0;
	for (size_t i = 0; i < states->n_streams; i++)
		seen_ticks += most_running(&states->times[i], &m->switches.streams[i]);
	uint64_t all_ns = m->dump->meta.processor_ns, seen_ns = dump_duration_ns(m->dump, seen_ticks);
	uint64_t unseen_ns = all_ns > seen_ns ? all_ns - seen_ns : 0;
	return unseen_ns > LEAST_NS + LEAST_NS_EACH * states->n_streams && unseen_ns * 100 > all_ns * LEAST_PERCENT ? unseen_ns : 0;
}
