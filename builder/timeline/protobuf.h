/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The encoding of protocol buffers: numbers as in LEB128, and fields with their number and kind before them; and
 * Perfetto's numbers of the messages' fields that Otter writes (docs/formats.md). A message within another one is put
 * together in a buffer of its own first, as its length comes before it. Runs on any thread.
 */
#ifndef OTTER_BUILDER_TIMELINE_PROTOBUF_H
#define OTTER_BUILDER_TIMELINE_PROTOBUF_H

#include "builder/support/varint.h"

/* By message. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TIMESTAMP_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_IS_INCREMENTAL = 3 };
enum { CLOCK_REALTIME_ID = 1, CLOCK_MONOTONIC_ID = 3, CLOCK_OF_SEQUENCE = 64 };
enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_TIMESTAMP_CLOCK = 58, DEFAULT_TRACK = 11 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_CMDLINE = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
	EVENT_CATEGORY_ID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_PLACE_ID = 34,
	EVENT_DOUBLE_VALUE = 44,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { ANNOTATION_NAME_ID = 1, ANNOTATION_BOOL = 2, ANNOTATION_NUMBER = 3, ANNOTATION_TEXT_ID = 17 };
enum {
	INTERNED_CATEGORY = 1,
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_PLACE = 4,
	INTERNED_ANNOTATION_TEXT = 29
};
enum { INTERNED_ID = 1, INTERNED_NAME = 2 };
enum { PLACE_FILE = 2, PLACE_FUNCTION = 3, PLACE_LINE = 4 };

static inline void proto_number(struct buffer *message, unsigned field, uint64_t number)
{
	char *at = varint_put(buffer_room(message, 2 * VARINT_MAX), field << 3);
	buffer_end_at(message, varint_put(at, number));
}

/* A number of 64 bits, least significant byte first. */
static inline void proto_fixed(struct buffer *message, unsigned field, uint64_t number)
{
	char *at = varint_put(buffer_room(message, VARINT_MAX + 8), field << 3 | 1);
	for (unsigned i = 0; i < 8; i++)
		*at++ = (char)(number >> 8 * i);
	buffer_end_at(message, at);
}

static inline void proto_bytes(struct buffer *message, unsigned field, const char *bytes, size_t n)
{
	char *at = varint_put(buffer_room(message, 2 * VARINT_MAX + n), field << 3 | 2);
	at = varint_put(at, n);
	if (n > 0)
		memcpy(at, bytes, n);
	buffer_end_at(message, at + n);
}

/* A message, which is empty then. */
static inline void proto_message(struct buffer *around, unsigned field, struct buffer *message)
{
	proto_bytes(around, field, message->bytes, message->n);
	message->n = 0;
}

/* A text, in valid UTF-8. */
void proto_text(struct buffer *message, unsigned field, const char *text);

#endif
