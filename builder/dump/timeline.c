/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which time stamps are believed. A segment's header, which has a checksum, says when the segment was opened, and so does the next one's:
 * records lie in between. Within that they do not decrease; where two of them contradict each other the one after decides which is wrong.
 */
#include "builder/dump/timeline.h"

/* How much before its segment's header a record may be, whose time stamp is taken first, and how much the clocks of two processors differ. */
#define SLACK_SECONDS 1
/* How long streams may go on after the end that meta tells. */
#define AFTER_END_SECONDS 3600
/* A segment of a process that did not end may be open for as long: 2^57 ticks are more than a year of any counter. */
#define OPEN_TICKS (UINT64_C(1) << 57)

static uint64_t sum(uint64_t a, uint64_t b)
{
	uint64_t result;
	return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* The latest time that a record of the segment at hand may have. */
static uint64_t limit_ticks(const struct timeline *t)
{
	const struct stream *s = t->cursor.stream;
	const struct dump *dump = t->dump;
	size_t i = t->cursor.segment;
	if (i + 1 < s->n_segments)
		return sum(s->segments[i + 1].header->ticks, SLACK_SECONDS * dump->ticks_per_second);
	uint64_t end = dump->meta.end.ticks, opened = s->segments[i].header->ticks;
	return dump->meta.is_ended && end >= opened ? sum(end, AFTER_END_SECONDS * dump->ticks_per_second)
						    : sum(opened, OPEN_TICKS);
}

/* The time of the next record with one in this segment, from place `index` on; *index: behind it. 0: there is none. */
static uint64_t time_behind(const struct segment *segment, uint32_t *index)
{
	while (*index < segment->n_records) {
		const struct record *r = &segment->records[(*index)++];
		if (!record_is_continuation(r))
			return r->time;
	}
	return 0;
}

/* The earliest time that the record may have. */
static uint64_t low_ticks(const struct timeline *t)
{
	uint64_t opened = cursor_header(&t->cursor)->ticks, slack = SLACK_SECONDS * t->dump->ticks_per_second;
	uint64_t low = opened > slack ? opened - slack : 0;
	return t->last_ticks > low ? t->last_ticks : low;
}

/*
 * Is the record's time, which is possible, contradicted by the two records behind it? They go on together from before it. But behind a flush come the
 * other records of the callback that it happened in, with the time of the one before it.
 */
static bool is_ahead(const struct timeline *t, const struct record *r, uint64_t low)
{
	uint64_t time = r->time;
	uint32_t index = t->cursor.index + 1;
	const struct segment *segment = &t->cursor.stream->segments[t->cursor.segment];
	/* The next thread's first time stamp may be from before it found this stream free. */
	if (index < segment->n_records && record_kind(&segment->records[index]) == EVENT_thread_attach)
		return false;
	uint64_t next = time_behind(segment, &index);
	while (record_kind(r) == EVENT_buffer_flush && next != 0 && next == t->last_ticks)
		next = time_behind(segment, &index);
	if (next == 0 || next >= time || next < low)
		return false;
	uint64_t after = time_behind(segment, &index);
	return after == 0 || after < time;
}

static const struct record *mend(struct timeline *t, const struct record *r, uint64_t low)
{
	uint64_t opened = cursor_header(&t->cursor)->ticks;
	t->mended = *r;
	t->mended.time = t->last_ticks != 0 ? low : opened;
	unsigned kind = record_kind(r);
	/* A flush that could not be told at once is told behind the next record. */
	bool may_be = t->may_be_early || kind == EVENT_thread_attach || kind == EVENT_buffer_flush;
	t->n_mended += !may_be || low - r->time > SLACK_SECONDS * t->dump->ticks_per_second;
	return &t->mended;
}

const struct record *timeline_look(struct timeline *t)
{
	const struct record *r = cursor_peek(&t->cursor);
	if (r == NULL)
		return NULL;
	if (t->cursor.index == 0 || t->limit_ticks == 0)
		t->limit_ticks = limit_ticks(t);
	if (record_is_continuation(r))
		return t->head = r;
	const struct segment *segment = &t->cursor.stream->segments[t->cursor.segment];
	bool is_plain = t->last_ticks != 0 && r->time >= t->last_ticks && r->time <= t->limit_ticks &&
			t->cursor.index + 1 < segment->n_records && r[1].time >= r->time;
	if (__builtin_expect(is_plain && t->cursor.index != 0, 1))
		return t->head = r;
	uint64_t low = low_ticks(t);
	bool is_possible = r->time >= low && r->time <= t->limit_ticks;
	return t->head = is_possible && !is_ahead(t, r, low) ? r : mend(t, r, low);
}
