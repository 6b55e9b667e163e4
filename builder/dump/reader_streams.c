/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes streams out of the segments that were found in rings and files: each segment once, in order of sequence. Determines
 * what is missing and what was lost. Runs on the thread that opens the dump.
 *
 * Losses are counted in several places: the ring's control page, segment headers, records_lost records, and meta. Each
 * of them counts the same losses from the beginning, and may have stopped counting early. So none is too large, and the
 * largest is right.
 */
#include "builder/dump/reader_private.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_u64(uint64_t a, uint64_t b)
{
	return cmp(a, b);
}

/* Orders copies by stream and sequence; of copies of one segment the best one comes first. */
static int compare_copies(const void *left, const void *right)
{
	const struct segment_copy *a = left, *b = right;
	int order = compare_u64(a->header.stream, b->header.stream);
	if (order == 0)
		order = compare_u64(a->header.sequence, b->header.sequence);
	if (order == 0)
		order = compare_u64(b->n_records, a->n_records);
	if (order == 0)
		order = compare_u64(a->source, b->source);
	return order == 0 ? compare_u64(a->at, b->at) : order;
}

static void max_into(uint64_t *value, uint64_t other)
{
	if (other > *value)
		*value = other;
}

/* Counts from a damaged dump may have any value: the sum stops at the largest number instead of overflowing. */
static void add_into(uint64_t *value, uint64_t other)
{
	if (__builtin_add_overflow(*value, other, value))
		*value = UINT64_MAX;
}

static uint64_t sum(const uint64_t counts[LOSS_CAUSES])
{
	uint64_t total = 0;
	for (unsigned i = 0; i < LOSS_CAUSES; i++)
		add_into(&total, counts[i]);
	return total;
}

/*
 * Takes the damaged packed segments away. That is damage unless there is another copy: a process that was killed while it
 * wrote one still has the segment in its ring or packing buffer.
 */
static void drop_damaged(struct reader *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n_copies; i++) {
		const struct segment_copy *copy = &r->copies[i], *kept = n > 0 ? &r->copies[n - 1] : NULL;
		if (copy->source != SOURCE_PACKED_DAMAGED)
			r->copies[n++] = *copy;
		else if (kept == NULL || kept->header.stream != copy->header.stream ||
			 kept->header.sequence != copy->header.sequence)
			reader_damage(
				r, "packed_damaged",
				"%s: segment %llu of stream %u, in a file of packed segments at byte %llu: found contents that do "
				"not have their checksum, expected a whole segment or another copy of it",
				r->dump->path, (unsigned long long)copy->header.sequence, copy->header.stream,
				(unsigned long long)copy->at);
	}
	r->n_copies = n;
}

/* Reports damage if a segment has fewer records than its header says. */
static void report_cut(struct reader *r, const struct segment_copy *copy)
{
	static const char *const files[] = {"the ring", "the stream's file", "the drain thread's file", "a packed file"};
	if (copy->n_cut > 0)
		reader_damage(r, "segment_cut", "%s: segment %llu of stream %u, in %s at byte %llu: found %u records, expected %u",
			      r->dump->path, (unsigned long long)copy->header.sequence, copy->header.stream, files[copy->source],
			      (unsigned long long)copy->at, copy->n_records, copy->n_records + copy->n_cut);
}

/* Reports damage if two segments with the same stream and sequence are not copies of one segment. */
static void report_conflict(struct reader *r, const struct segment_header *best, const struct segment_header *other)
{
	if (best->ticks != other->ticks || best->n_records != other->n_records)
		reader_damage(r, "segment_conflict",
			      "%s: found two different segments %llu of stream %u, opened at ticks %llu and %llu, "
			      "expected copies of one; the longer one is taken",
			      r->dump->path, (unsigned long long)best->sequence, best->stream, (unsigned long long)best->ticks,
			      (unsigned long long)other->ticks);
}

