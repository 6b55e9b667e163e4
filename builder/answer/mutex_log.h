/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When a thread asked for mutexes, had them and released them, in the order of time, in a few bytes each, most of them put
 * aside. Written by track.c on the stream's thread; read once, from the first one on, by the sweep of the account
 * (mutex_turns.c).
 */
#ifndef OTTER_BUILDER_ANSWER_MUTEX_LOG_H
#define OTTER_BUILDER_ANSWER_MUTEX_LOG_H

#include "builder/support/log.h"
#include "builder/support/map.h"

enum turn_event {
	TURN_ASKS,
	TURN_TAKES,
	TURN_KEEPS, /* asked for a nestable lock that it has */
	TURN_RELEASES,
	TURN_IS_OFF, /* the thread, which asks for it, has no processor from now on, ... */
	TURN_IS_ON,  /* ... has one again */
	TURN_EVENTS
};

struct mutex_log {
	struct log log;
	struct map number_of; /* wait id -> number + 1 */
	uint64_t *wait_ids;   /* by number */
	uint32_t n_mutexes, latest;
	size_t capacity;
};

/* Adds an event about a mutex at a construct, not earlier than the one before. 0, or -1 with the error printed. */
int mutex_log_put(struct mutex_log *log, struct aside *aside, enum turn_event event, uint64_t wait_id, uint32_t construct,
		  uint64_t ticks);
void mutex_log_free(struct mutex_log *log);

struct mutex_reader {
	const struct mutex_log *log;
	const struct aside *aside;
	struct buffer room;
	size_t chunk; /* the next one to read */
	const unsigned char *at, *end;
	uint64_t value;      /* number * TURN_EVENTS + event, of the next event, ... */
	uint64_t next_ticks; /* ... when that is, UINT64_MAX: never, ... */
	uint32_t construct;  /* ... and where */
};

/* Opens, and reads the first event; reads the one after it. 0, or -1 with the error printed. */
int mutex_reader_open(struct mutex_reader *reader, const struct mutex_log *log, const struct aside *aside);
int mutex_reader_next(struct mutex_reader *reader);
void mutex_reader_close(struct mutex_reader *reader);

#endif
