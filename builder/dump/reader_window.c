/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cuts a flight recorder's dump (OTTER_KEEP=newest) to the time that all its streams cover. Each stream has kept its
 * newest segments, which reach back less far in a busy stream than in an idle one. Only whole segments are left out,
 * because replay begins with a segment's header. Called last by dump_open(), on its thread.
 */
#include "builder/dump/reader_private.h"

#include <string.h>

/* The index of the last segment that follows a gap; 0 if there is no gap, or only before the first segment. */
static size_t last_gap(const struct stream *s)
{
	size_t i = s->n_segments - 1;
	while (i > 0 && !s->segments[i].is_after_gap)
		i--;
	return i;
}

/*
 * How many segments ended before `begin` (ticks): those after which the next one was opened before it. The last one
 * stays.
 */
static size_t count_before(const struct stream *s, uint64_t begin)
{
	size_t n = 0;
	while (n + 1 < s->n_segments && s->segments[n + 1].header->ticks <= begin)
		n++;
	return n;
}

/* Takes away the first n segments. Returns the number of records that were in them, and in groups that this cuts. */
static uint64_t leave_out(struct reader *r, struct stream *s, size_t n)
{
	uint64_t n_before = s->n_records;
	if (n == 0)
		return 0;
	s->n_segments -= n;
	memmove(s->segments, s->segments + n, s->n_segments * sizeof *s->segments);
	s->segments[0].is_after_gap = true;
	reader_drop_cut_groups(r, s);
	s->n_records = 0;
	for (size_t i = 0; i < s->n_segments; i++)
		s->n_records += s->segments[i].n_records;
	return n_before - s->n_records;
}

void reader_cut_window(struct reader *r)
{
	struct dump *dump = r->dump;
	uint64_t begin = 0;
	for (size_t i = 0; i < dump->n_streams; i++) {
		const struct segment *segment = &dump->streams[i].segments[last_gap(&dump->streams[i])];
		if (segment->is_after_gap && segment->header->ticks > begin)
			begin = segment->header->ticks;
	}
	if (!r->is_newest || begin == 0)
		return;
	for (size_t i = 0; i < dump->n_streams; i++)
		dump->n_left_out += leave_out(r, &dump->streams[i], count_before(&dump->streams[i], begin));
	dump->n_records -= dump->n_left_out;
	for (size_t i = 0; i < dump->n_samples; i++)
		leave_out(r, &dump->samples[i], count_before(&dump->samples[i], begin));
	if (dump->switches)
		leave_out(r, dump->switches, count_before(dump->switches, begin));
	dump->window_ticks = begin;
	if (dump->n_left_out > 0)
		warning("%s: a flight recorder's dump: cut to what all streams cover, from %.6f s on; %llu older records left out",
			dump->path, (double)dump_ns(dump, begin) * 1e-9, (unsigned long long)dump->n_left_out);
}
