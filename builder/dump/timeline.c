/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which time stamps are right. A segment's header, which has a checksum, says when the segment was opened; the
 * records of a segment are between that and the opening of the next one. Time stamps do not decrease; if two of them
 * contradict each other, the record after them decides which one is wrong.
 */
#include "builder/dump/timeline.h"

/* How much the clocks of two processors may differ. */
#define SLACK_SECONDS 1
/* How long a stream may continue after the end that meta gives. */
#define AFTER_END_SECONDS 3600
/* How long the last segment may stay open if meta gives no end: 2^57 ticks are more than a year of any counter. */
#define OPEN_TICKS (UINT64_C(1) << 57)

/* The sum, or the largest number instead of an overflow. */
static uint64_t sum(uint64_t a, uint64_t b)
{
	uint64_t result;
	return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* The latest time that a record of the current segment may have. */
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

/*
 * The time of the first record from *index on, in this segment, that has one; 0: none. *index becomes the
 * place after.
 */
static uint64_t time_after(const struct cursor *c, uint32_t *index)
{
	while (*index < c->n_records) {
		const struct record *r = &c->records[(*index)++];
		if (!record_is_continuation(r))
			return r->time;
	}
	return 0;
}

/*
 * The earliest time that any record may have. A record's time stamp is taken before its segment is opened, at any
 * time before: the write of the segment before may take long, and so may a process that is stopped, or a
 * machine that is suspended. But all that a process records comes after its beginning.
 */
static uint64_t floor_ticks(const struct timeline *t)
{
	uint64_t opened = cursor_header(&t->cursor)->ticks, start = t->dump->meta.start.ticks;
	uint64_t slack = SLACK_SECONDS * t->dump->ticks_per_second;
	uint64_t floor = start != 0 && start < opened ? start : opened;
	return floor > slack ? floor - slack : 0;
}

/*
 * The earliest time that the next record may have. A forked child records the beginning of its first thread late, when
 * there is something to record (docs/recorder.md): two records of exactly the same time show that.
 */
static uint64_t low_ticks(const struct timeline *t, const struct record *r)
{
	if (t->last_ticks != 0)
		return t->last_ticks;
	uint64_t floor = floor_ticks(t);
	bool is_twice = t->cursor.index + 1 < t->cursor.n_records && r[1].time == r->time && !record_is_continuation(&r[1]);
	return is_twice && r->time != 0 && r->time < floor ? r->time : floor;
}

/*
 * Do the two records after a record with a possible time contradict it, because both are earlier? After a
 * buffer_flush they do not, as long as they have the time of the record before it: they come from the callback in which
 * the flush happened.
 */
static bool is_ahead(const struct timeline *t, const struct record *r, uint64_t low)
{
	uint64_t time = r->time;
	uint32_t index = t->cursor.index + 1;
	const struct cursor *c = &t->cursor;
	/* The thread that takes the stream over next may have taken its first time stamp before the stream was free. */
	if (index < c->n_records && record_kind(&c->records[index]) == EVENT_thread_attach)
		return false;
	uint64_t next = time_after(c, &index);
	while (record_kind(r) == EVENT_buffer_flush && next != 0 && next == t->last_ticks)
		next = time_after(c, &index);
	if (next == 0 || next >= time || next < low)
		return false;
	uint64_t after = time_after(c, &index);
	return after == 0 || after < time;
}

/* A copy of the record with the earliest time that is possible. Counts a repair, unless the time stamp may be early. */
static const struct record *mend(struct timeline *t, const struct record *r, uint64_t low)
{
	uint64_t opened = cursor_header(&t->cursor)->ticks;
	t->mended = *r;
	t->mended.time = t->last_ticks != 0 ? low : opened;
	unsigned kind = record_kind(r);
	/*
	 * A flush that could not be recorded at once is recorded after the next record, with the time at which it
	 * began.
	 */
	bool may_be = t->may_be_early || kind == EVENT_thread_attach || kind == EVENT_buffer_flush;
	t->n_mended += !may_be || r->time < floor_ticks(t) || r->time > t->limit_ticks;
	return &t->mended;
}

/*
 * How many records, from the stream's first one on, are the beginning of the thread with which the process began. The runtime
 * reports it with the first use of OpenMP, but the initial task has been executed since the process's start (OpenMP 5.2, 1.3).
 * 0: this is no such stream, or the process's start is not known.
 */
static unsigned beginning_records(const struct timeline *t, const struct record *r)
{
	static const unsigned kinds[] = {EVENT_thread_attach, EVENT_thread_begin, EVENT_implicit_task_begin};
	enum { N = sizeof kinds / sizeof *kinds };
	const struct cursor *c = &t->cursor;
	bool is_first = t->last_ticks == 0 && c->segment == 0 && c->index == 0 && cursor_header(c)->sequence == 1;
	if (!is_first || t->dump->start_ticks == 0 || c->n_records < N || r->a != (uint64_t)t->dump->meta.pid)
		return 0;
	for (unsigned i = 0; i < N; i++)
		if (record_kind(&r[i]) != kinds[i] || r[i].time < t->dump->start_ticks)
			return 0;
	return record_flags(&r[2]) & task_flags_initial ? N : 0;
}

/* A copy of one of these records, with the time of the process's start. */
static const struct record *begin(struct timeline *t, const struct record *r)
{
	t->beginning_ticks = r->time;
	t->mended = *r;
	t->mended.time = t->dump->start_ticks;
	t->limit_ticks = 0; /* the next one is not plain */
	return &t->mended;
}

const struct record *timeline_look(struct timeline *t)
{
	const struct record *r = cursor_peek(&t->cursor);
	if (r == NULL)
		return NULL;
	if (t->cursor.index == 0 && t->n_beginning == 0)
		t->n_beginning = beginning_records(t, r);
	if (t->n_beginning != 0)
		return t->head = begin(t, r);
	if (t->cursor.index == 0 || t->limit_ticks == 0)
		t->limit_ticks = limit_ticks(t);
	if (record_is_continuation(r))
		return t->head = r;
	bool is_plain = t->last_ticks != 0 && r->time >= t->last_ticks && r->time <= t->limit_ticks &&
			t->cursor.index + 1 < t->cursor.n_records && r[1].time >= r->time;
	if (__builtin_expect(is_plain && t->cursor.index != 0, 1))
		return t->head = r;
	uint64_t low = low_ticks(t, r);
	bool is_possible = r->time >= low && r->time <= t->limit_ticks;
	return t->head = is_possible && !is_ahead(t, r, low) ? r : mend(t, r, low);
}