/* Notes what is missing between the last segment taken and `segment`, whose header is h. */
static void note_gap(struct reader *r, struct stream *s, const struct segment_header *h, struct segment *segment)
{
	const struct segment *last = s->n_segments == 0 ? NULL : &s->segments[s->n_segments - 1];
	uint64_t expected = last == NULL ? 1 : last->header->sequence + 1;
	uint64_t n_before = last == NULL ? 0 : last->header->n_records;
	add_into(&n_before, last == NULL ? 0 : last->n_records);
	uint64_t n_missing = h->n_records > n_before ? h->n_records - n_before : 0;
	segment->is_after_gap = h->sequence != expected;
	if (segment->is_after_gap && r->is_newest) {
		add_into(&s->lost[loss_cause_overwritten], n_missing); /* as it has to be in a flight recorder: no damage */
		return;
	}
	add_into(&s->n_missing_records, n_missing);
	add_into(&s->n_missing_segments, h->sequence - expected);
	if (segment->is_after_gap)
		reader_damage(r, "segments_missing", "%s: stream %u: found segment %llu after %llu, expected %llu", r->dump->path,
			      s->number, (unsigned long long)h->sequence, (unsigned long long)(expected - 1),
			      (unsigned long long)expected);
}

/* Makes a stream of its n copies of segments, which are in the order of compare_copies(). */
static void make_stream(struct reader *r, struct stream *s, const struct segment_copy *copies, size_t n)
{
	*s = (struct stream){.number = copies[0].header.stream};
	s->segments = memory_zeroed(n, sizeof *s->segments, "the segments of a stream");
	const struct segment_copy *taken = NULL;
	bool is_sealed = false;
	for (size_t i = 0; i < n; i++) {
		const struct segment_header *h = &copies[i].header;
		if (taken != NULL && taken->header.sequence == h->sequence) {
			/* Sealing a stream may write its last segment once more, to mark it as the last one. */
			is_sealed |= copies[i].is_sealed && copies[i].n_records == taken->n_records;
			report_conflict(r, &taken->header, h);
			continue;
		}
		taken = &copies[i];
		is_sealed = taken->is_sealed && taken->n_cut == 0;
		report_cut(r, taken);
		struct segment segment = {.header = h,
					  .records = taken->records,
					  .pack = taken->pack,
					  .n_records = taken->n_records,
					  .n_before = taken->n_before,
					  .n_after = taken->n_after,
					  .mapped = taken->is_heap ? NULL : taken->mapped,
					  .file = taken->file};
		note_gap(r, s, h, &segment);
		s->segments[s->n_segments++] = segment;
	}
	s->is_sealed = is_sealed;
}

/* The counter of an id that this stream gave; 0 for ids of other streams. */
static uint64_t own_counter(const struct stream *s, uint64_t id)
{
	return id_stream(id) == s->number ? id_counter(id) : 0;
}

/*
 * The largest counter that the stream has given, as far as its records were read, and the largest that the next one may
 * be.
 */
struct counter {
	uint64_t last;
	uint64_t limit;
};

/* Takes a counter that a record gives. False: it is larger than it can be, and is not taken. */
static bool counter_take(struct counter *c, uint64_t value, uint64_t n_records)
{
	if (value > c->limit)
		return false;
	if (value > c->last) {
		c->last = value;
		c->limit = value + n_records;
	}
	return true;
}

static bool is_absurd(const struct segment_header *h)
{
	return h->n_tasks > RECORD_VALUE_MAX || h->n_regions > RECORD_VALUE_MAX;
}

/*
 * Takes the counters of the ids that one record gives. False: one of them is larger than it can be. A counter may be
 * larger by n than the one before: n is the number of records, each of which may have given one id.
 */
static bool count_record(const struct stream *s, const struct record *record, struct counter *tasks, struct counter *regions,
			 uint64_t n)
{
	bool is_sane = true;
	switch (record_kind(record)) {
	case EVENT_recording_off:
	case EVENT_recording_on:
	case EVENT_records_lost: tasks->limit = regions->limit = RECORD_VALUE_MAX; return true;
	case EVENT_task_create: return counter_take(tasks, record_value(record), n);
	case EVENT_parallel_begin: return counter_take(regions, record_value(record), n);
	case EVENT_implicit_task_begin:
		is_sane = counter_take(tasks, record_value(record), n);
		/* The region around a root thread's initial task, which no parallel_begin announces. */
		is_sane &= counter_take(regions, own_counter(s, record->a), n);
		return is_sane;
	default: return true;
	}
}

