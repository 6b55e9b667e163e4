/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks a stream's records like a cursor (reader.h), and ensures that time stamps do not decrease and stay within what
 * the segments' headers allow. A record whose time stamp is wrong is delivered as a copy with a time that is possible.
 * Both passes (gather and replay) read the records through timelines, so they agree on every time; one thread.
 */
#ifndef OTTER_BUILDER_DUMP_TIMELINE_H
#define OTTER_BUILDER_DUMP_TIMELINE_H

#include "builder/dump/reader.h"

struct timeline {
	struct cursor cursor;
	const struct dump *dump;
	const struct record *head; /* the next record, after it was looked at; NULL before */
	uint64_t last_ticks;       /* time of the last record taken; 0 at the beginning */
	uint64_t limit_ticks;      /* no record of the current segment can be later */
	uint64_t n_mended;         /* time stamps that were wrong (repair time_out_of_order); the caller sets it back to 0 */
	struct record mended;      /* the copy that is delivered in place of the next record, if its time stamp is wrong */
	/*
	 * The next record's time stamp may be earlier than the last one's, and that is no repair. This is so for a
	 * thread that took the stream over: it may have taken its time stamp before the other thread gave the stream
	 * back. And it is so after a segment was written in the middle of a callback: all records of a callback have
	 * the same time.
	 */
	bool may_be_early;
	/* How many of the next records are the beginning of the process's first thread: timeline.c. */
	unsigned n_beginning;
	uint64_t beginning_ticks; /* when the last one of them was recorded; 0: it was not moved */
};

/* is_alone: the stream is walked by itself, and its segments are read. In a walk of many streams they stay mapped. */
static inline void timeline_init(struct timeline *t, const struct dump *dump, const struct stream *stream, bool is_alone)
{
	*t = (struct timeline){.dump = dump};
	cursor_init(&t->cursor, stream);
	t->cursor.unpacked.has_reads = is_alone;
}

/* As cursor_end(). */
static inline void timeline_end(struct timeline *t)
{
	cursor_end(&t->cursor);
	t->head = NULL;
}

/*
 * The next record if it is amid its segment and its time lies between those of its neighbours: it is as it is. Otherwise
 * NULL.
 */
static inline const struct record *timeline_plain(const struct timeline *t)
{
	uint32_t index = t->cursor.index;
	if (index == 0 || index + 1 >= t->cursor.n_records)
		return NULL;
	const struct record *r = &t->cursor.records[index];
	bool is_plain = t->last_ticks != 0 && r->time >= t->last_ticks && r->time <= t->limit_ticks && r[1].time >= r->time;
	return is_plain && !record_is_continuation(r) ? r : NULL;
}

/*
 * The next record, which stays the next one; NULL at the end. Valid until it is taken. After this, cursor_at_gap() and
 * cursor_header() refer to that record.
 */
const struct record *timeline_look(struct timeline *t);
static inline const struct record *timeline_peek(struct timeline *t)
{
	if (t->head == NULL)
		t->head = timeline_plain(t);
	return t->head != NULL ? t->head : timeline_look(t);
}

/*
 * Neither the next record nor any after it came before this time (a processor's clock differs from others): moves them
 * there.
 */
static inline void timeline_raise(struct timeline *t, uint64_t ticks)
{
	if (t->last_ticks >= ticks)
		return;
	t->last_ticks = ticks;
	t->may_be_early = true;
	t->head = NULL;
}

/* Takes the record that timeline_plain() has returned; it does not make the next one's time early. */
static inline void timeline_take_plain(struct timeline *t, const struct record *r)
{
	t->last_ticks = r->time;
	t->may_be_early = false;
	t->head = NULL;
	t->cursor.index++;
}

/* Takes the record that timeline_peek() has returned. */
static inline void timeline_take(struct timeline *t)
{
	if (!record_is_continuation(t->head)) {
		t->last_ticks = t->head->time;
		unsigned kind = record_kind(t->head);
		t->n_beginning -= t->n_beginning != 0;
		t->may_be_early =
			kind == EVENT_thread_attach || kind == EVENT_buffer_flush || (t->may_be_early && t->head == &t->mended);
	}
	t->head = NULL;
	t->cursor.index++;
}

#endif
