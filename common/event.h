/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A record, its words, and the ids in them. Kinds and fields come from events.def. The tables that describe them at run
 * time (names, units, documentation) are in event.c, which the recorder does not link. Used by recorder, builder and
 * tests.
 */
#ifndef OTTER_COMMON_EVENT_H
#define OTTER_COMMON_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum event_kind {
#define EVENT(number, name, group, callback, doc) EVENT_##name = (number),
#include "common/events.def"
	EVENT_KIND_LIMIT = 256 /* a kind has 8 bits */
};

/* Values of the enumerations and flag sets: task_status_switch, task_flags_untied, ... */
enum {
#define ENUM(set, value, name) set##_##name = (value),
#define FLAG(set, bit, name)   set##_##name = 1 << (bit),
#include "common/events.def"
};

/* Continuation records: they have no time stamp, and continue the nearest record before them that is not one. */
#define EVENT_CONTINUATION_FIRST 96
#define EVENT_CONTINUATION_LAST  127

/* A record has 32 bytes, little-endian, the same in memory and on disk. `head` has three parts: kind (8 bits), flags
 * (12), value (44). */
struct record {
	uint64_t time; /* ticks of the counter; payload in a continuation record */
	uint64_t head;
	uint64_t a;
	uint64_t b;
};

_Static_assert(sizeof(struct record) == 32, "the dump format fixes a record at 32 bytes");

#define RECORD_FLAGS_SHIFT 8
#define RECORD_FLAGS_BITS  12
#define RECORD_FLAGS_MASK  UINT64_C(0xfff)
#define RECORD_VALUE_SHIFT 20
#define RECORD_VALUE_MAX   ((UINT64_C(1) << 44) - 1)

static inline uint64_t record_head(enum event_kind kind, uint64_t flags, uint64_t value)
{
	return (uint64_t)kind | (flags & RECORD_FLAGS_MASK) << RECORD_FLAGS_SHIFT | value << RECORD_VALUE_SHIFT;
}

static inline unsigned record_kind(const struct record *r)
{
	return (unsigned)(r->head & 0xff);
}

static inline unsigned record_flags(const struct record *r)
{
	return (unsigned)(r->head >> RECORD_FLAGS_SHIFT & RECORD_FLAGS_MASK);
}

static inline uint64_t record_value(const struct record *r)
{
	return r->head >> RECORD_VALUE_SHIFT;
}

/* Of a task_create record, whose word B has the return address and, in its top byte, flags. */
#define RECORD_ADDRESS_BITS 56

static inline uint64_t record_create_codeptr(const struct record *r)
{
	return r->b & ((UINT64_C(1) << RECORD_ADDRESS_BITS) - 1);
}

static inline unsigned record_create_flags(const struct record *r)
{
	return record_flags(r) | (unsigned)(r->b >> RECORD_ADDRESS_BITS) << RECORD_FLAGS_BITS;
}

static inline int record_is_continuation(const struct record *r)
{
	unsigned kind = record_kind(r);
	return kind >= EVENT_CONTINUATION_FIRST && kind <= EVENT_CONTINUATION_LAST;
}

static inline uint32_t low32(uint64_t word)
{
	return (uint32_t)word;
}

static inline uint32_t high32(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

/* The runtime's int, as 32 bits of a record hold it. */
static inline int64_t event_device_number(uint64_t slot)
{
	return (int32_t)low32(slot);
}

/*
 * Does the recorder make records of this kind by itself, and not because of a callback? They may come between any two
 * others. Continuation records are among them.
 */
static inline int event_is_recorders_own(unsigned kind)
{
	return 0
#define EVENT(number, name, group, callback, doc) || (kind == (number) && #callback[0] == '-')
#include "common/events.def"
		;
}

/* An id of a task or region consists of the stream that gave it and that stream's counter, which begins at 1. 0:
 * unknown. */
#define ID_STREAM_BITS 20
#define ID_STREAM_MAX  ((UINT32_C(1) << ID_STREAM_BITS) - 1)

/* The samples of stream N's thread are in stream N | ID_STREAM_SAMPLES, which gives no ids. */
#define ID_STREAM_SAMPLES (UINT32_C(1) << (ID_STREAM_BITS - 1))

/* One stream has the switches of all threads, and no events. The stream whose samples would have this number is never
 * made. */
#define ID_STREAM_SWITCHES ID_STREAM_MAX

/* States from this number on are a runtime's own. */
#define THREAD_STATE_OWN_FIRST 0x200

static inline uint64_t id_make(uint32_t stream, uint64_t counter)
{
	return counter << ID_STREAM_BITS | stream;
}

static inline uint32_t id_stream(uint64_t id)
{
	return (uint32_t)(id & ID_STREAM_MAX);
}

static inline uint64_t id_counter(uint64_t id)
{
	return id >> ID_STREAM_BITS;
}

/* ---- The table at run time (event.c), for the builder, tests and tools ---- */

enum event_slot {
	SLOT_TIME,
	SLOT_FLAGS,
	SLOT_FLAGS_LO4,
	SLOT_FLAGS_HI8,
	SLOT_FLAGS_B_HI8,
	SLOT_VALUE,
	SLOT_VALUE_LO32,
	SLOT_VALUE_HI12,
	SLOT_A,
	SLOT_A_LO,
	SLOT_A_HI,
	SLOT_B,
	SLOT_B_LO,
	SLOT_B_HI,
	SLOT_B_LO56
};

struct event_field {
	unsigned event;
	const char *name;
	enum event_slot slot;
	/* UINT, ADDRESS, EIGHTH (of an address), TICKS, MONOTONIC, TASK, REGION, OWN_TASK, OWN_REGION, or the name of a set */
	const char *type;
	const char *unit; /* "-": none */
	const char *doc;
};

struct event_info {
	unsigned number;
	const char *name;
	const char *group;    /* of OTTER_EVENTS; "-": always recorded */
	const char *callback; /* "-": the recorder's own record */
	const char *doc;
};

struct event_note {
	unsigned event;
	const char *name; /* the implicit argument, or the kind that continues the record */
	const char *doc;
};

extern const struct event_info event_infos[];
extern const unsigned n_event_infos;
extern const struct event_note event_implicits[];
extern const unsigned n_event_implicits;
extern const struct event_note event_continuations[];
extern const unsigned n_event_continuations;

/* Returns the row of a kind, NULL for a kind that this version does not know. */
const struct event_info *event_info(unsigned kind);

/* Returns the fields of a kind, which are neighbours in one array, and in `n` how many. The search is linear, so
 * callers in loops keep the result. */
const struct event_field *event_fields(unsigned kind, unsigned *n_fields);

/* Returns what a field of a record contains. An OWN_ id is completed with `stream`. */
uint64_t event_field_get(const struct event_field *field, const struct record *record, uint32_t stream);

/* Returns the name of a value of an enumeration, or NULL. */
const char *event_enum_name(const char *set, uint64_t value);

/* Returns the name of a bit of a flag set, or NULL. */
const char *event_flag_name(const char *set, unsigned bit);

/* Is `type` a flag set (and not an enumeration or a plain type)? */
int event_type_is_flags(const char *type);

#endif
