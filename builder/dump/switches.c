/* SPDX-License-Identifier: BSD-3-Clause */
#include "builder/dump/switches.h"

#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/lower_bound.h"

#include <stdlib.h>

/* A switches record: a time of CLOCK_MONOTONIC is converted by its own pair of clocks, which is near. */
struct switches_reading {
	const struct dump *dump;
	struct switches_of *of; /* NULL: of a stream that is not in the dump */
	uint64_t ticks, monotonic_ns;
};

static struct switches_of *stream_of(struct switches *switches, const struct dump *dump, uint32_t number)
{
	size_t low = lower_bound(i, 0, dump->n_streams, dump->streams[i].number < number);
	return low < dump->n_streams && dump->streams[low].number == number ? &switches->streams[low] : NULL;
}

static uint64_t ticks_of(const struct switches_reading *reading, uint64_t monotonic_ns)
{
	if (monotonic_ns >= reading->monotonic_ns)
		return reading->ticks;
	unsigned __int128 ticks = ((unsigned __int128)(reading->monotonic_ns - monotonic_ns) << 48) / reading->dump->ns_scale;
	return ticks < reading->ticks ? reading->ticks - (uint64_t)ticks : 0;
}

static void add(struct switches_of *of, struct off_processor off)
{
	const struct off_processor *last = of->n_offs > 0 ? &of->offs[of->n_offs - 1] : NULL;
	if (last != NULL && off.begin_ticks < last->end_ticks)
		off.begin_ticks = last->end_ticks;
	if (off.end_ticks <= off.begin_ticks)
		return;
	array_push(of->offs, of->n_offs, of->capacity, off);
	of->n_migrations += off.why != off_why_unknown && off.cpu != off.next_cpu;
}

static void add_unknown(struct switches_of *of, uint64_t begin_ticks, uint64_t end_ticks)
{
	add(of, (struct off_processor){.begin_ticks = begin_ticks, .end_ticks = end_ticks, .why = off_why_unknown});
}

static struct switches_reading begin_reading(struct switches *switches, const struct dump *dump, const struct record *r)
{
	struct switches_reading reading = {.dump = dump, .ticks = r->time, .monotonic_ns = r->b};
	struct switches_of *of = reading.of = stream_of(switches, dump, low32(record_value(r)));
	if (of == NULL)
		return reading;
	bool is_first = record_flags(r) & 1;
	if (of->open_ns != 0 && of->open_ns == r->a) {
		of->n_offs--; /* it was not over; this reading begins with it again */
		of->n_migrations -= of->offs[of->n_offs].cpu != of->offs[of->n_offs].next_cpu;
	} else if (!is_first && r->a > of->until_ns) {
		add_unknown(of, of->known_until_ticks, ticks_of(&reading, r->a)); /* a record is missing */
	}
	of->open_ns = 0;
	of->until_ns = r->b;
	if (of->known_until_ticks < reading.ticks)
		of->known_until_ticks = reading.ticks;
	return reading;
}

static void add_off(const struct switches_reading *reading, const struct record *r)
{
	if (reading->of == NULL)
		return;
	struct off_processor off = {.begin_ticks = ticks_of(reading, r->time),
				    .end_ticks = r->a != 0 ? ticks_of(reading, r->a) : reading->ticks,
				    .cpu = low32(record_value(r)),
				    .next_cpu = low32(r->b),
				    .why = record_flags(r)};
	if (off.why < off_why_preempted || off.why > off_why_stalled)
		off.why = off_why_unknown;
	size_t n_before = reading->of->n_offs;
	add(reading->of, off);
	reading->of->open_ns = r->a == 0 && reading->of->n_offs > n_before ? r->time : 0;
}

static void add_times(struct switches_of *of, const struct record *r)
{
	if (of == NULL)
		return;
	/* The next thread of the stream counts from 0 again. */
	bool is_same = r->a >= of->last_running_ns && r->b >= of->last_waiting_ns;
	of->running_ns += is_same ? r->a - of->last_running_ns : r->a;
	of->waiting_ns += is_same ? r->b - of->last_waiting_ns : r->b;
	of->last_running_ns = r->a;
	of->last_waiting_ns = r->b;
}

static void take_mask(struct switches_of *of, const struct record *r)
{
	if (of == NULL)
		return;
	of->mask_low = r->a;
	of->mask_processors = r->b;
}

