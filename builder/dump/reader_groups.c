/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes incomplete groups of records out of a stream. A group is a record and its continuation records; it may cross
 * segments. If a segment is missing or cut, a part of a group may be missing as well; then the rest of that group is left
 * out, so that every walk of the stream finds whole groups only. Runs on the reader's thread.
 */
#include "builder/dump/reader_private.h"

/* A text record has 24 bytes of text. */
static uint64_t text_records(uint64_t n_bytes)
{
	return n_bytes / 24 + (n_bytes % 24 != 0);
}

uint64_t record_continuations(const struct record *head)
{
	switch (record_kind(head)) {
	case EVENT_dependences: return record_value(head) == 0 ? 0 : (record_value(head) - 1 + 2) / 3;
	case EVENT_control_tool: return 1;
	case EVENT_error: return text_records(record_value(head));
	case EVENT_target_begin: return 1;
	case EVENT_target_data_op_begin:
	case EVENT_target_data_op: return 2;
	case EVENT_target_data_op_end: return 1;
	case EVENT_target_map: return record_value(head);
	case EVENT_device_initialize: return text_records(low32(head->b)) + text_records(high32(head->b));
	case EVENT_device_load: return 2 + text_records(head->b);
	case EVENT_sample: return high32(record_value(head)) & sample_flags_has_wait_id ? 1 : 0;
	case EVENT_switches: return high32(record_value(head));
	case EVENT_device_clock:
	case EVENT_unit_create:
	case EVENT_unit_revive: return 1;
	case EVENT_device_kernel:
	case EVENT_device_target:
	case EVENT_device_other: return 2;
	case EVENT_device_data_op: return 3;
	case EVENT_device_native: return 2 + text_records(high32(record_value(head)));
	default: return 0;
	}
}

/* Takes away the last n records of the segments up to `last`. */
static void drop_tail(struct stream *s, size_t last, uint64_t n)
{
	for (size_t i = last + 1; n > 0 && i-- > 0;) {
		uint32_t here = n < s->segments[i].n_records ? (uint32_t)n : s->segments[i].n_records;
		s->segments[i].n_records -= here;
		n -= here;
	}
}

/*
 * Between the segments first and last nothing is missing. Takes away the group at their end if it is incomplete.
 * Returns the number of records taken away.
 */
static uint64_t drop_at_end(struct reader *r, struct stream *s, size_t first, size_t last)
{
	uint64_t n = 0; /* continuation records seen, from the end */
	for (size_t i = last + 1; i-- > first;) {
		const struct record *records = reader_records(r, &s->segments[i]);
		for (uint32_t k = s->segments[i].n_records; k-- > 0; n++) {
			const struct record *record = &records[k];
			if (record_is_continuation(record))
				continue;
			if (n >= record_continuations(record))
				return 0;
			drop_tail(s, last, n + 1);
			return n + 1;
		}
	}
	return 0;
}

/* Takes away continuation records at the beginning, whose head is missing. Returns the number of records taken away. */
static uint64_t drop_at_begin(struct reader *r, struct stream *s, size_t first, size_t last)
{
	uint64_t n = 0;
	for (size_t i = first; i <= last; i++) {
		struct segment *segment = &s->segments[i];
		while (segment->n_records > 0 && record_is_continuation(reader_records(r, segment))) {
			if (segment->records != NULL)
				segment->records++;
			segment->n_skipped++;
			segment->n_records--;
			n++;
		}
		if (segment->n_records > 0)
			break;
	}
	return n;
}

/* Are records missing between this segment and the one before it? */
static bool is_broken(const struct stream *s, size_t i)
{
	const struct segment *segment = &s->segments[i], *before = segment - 1;
	return segment->is_after_gap || segment->header->n_records != before->header->n_records + before->n_records;
}

/*
 * May the kill of the process have cut the group at the end of the stream? A thread publishes the first part of a group with the
 * segment that it closes, and the rest with the first records of the next one.
 */
static bool may_be_killed_there(const struct reader *r, const struct stream *s, size_t last)
{
	const struct segment *segment = &s->segments[last];
	uint32_t used_bytes, segment_bytes = r->dump->meta.segment_bytes;
	bool is_sealed;
	if (last + 1 != s->n_segments || r->dump->meta.is_ended)
		return false;
	if (reader_closed(segment->header->closed, segment_bytes, &used_bytes, &is_sealed) == CLOSED_WELL)
		return !is_sealed && used_bytes == segment_bytes;
	return segment->header->closed == 0 && segment->n_records == 0;
}

void reader_drop_cut_groups(struct reader *r, struct stream *s)
{
	for (size_t first = 0, last; first < s->n_segments; first = last + 1) {
		uint64_t n = 0;
		for (last = first; last + 1 < s->n_segments && !is_broken(s, last + 1);)
			last++;
		/* The oldest segment of a flight recorder may begin in the middle of a group: that is no damage. */
		uint64_t n_begin = drop_at_begin(r, s, first, last);
		if (first > 0 || !r->is_newest)
			n += n_begin;
		bool may_be_killed = may_be_killed_there(r, s, last);
		uint64_t n_end = drop_at_end(r, s, first, last);
		n += may_be_killed ? 0 : n_end;
		/* The end of a process does not wait for the thread that copies switches: what is cut is not known then. */
		if (n > 0 && s->number != ID_STREAM_SWITCHES)
			reader_damage(
				r, "group_cut",
				"%s: stream %u, segments %llu to %llu: found %llu records of groups that a gap cuts, expected "
				"whole groups; they are left out",
				r->dump->path, s->number, (unsigned long long)s->segments[first].header->sequence,
				(unsigned long long)s->segments[last].header->sequence, (unsigned long long)n);
	}
}
