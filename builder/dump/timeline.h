/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks a stream's records as cursors do (reader.h), and sees to it that their time stamps go forward and stay within what the segments'
 * headers allow: a record whose time does not is delivered as a copy with a time that does. Both passes over the records go by it, so that
 * they agree on every time whatever the dump says.
 */
#ifndef OTTER_BUILDER_DUMP_TIMELINE_H
#define OTTER_BUILDER_DUMP_TIMELINE_H

#include "builder/dump/reader.h"

struct timeline {
	struct cursor cursor;
	const struct dump *dump;
	const struct record *head; /* the next record, once it was looked at; NULL before */
	uint64_t last_ticks;       /* of the last one taken; 0 at the beginning */
	uint64_t limit_ticks;      /* no record of the segment at hand is later */
	uint64_t n_mended;
	struct record mended;
	/*
	 * The next record's time stamp may be from before the last one's, and that is no damage: a thread that has taken the stream over may have
	 * taken it before the other one gave it back, and two records of one callback have one time, also where a segment was written between them.
	 */
	bool may_be_early;
};

static inline void timeline_init(struct timeline *t, const struct dump *dump, const struct stream *stream)
{
	*t = (struct timeline){.dump = dump};
	cursor_init(&t->cursor, stream);
}

/* The next record without taking it, or NULL at the end; valid until it is taken. Then the cursor's own questions may be asked. */
const struct record *timeline_look(struct timeline *t);
static inline const struct record *timeline_peek(struct timeline *t)
{
	return t->head != NULL ? t->head : timeline_look(t);
}

/* The next record did not come before this: a clock differs from others. Nor do those behind it. */
static inline void timeline_raise(struct timeline *t, uint64_t ticks)
{
	if (t->last_ticks >= ticks)
		return;
	t->last_ticks = ticks;
	t->may_be_early = true;
	t->head = NULL;
}

/* Takes the record that timeline_peek gave. */
static inline void timeline_take(struct timeline *t)
{
	if (!record_is_continuation(t->head)) {
		t->last_ticks = t->head->time;
		unsigned kind = record_kind(t->head);
		t->may_be_early =
			kind == EVENT_thread_attach || kind == EVENT_buffer_flush || (t->may_be_early && t->head == &t->mended);
	}
	t->head = NULL;
	t->cursor.index++;
}

#endif