/* Everything was read at this time: what has no records since its last ones had no switches. */
static void all_read(struct switches *switches, uint64_t ticks)
{
	for (size_t i = 0; i < switches->n_streams; i++) {
		struct switches_of *of = &switches->streams[i];
		if (of->known_until_ticks == 0 || of->known_until_ticks >= ticks)
			continue;
		if (of->open_ns != 0)
			of->offs[of->n_offs - 1].end_ticks = ticks; /* it is not over yet */
		of->known_until_ticks = ticks;
	}
}

/*
 * What the process's first thread did before its first record: the kernel has counted how long it had a processor, and how long
 * it was ready for one. The rest it was blocked. In which order is not known: the blocked time is put first.
 */
static void add_before_first(struct switches *switches, const struct dump *dump)
{
	const struct meta *meta = &dump->meta;
	if (dump->start_ticks == 0 || meta->first_running_ns == 0 || meta->start.ticks <= dump->start_ticks)
		return;
	for (size_t i = 0; i < switches->n_streams; i++) {
		struct cursor c;
		cursor_init(&c, &dump->streams[i]);
		const struct record *first = cursor_peek(&c);
		bool is_first = first != NULL && record_kind(first) == EVENT_thread_attach && first->a == (uint64_t)meta->pid;
		cursor_end(&c);
		if (!is_first)
			continue;
		uint64_t all_ns = dump_duration_ns(dump, meta->start.ticks - dump->start_ticks);
		uint64_t ready_ns = meta->first_running_ns + meta->first_waiting_ns;
		uint64_t blocked_ns = all_ns > ready_ns + meta->process_start_step_ns ? all_ns - ready_ns : 0;
		uint64_t ready_ticks = dump->start_ticks + dump_ticks(dump, blocked_ns);
		add(&switches->streams[i], (struct off_processor){.begin_ticks = dump->start_ticks,
								  .end_ticks = ready_ticks,
								  .why = off_why_blocked,
								  .has_no_cpus = true});
		add(&switches->streams[i],
		    (struct off_processor){.begin_ticks = ready_ticks,
					   .end_ticks = ready_ticks + dump_ticks(dump, meta->first_waiting_ns),
					   .why = off_why_preempted,
					   .has_no_cpus = true});
		return;
	}
}

void switches_read(struct switches *switches, const struct dump *dump)
{
	*switches = (struct switches){.are_recorded = dump->switches != NULL};
	if (dump->switches == NULL)
		return;
	switches->n_streams = dump->n_streams;
	switches->streams = memory_zeroed(dump->n_streams + 1, sizeof *switches->streams, "the context switches");
	add_before_first(switches, dump);
	struct cursor c;
	struct switches_reading reading = {0};
	uint64_t stolen_ns = 0, total_ns = 0;
	bool is_whole = true; /* no record is missing so far */
	for (unsigned i = 0; i < LOSS_CAUSES; i++)
		is_whole = is_whole && dump->switches->lost[i] == 0;
	cursor_init(&c, dump->switches);
	for (const struct record *r; (r = cursor_peek(&c)) != NULL; cursor_next(&c)) {
		is_whole = is_whole && !cursor_at_gap(&c);
		switch (record_kind(r)) {
		case EVENT_switches: reading = begin_reading(switches, dump, r); break;
		case EVENT_off: add_off(&reading, r); break;
		case EVENT_processor_time: add_times(stream_of(switches, dump, low32(record_value(r))), r); break;
		case EVENT_thread_mask: take_mask(stream_of(switches, dump, low32(record_value(r))), r); break;
		case EVENT_switches_read:
			if (is_whole)
				all_read(switches, r->time);
			if (total_ns == 0) {
				stolen_ns = r->a;
				total_ns = r->b;
			}
			switches->stolen_ns = r->a > stolen_ns ? r->a - stolen_ns : 0;
			switches->total_ns = r->b > total_ns ? r->b - total_ns : 0;
			break;
		default: break;
		}
	}
	for (size_t i = 0; i < switches->n_streams; i++)
		if (switches->streams[i].known_until_ticks != 0)
			add_unknown(&switches->streams[i], switches->streams[i].known_until_ticks, UINT64_MAX);
}

void switches_free(struct switches *switches)
{
	for (size_t i = 0; i < switches->n_streams; i++)
		free(switches->streams[i].offs);
	free(switches->streams);
	*switches = (struct switches){0};
}
