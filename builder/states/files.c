/* SPDX-License-Identifier: BSD-3-Clause
 *
 * states.csv, written from the sums after a process is replayed, and state_intervals.csv, written during the
 * replay: the rows of each stream on its thread, and then those of all in the order of streams. docs/tables.md describes
 * the columns. Called by run.c on one thread, and by the replay on the thread of each stream.
 */
#include "builder/states/files.h"
#include "builder/support/array.h"
#include "builder/support/aside.h"
#include "builder/support/csv.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static void put_stream(struct csv *csv, const struct trace *trace, size_t stream, const struct state_times *times)
{
	uint64_t ns[STATES];
	state_times_ns(&trace->dump, times, ns);
	for (unsigned i = 0; i < STATES; i++) {
		if (times->count[i] == 0)
			continue;
		csv_number(csv, trace->process);
		csv_number(csv, trace->dump.streams[stream].number);
		csv_word(csv, state_name(i));
		csv_number(csv, times->count[i]);
		csv_number(csv, ns[i]);
		csv_end_row(csv);
	}
}

int states_csv(const struct trace *traces, const struct states *states, size_t n, const struct csv_place *place)
{
	struct csv csv;
	if (csv_open(&csv, place, "states.csv", "process,stream,state,count,total_ns") != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < states[i].n_streams; j++)
			put_stream(&csv, &traces[i], j, &states[i].times[j]);
	return csv_close(&csv);
}

/* What a stream has to add to state_intervals.csv. Rows for which there is no room any more wait in a file. */
struct part {
	struct csv rows;
	struct extent {
		off_t place;
		size_t n_bytes;
	} * extents;
	size_t n_extents, capacity;
	char apart[64]; /* so that no two streams share a cache line */
};

#define PART_BYTES (1 << 18)

struct intervals {
	struct csv csv;
	struct aside aside;
	const struct trace *trace;
	struct part *parts; /* by row of dump.streams */
	struct csv_word names[STATES];
};

static int begin(void *self, const struct trace *trace)
{
	struct intervals *intervals = self;
	intervals->trace = trace;
	intervals->parts = memory_zeroed(trace->dump.n_streams, sizeof *intervals->parts, "state_intervals.csv");
	return 0;
}

/* The part is full: its rows go to the file. */
static int put_aside(struct intervals *intervals, struct part *part)
{
	struct buffer *text = &part->rows.text;
	off_t place = aside_put(&intervals->aside, text->bytes, text->n);
	array_reserve((void **)&part->extents, part->n_extents + 1, &part->capacity, sizeof *part->extents);
	part->extents[part->n_extents++] = (struct extent){place, text->n};
	text->n = 0;
	return place < 0 ? -1 : 0;
}

static int pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct intervals *intervals = self;
	struct part *part = &intervals->parts[stream];
	struct csv *rows = &part->rows;
	const struct dump *dump = &intervals->trace->dump;
	const struct window *window = &intervals->trace->model.window;
	(void)to;
	if (from == STATE_NONE || state_is_nothing(from, since_ticks, ticks) || !window_meets(window, since_ticks, ticks))
		return 0;
	if (rows->text.capacity == 0)
		csv_more(rows, 0);
	csv_number(rows, intervals->trace->process);
	csv_number(rows, dump->streams[stream].number);
	csv_ready_word(rows, &intervals->names[from]);
	csv_number(rows, dump_ns(dump, window_clip(window, since_ticks)));
	csv_number(rows, dump_ns(dump, window_clip(window, ticks)));
	csv_end_row(rows);
	return rows->text.n < PART_BYTES ? 0 : put_aside(intervals, part);
}

/* Adds what was put aside. */
static int take_back(struct intervals *intervals, const struct extent *extent)
{
	struct csv rows = {NULL, NULL, NULL, {NULL, 0, 0}};
	csv_more(&rows, extent->n_bytes);
	rows.text.n = extent->n_bytes;
	int rc = aside_get(&intervals->aside, extent->place, rows.text.bytes, extent->n_bytes);
	if (rc == 0)
		csv_add(&intervals->csv, &rows);
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

/* The rows of all streams, in their order. */
static int end(void *self, const struct trace *trace)
{
	struct intervals *intervals = self;
	int rc = 0;
	for (size_t i = 0; i < trace->dump.n_streams; i++) {
		struct part *part = &intervals->parts[i];
		for (size_t j = 0; j < part->n_extents && rc == 0; j++)
			rc = take_back(intervals, &part->extents[j]);
		if (part->rows.text.n > 0)
			csv_add(&intervals->csv, &part->rows);
	}
	free_parts(intervals);
	return rc == 0 ? aside_empty(&intervals->aside) : rc;
}

static void free_intervals(struct intervals *intervals)
{
	free_parts(intervals);
	aside_close(&intervals->aside);
	free(intervals);
}

static int close_intervals(void *self)
{
	struct intervals *intervals = self;
	int rc = csv_close(&intervals->csv);
	free_intervals(intervals);
	return rc;
}

int sink_intervals_open(struct sink *sink, const struct csv_place *place)
{
	struct intervals *intervals = memory_zeroed(1, sizeof *intervals, "state_intervals.csv");
	if (aside_open(&intervals->aside, place->dir, "state_intervals.csv") != 0 ||
	    csv_open(&intervals->csv, place, "state_intervals.csv", "process,stream,state,begin_ns,end_ns") != 0) {
		free_intervals(intervals);
		return -1;
	}
	for (unsigned i = 0; i < STATES; i++)
		intervals->names[i] = csv_make_word(state_name(i));
	*sink = (struct sink){"state intervals", NULL, pass_state, begin, end, close_intervals, intervals};
	return 0;
}
