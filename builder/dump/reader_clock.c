/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Relates ticks to ns, by the straight line through the two clock triples that are furthest apart (docs/format.md, section
 * 5, rule 6). Triples are in meta's start and end lines, and in all segment headers, which are there even if the process
 * was killed. One line for the whole dump keeps the order of time stamps. Also sets the dump's first time, and sums up
 * stalled times. Runs on the thread that opens the dump.
 *
 * The clocks of a triple are read within some ten ns of each other. Over a short span this makes the frequency inexact,
 * but not the times: the error over the whole run is not larger than that of a reading. A program that is killed at
 * once may leave a single triple, or two less than 5 us apart. Then the reader adds a triple that it takes itself, if
 * it runs on the same boot of the same machine; otherwise it uses what there is. With a single triple, or none, one
 * tick counts as one ns, which is reported as damage.
 */
#include "builder/dump/reader_private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Below this span the error of reading the clocks is too large. */
#define SPAN_NS_MIN 5000

/* The triples with the fewest and the most ticks. All 0: none yet. */
struct clock_span {
	struct clock_triple first, last;
};

static void span_add(struct clock_span *span, struct clock_triple t)
{
	if (t.ticks == 0 || t.monotonic_ns == 0)
		return;
	if (span->first.ticks == 0 || t.ticks < span->first.ticks)
		span->first = t;
	if (t.ticks > span->last.ticks)
		span->last = t;
}

static bool span_is_usable(const struct clock_span *span, uint64_t min_ns)
{
	return span->last.ticks > span->first.ticks && span->last.monotonic_ns >= span->first.monotonic_ns + min_ns;
}

/*
 * Was the dump recorded since this machine's last boot, so that its ticks come from the counter that we can read now?
 */
static bool is_same_boot(const struct meta *meta)
{
	char id[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (f == NULL)
		return false;
	bool is_read = fgets(id, sizeof id, f) != NULL;
	fclose(f);
	id[strcspn(id, "\n")] = '\0';
	return is_read && *id != '\0' && strcmp(id, meta->boot_id) == 0;
}

/* Sets ns_scale and ticks_per_second from the span. */
static void set_scale(struct reader *r, struct clock_span *span)
{
	struct dump *dump = r->dump;
	uint64_t ns = 1, ticks = 1;
	if (strcmp(dump->meta.clock, "monotonic") != 0) {
		if (!span_is_usable(span, SPAN_NS_MIN) && is_same_boot(&dump->meta))
			span_add(span, (struct clock_triple){clock_counter(), clock_ns(CLOCK_MONOTONIC), 1});
		if (span_is_usable(span, 1)) {
			ns = span->last.monotonic_ns - span->first.monotonic_ns;
			ticks = span->last.ticks - span->first.ticks;
		} else if (dump->n_records > 0) {
			reader_damage(
				r, "no_clock_rate",
				"%s: found fewer than two clock readings that differ, expected two: one tick is taken for one ns",
				dump->path);
		}
	}
	unsigned __int128 scale = ((unsigned __int128)ns << 48) / ticks;
	unsigned __int128 rate = (unsigned __int128)ticks * 1000000000u / ns;
	/* Every machine's counter runs at 100 kHz to 1 THz; other frequencies are damage. */
	if (rate < 100000 || rate > UINT64_C(1000000000000)) {
		reader_damage(r, "no_clock_rate",
			      "%s: found %llu ticks in %llu ns, expected a clock of 100 kHz to 1 THz: one tick is taken for one ns",
			      dump->path, (unsigned long long)ticks, (unsigned long long)ns);
		scale = (unsigned __int128)1 << 48;
		rate = 1000000000u;
	}
	dump->ns_scale = (uint64_t)scale;
	dump->ticks_per_second = (uint64_t)rate;
}

/*
 * Is this time stamp at most 10 s older than `ticks`? Older ones are damage, and must not become the dump's first time.
 */
static bool is_little_older(const struct dump *dump, uint64_t time, uint64_t ticks)
{
	return time != 0 && time < ticks && ticks - time <= 10 * dump->ticks_per_second;
}

/*
 * Sets the ticks of the process's start and end. The start is before the first record, the end after the recorder's: what
 * contradicts that is not used. A process that still runs has lasted until now. Where the runtime has ended its tools, that was
 * the end: what is left is the recorder's, the kernel's, and the time until the parent has a processor.
 */
static void find_process(struct dump *dump, const struct clock_triple *first, bool is_live)
{
	const struct meta *meta = &dump->meta;
	uint64_t start_ns = meta->process_start_ns, end_ns = meta->process_end_ns;
	if (start_ns != 0 && start_ns < first->monotonic_ns) {
		uint64_t before = dump_ticks(dump, first->monotonic_ns - start_ns);
		if (before < first->ticks && first->ticks - before <= dump->first_ticks)
			dump->start_ticks = first->ticks - before;
	}
	if (end_ns > first->monotonic_ns && !meta->is_ended)
		dump->end_ticks = first->ticks + dump_ticks(dump, end_ns - first->monotonic_ns);
	if (is_live && dump->end_ticks == 0)
		dump->end_ticks = strcmp(meta->clock, "monotonic") == 0 ? clock_ns(CLOCK_MONOTONIC) : clock_counter();
}

/*
 * Sets the dump's first time. That may be a record's: a thread takes the time stamp of its first event before it opens
 * a segment, and with that reads a triple.
 */
static void set_origin(struct dump *dump, const struct clock_triple *first, bool is_live)
{
	dump->first_ticks = first->ticks;
	for (size_t i = 0; i < dump->n_streams; i++) {
		struct cursor c;
		cursor_init(&c, &dump->streams[i]);
		const struct record *record = cursor_peek(&c);
		if (record != NULL && !record_is_continuation(record) && is_little_older(dump, record->time, dump->first_ticks))
			dump->first_ticks = record->time;
		cursor_end(&c);
	}
	find_process(dump, first, is_live);
	if (dump->start_ticks != 0)
		dump->first_ticks = dump->start_ticks;
	uint64_t before_ns = dump_duration_ns(dump, first->ticks - dump->first_ticks);
	dump->first_monotonic_ns = first->monotonic_ns > before_ns ? first->monotonic_ns - before_ns : 0;
	dump->first_realtime_ns = first->realtime_ns > before_ns ? first->realtime_ns - before_ns : 0;
}

void reader_make_clock(struct reader *r)
{
	struct dump *dump = r->dump;
	struct clock_span span = {0};
	span_add(&span, dump->meta.start);
	span_add(&span, dump->meta.end);
	for (size_t i = 0; i < dump->n_streams; i++)
		for (size_t k = 0; k < dump->streams[i].n_segments; k++) {
			const struct segment_header *h = dump->streams[i].segments[k].header;
			span_add(&span, (struct clock_triple){h->ticks, h->monotonic_ns, h->realtime_ns});
		}
	struct clock_triple first = span.first;
	set_scale(r, &span);
	set_origin(dump, &first, r->is_live);

	uint64_t stalled_ns = 0;
	for (size_t i = 0; i < dump->n_streams; i++) {
		struct stream *s = &dump->streams[i];
		const struct ring_facts *ring = reader_ring_facts(r, s->number);
		uint64_t ring_ns = ring == NULL ? 0 : dump_duration_ns(dump, ring->stalled_ticks);
		if (ring_ns > s->stalled_ns)
			s->stalled_ns = ring_ns;
		stalled_ns += s->stalled_ns;
	}
	dump->stalled_ns = stalled_ns > dump->meta.stalled_ns ? stalled_ns : dump->meta.stalled_ns;
}
