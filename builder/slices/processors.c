/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel says about a thread without a processor: see slices.h. Its records name no other thread or process; but the
 * threads of the process that are recorded have their own, which say what processor each got, and when. So the first of them
 * that got the processor is known, and nothing about other processes. Sorted on one thread, read on any.
 */
#include "builder/slices/slices.h"
#include "builder/support/lower_bound.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

static int by_cpu(const void *left, const void *right)
{
	const struct slice_got *l = left, *r = right;
	return cmp(l->cpu, r->cpu) ?: cmp(l->ticks, r->ticks) ?: cmp(l->stream, r->stream);
}

/* Is it known which processor the thread got after this stretch? The last one may not be over. */
static bool has_next_cpu(const struct switches_of *of, size_t i)
{
	return of->offs[i].why != off_why_unknown && !of->offs[i].has_no_cpus && (i + 1 < of->n_offs || of->open_ns == 0);
}

void slices_sort_processors(struct slices *slices)
{
	const struct switches *switches = &slices->m->switches;
	size_t n = 0;
	for (size_t stream = 0; switches->are_recorded && stream < switches->n_streams; stream++)
		n += switches->streams[stream].n_offs;
	if (n == 0)
		return;
	slices->gots = memory_get(n, sizeof *slices->gots, "processors");
	for (size_t stream = 0; stream < switches->n_streams; stream++) {
		const struct switches_of *of = &switches->streams[stream];
		for (size_t i = 0; i < of->n_offs; i++)
			if (has_next_cpu(of, i))
				slices->gots[slices->n_gots++] =
					(struct slice_got){of->offs[i].end_ticks, of->offs[i].next_cpu, (uint32_t)stream};
	}
	sort_array(slices->gots, slices->n_gots, by_cpu);
}

/* The first thread of the process that got the processor while it was another one's. */
static uint32_t taken_by(const struct slices *slices, const struct off_processor *off, uint32_t stream)
{
	const struct slice_got *all = slices->gots;
	size_t i = lower_bound(row, 0, slices->n_gots,
			       all[row].cpu < off->cpu || (all[row].cpu == off->cpu && all[row].ticks < off->begin_ticks));
	while (i < slices->n_gots && all[i].stream == stream && all[i].ticks == off->begin_ticks)
		i++; /* what it had got at this very time */
	bool is_meanwhile = i < slices->n_gots && all[i].cpu == off->cpu && all[i].ticks < off->end_ticks;
	return is_meanwhile && all[i].stream != stream ? all[i].stream : NO_STREAM;
}

/* The last stretch without a processor that began before the state, if it lasted as long. */
void slices_find_off(const struct slices *slices, struct state_slice *slice)
{
	const struct switches *switches = &slices->m->switches;
	if (!switches->are_recorded)
		return;
	const struct switches_of *of = &switches->streams[slice->stream];
	size_t i = lower_bound(row, 0, of->n_offs, of->offs[row].begin_ticks <= slice->begin_ticks);
	const struct off_processor *off = i > 0 ? &of->offs[i - 1] : NULL;
	if (off == NULL || off->end_ticks < slice->end_ticks || off->has_no_cpus || off->why == off_why_unknown)
		return;
	bool is_preempted = off->why == off_why_preempted;
	if (is_preempted != (slice->state == STATE_PREEMPTED))
		return;
	slice->off = off;
	slice->has_next_cpu = has_next_cpu(of, i - 1);
	if (is_preempted)
		slice->taken_by = taken_by(slices, off, slice->stream);
}
