/* SPDX-License-Identifier: BSD-3-Clause
 *
 * states.csv, written from the sums after a process is replayed, and state_intervals.csv, written during the replay: each
 * stream makes its rows on its thread, and then all rows are written in the order of streams. docs/tables.md describes
 * the columns. Called by run.c on one thread, and by the replay on the thread of each stream.
 */
#include "builder/states/files.h"
#include "builder/support/array.h"
#include "builder/support/spill_file.h"
#include "builder/tables/row.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static void put_stream(struct row_writer *to, const struct trace *trace, size_t stream, const struct state_times *times)
{
	uint64_t ns[STATES];
	state_times_ns(&trace->dump, times, ns);
	for (unsigned i = 0; i < STATES; i++) {
		if (times->count[i] == 0)
			continue;
		row_put_u64(to, trace->process);
		row_put_u64(to, trace->dump.streams[stream].number);
		row_put_word(to, state_name(i));
		row_put_u64(to, times->count[i]);
		row_put_u64(to, ns[i]);
		row_end(to);
	}
}

int states_csv(const struct trace *traces, const struct states *states, size_t n, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_states) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < states[i].n_streams; j++)
			put_stream(&to, &traces[i], j, &states[i].times[j]);
	return row_writer_close(&to);
}

/* A stream's rows of state_intervals.csv. Rows for which there is no room in memory are kept in the spill file. */
struct intervals_part {
	struct row_writer rows;
	struct extent {
		off_t place;
		size_t n_bytes;
	} * extents;
	size_t n_extents, capacity;
	char apart[64]; /* so that no two streams share a cache line */
};

#define PART_BYTES (1 << 18)

struct intervals {
	struct row_writer to;
	struct spill spill;
	const struct trace *trace;
	struct intervals_part *parts; /* by row of dump.streams */
	struct row_word names[STATES];
};

static int begin(void *self, const struct trace *trace)
{
	struct intervals *intervals = self;
	intervals->trace = trace;
	intervals->parts = memory_zeroed(trace->dump.n_streams, sizeof *intervals->parts, "state_intervals.csv");
	return 0;
}

/* The part is full: writes its rows to the spill file. */
static int put_spill(struct intervals *intervals, struct intervals_part *part)
{
	struct buffer *text = &part->rows.text;
	off_t place = spill_put(&intervals->spill, text->bytes, text->n);
	array_push(part->extents, part->n_extents, part->capacity, (struct extent){place, text->n});
	text->n = 0;
	return place < 0 ? -1 : 0;
}

static int pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct intervals *intervals = self;
	struct intervals_part *part = &intervals->parts[stream];
	struct row_writer *rows = &part->rows;
	const struct dump *dump = &intervals->trace->dump;
	const struct window *window = &intervals->trace->model.window;
	(void)to;
	if (from == STATE_NONE || state_is_nothing(from, since_ticks, ticks) || !window_meets(window, since_ticks, ticks))
		return 0;
	if (rows->text.capacity == 0)
		*rows = row_writer_apart(&intervals->to);
	row_put_u64(rows, intervals->trace->process);
	row_put_u64(rows, dump->streams[stream].number);
	row_put_ready_word(rows, &intervals->names[from]);
	row_put_u64(rows, dump_ns(dump, window_clip(window, since_ticks)));
	row_put_u64(rows, dump_ns(dump, window_clip(window, ticks)));
	row_end(rows);
	return rows->text.n < PART_BYTES ? 0 : put_spill(intervals, part);
}

/* Adds the rows from this extent of the spill file. */
static int take_back(struct intervals *intervals, const struct extent *extent)
{
	struct row_writer rows = row_writer_apart(&intervals->to);
	buffer_room(&rows.text, extent->n_bytes);
	rows.text.n = extent->n_bytes;
	int rc = spill_get(&intervals->spill, extent->place, rows.text.bytes, extent->n_bytes);
	if (rc == 0)
		row_writer_append(&intervals->to, &rows);
	buffer_free(&rows.text);
	return rc;
}

static void free_parts(struct intervals *intervals)
{
	for (size_t i = 0; intervals->parts != NULL && i < intervals->trace->dump.n_streams; i++) {
		buffer_free(&intervals->parts[i].rows.text);
		free(intervals->parts[i].extents);
	}
	free(intervals->parts);
	intervals->parts = NULL;
}

/* Writes the rows of all streams, in their order. */
static int end(void *self, const struct trace *trace)
{
	struct intervals *intervals = self;
	int rc = 0;
	for (size_t i = 0; i < trace->dump.n_streams; i++) {
		struct intervals_part *part = &intervals->parts[i];
		for (size_t j = 0; j < part->n_extents && rc == 0; j++)
			rc = take_back(intervals, &part->extents[j]);
		if (part->rows.text.n > 0)
			row_writer_append(&intervals->to, &part->rows);
	}
	free_parts(intervals);
	return rc == 0 ? spill_empty(&intervals->spill) : rc;
}

static void free_intervals(struct intervals *intervals)
{
	free_parts(intervals);
	spill_close(&intervals->spill);
	free(intervals);
}

static int close_intervals(void *self)
{
	struct intervals *intervals = self;
	int rc = row_writer_close(&intervals->to);
	free_intervals(intervals);
	return rc;
}

int sink_intervals_open(struct sink *sink, const struct table_place *place)
{
	struct intervals *intervals = memory_zeroed(1, sizeof *intervals, "state_intervals.csv");
	if (spill_open(&intervals->spill, place->dir, "state_intervals.csv") != 0 ||
	    row_writer_open(&intervals->to, place, TABLE_state_intervals) != 0) {
		free_intervals(intervals);
		return -1;
	}
	for (unsigned i = 0; i < STATES; i++)
		intervals->names[i] = row_word_make(state_name(i));
	*sink = (struct sink){"state intervals", NULL, pass_state, begin, end, close_intervals, intervals};
	return 0;
}