/*
 * Determines the largest counters of the stream's ids: from the last segment's header, and from the records after it,
 * each of which gives one id. Larger counters are possible only where the recorder gave ids and wrote no records
 * (recording was off, or records were lost). Anything else is damage, and must not determine the size of tables. If the
 * last header cannot be right, the one before it is used, and so on.
 */
static void count_ids(struct reader *r, struct stream *s)
{
	size_t first = s->n_segments - 1;
	uint64_t n = s->segments[first].n_records, n_absurd = 0;
	for (; is_absurd(s->segments[first].header) && first > 0; n_absurd++)
		n += s->segments[--first].n_records;
	const struct segment_header *h = s->segments[first].header;
	n_absurd += is_absurd(h);
	struct counter tasks = {h->n_tasks, h->n_tasks + n}, regions = {h->n_regions, h->n_regions + n};
	if (is_absurd(h))
		tasks = regions = (struct counter){0, n};
	for (size_t i = first; i < s->n_segments; i++) {
		const struct record *records = reader_records(r, &s->segments[i]);
		for (uint32_t k = 0; k < s->segments[i].n_records; k++)
			n_absurd += !count_record(s, &records[k], &tasks, &regions, n);
	}
	if (n_absurd > 0)
		reader_damage(r, "counter_absurd",
			      "%s: stream %u, up to segment %llu: found %llu ids that are too large for where they are, "
			      "expected about %llu tasks and %llu regions",
			      r->dump->path, s->number, (unsigned long long)s->segments[s->n_segments - 1].header->sequence,
			      (unsigned long long)n_absurd, (unsigned long long)tasks.last, (unsigned long long)regions.last);
	s->max_task = tasks.last;
	s->max_region = regions.last;
}

/* Sums up the records_lost records of the segments from `first` on. */
static void count_lost_records(struct reader *r, const struct stream *s, size_t first, uint64_t lost[LOSS_CAUSES])
{
	for (size_t i = first; i < s->n_segments; i++) {
		const struct record *records = reader_records(r, &s->segments[i]);
		for (uint32_t k = 0; k < s->segments[i].n_records; k++) {
			const struct record *record = &records[k];
			if (record_kind(record) != EVENT_records_lost)
				continue;
			add_into(&lost[record_flags(record) < LOSS_CAUSES ? record_flags(record) : 0], record->a);
		}
	}
}

/* Determines what the stream has lost, by cause. */
static void count_lost(struct reader *r, struct stream *s)
{
	const struct ring_facts *ring = reader_ring_facts(r, s->number);
	const struct meta_stream *row = meta_stream(&r->dump->meta, s->number);
	uint64_t total = s->segments[s->n_segments - 1].header->n_lost;
	if (row != NULL)
		max_into(&total, row->n_lost);
	uint64_t lost[LOSS_CAUSES] = {0};
	s->has_ring = ring != NULL;
	/* All records are read only if something was lost and no ring has the causes. */
	if (ring != NULL)
		memcpy(lost, ring->lost, sizeof lost);
	else
		count_lost_records(r, s, total > 0 ? 0 : s->n_segments - 1, lost);
	for (unsigned i = 0; i < LOSS_CAUSES; i++)
		max_into(&s->lost[i], lost[i]);
	uint64_t known = sum(s->lost);
	if (total > known)
		s->lost[0] += total - known;
	s->stalled_ns = row == NULL ? 0 : row->stalled_ns;
}

/* Reports damage if the stream's end is missing: its ring, or its last segments. */
static void check_end(struct reader *r, struct stream *s)
{
	const struct meta_stream *row = meta_stream(&r->dump->meta, s->number);
	uint64_t last = s->segments[s->n_segments - 1].header->sequence;
	if (!s->is_sealed && !s->has_ring)
		reader_damage(
			r, "ring_missing",
			"%s: stream %u was not sealed: expected its ring %s/%05u.ring, found none; its newest records are missing",
			r->dump->path, s->number, *r->dump->meta.ring_dir == '\0' ? r->dump->path : r->dump->meta.ring_dir,
			s->number);
	if (row == NULL || row->n_segments <= last)
		return;
	add_into(&s->n_missing_segments, row->n_segments - last);
	reader_damage(r, "segments_missing", "%s: stream %u: found segment %llu as the last one, expected %llu", r->dump->path,
		      s->number, (unsigned long long)last, (unsigned long long)row->n_segments);
}

static int compare_streams(const void *left, const void *right)
{
	return compare_u64(((const struct stream *)left)->number, ((const struct stream *)right)->number);
}

/* Reports the streams that meta lists and of which no segment was found. */
static void check_absent(struct reader *r)
{
	struct dump *dump = r->dump;
	for (size_t i = 0; i < dump->meta.n_streams; i++) {
		const struct meta_stream *row = &dump->meta.streams[i];
		struct stream key = {.number = row->number};
		if (row->n_segments > 0 &&
		    (dump->n_streams == 0 || bsearch(&key, dump->streams, dump->n_streams, sizeof key, compare_streams) == NULL))
			reader_damage(r, "stream_missing", "%s: found nothing of stream %u, expected %llu segments", dump->path,
				      row->number, (unsigned long long)row->n_segments);
	}
}

/* Sums up what the whole process has lost, by cause. */
static void total_lost(struct dump *dump)
{
	const struct meta *meta = &dump->meta;
	uint64_t of_streams = 0;
	for (size_t i = 0; i < dump->n_streams; i++) {
		const struct stream *s = &dump->streams[i];
		for (unsigned cause = 1; cause < LOSS_CAUSES; cause++)
			add_into(&dump->lost[cause], s->lost[cause]);
		add_into(&of_streams, sum(s->lost));
	}
	for (unsigned cause = 1; cause < LOSS_CAUSES; cause++)
		max_into(&dump->lost[cause], meta->lost[cause]);
	/* These losses belong to no stream, and are not in the counts above. */
	add_into(&dump->lost[loss_cause_no_stream], meta->lost_no_stream);
	add_into(&dump->lost[loss_cause_reentry], meta->lost_reentry);
	/*
	 * A stream may know how many records it lost without knowing why; meta may know why without knowing in which
	 * stream.
	 */
	uint64_t known = sum(dump->lost);
	dump->lost[0] = of_streams > known ? of_streams - known : 0;
	max_into(&dump->lost[0], meta->lost[0]);
	dump->n_lost = sum(dump->lost);
}

/* Separates the streams of samples and the one of switches, which have the highest numbers, from those of events. */
static void part_samples(struct dump *dump)
{
	size_t n = dump->n_streams;
	if (n > 0 && dump->streams[n - 1].number == ID_STREAM_SWITCHES) {
		n--;
		dump->n_streams--;
		dump->switches = &dump->streams[n];
	}
	while (dump->n_streams > 0 && dump->streams[dump->n_streams - 1].number >= ID_STREAM_SAMPLES)
		dump->n_streams--;
	dump->samples = dump->streams + dump->n_streams;
	dump->n_samples = n - dump->n_streams;
	for (size_t i = 0; i < dump->n_streams; i++)
		dump->n_records += dump->streams[i].n_records;
}

void reader_make_streams(struct reader *r)
{
	struct dump *dump = r->dump;
	sort_array(r->copies, r->n_copies, compare_copies);
	drop_damaged(r);
	for (size_t i = 0; i < r->n_copies; i++)
		if (i == 0 || r->copies[i].header.stream != r->copies[i - 1].header.stream)
			dump->n_streams++;
	size_t n_wanted = dump->n_streams;
	dump->n_streams = 0;
	dump->streams = memory_zeroed(n_wanted + 1, sizeof *dump->streams, "the streams");
	for (size_t i = 0, n; i < r->n_copies; i += n) {
		for (n = 1; i + n < r->n_copies && r->copies[i + n].header.stream == r->copies[i].header.stream;)
			n++;
		struct stream *s = &dump->streams[dump->n_streams++];
		make_stream(r, s, &r->copies[i], n);
		reader_drop_cut_groups(r, s);
		count_ids(r, s);
		count_lost(r, s);
		check_end(r, s);
		for (size_t k = 0; k < s->n_segments; k++)
			s->n_records += s->segments[k].n_records;
	}
	check_absent(r);
	part_samples(dump);
	total_lost(dump);
}
