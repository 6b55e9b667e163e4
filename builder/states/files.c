/* SPDX-License-Identifier: BSD-3-Clause
 *
 * states.csv, written from the sums after the last process is replayed, and state_intervals.csv, written during the
 * replay: the rows of each stream on its thread, and then those of all in the order of streams. docs/tables.md describes
 * the columns. Called by run.c on one thread, and by the replay on the thread of each stream.
 */
#include "builder/states/files.h"
#include "builder/support/array.h"
#include "builder/support/csv.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int states_csv(const struct trace *traces, const struct states *states, size_t n, const char *dir)
{
	struct csv csv;
	if (csv_open(&csv, dir, "states.csv", "process,stream,state,count,total_ns") != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < states[i].n_streams; j++)
			put_stream(&csv, &traces[i], j, &states[i].times[j]);
	return csv_close(&csv);
}

/* What a stream has to add to state_intervals.csv. Rows for which there is no room any more wait in a file for all. */
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
	char *dir;
	int file;             /* has no name */
	_Atomic off_t n_used; /* bytes of it. Relaxed: only places have to differ */
	const struct trace *trace;
	struct part *parts; /* by row of dump.streams */
	struct csv_word names[STATES];
};

static int failed(const struct intervals *intervals)
{
	return error("%s/state_intervals.csv: %s", intervals->dir, strerror(errno));
}

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
	const struct buffer *text = &part->rows.text;
	off_t place = atomic_fetch_add_explicit(&intervals->n_used, (off_t)text->n, memory_order_relaxed);
	for (size_t n = 0; n < text->n;) {
		ssize_t written = pwrite(intervals->file, text->bytes + n, text->n - n, place + (off_t)n);
		if (written <= 0)
			return failed(intervals);
		n += (size_t)written;
	}
	array_reserve((void **)&part->extents, part->n_extents + 1, &part->capacity, sizeof *part->extents);
	part->extents[part->n_extents++] = (struct extent){place, text->n};
	part->rows.text.n = 0;
	return 0;
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
	ssize_t n = 1;
	while (rows.text.n < extent->n_bytes && n > 0) {
		n = pread(intervals->file, rows.text.bytes + rows.text.n, extent->n_bytes - rows.text.n,
			  extent->place + (off_t)rows.text.n);
		rows.text.n += n > 0 ? (size_t)n : 0;
	}
	csv_add(&intervals->csv, &rows);
	buffer_free(&rows.text);
	return n > 0 ? 0 : failed(intervals);
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
	intervals->n_used = 0;
	return rc == 0 && ftruncate(intervals->file, 0) != 0 ? failed(intervals) : rc;
}

static void free_intervals(struct intervals *intervals)
{
	free_parts(intervals);
	if (intervals->file >= 0)
		close(intervals->file);
	free(intervals->dir);
	free(intervals);
}

static int close_intervals(void *self)
{
	struct intervals *intervals = self;
	int rc = csv_close(&intervals->csv);
	free_intervals(intervals);
	return rc;
}

/* A file without a name in the output directory, or -1. */
static int open_unnamed(const char *dir)
{
	char *path = text_format("%s/state_intervals.XXXXXX", dir);
	int file = mkostemp(path, O_CLOEXEC);
	if (file >= 0)
		unlink(path);
	free(path);
	return file;
}

int sink_intervals_open(struct sink *sink, const char *dir)
{
	struct intervals *intervals = memory_zeroed(1, sizeof *intervals, "state_intervals.csv");
	intervals->dir = text_copy(dir);
	intervals->file = open_unnamed(dir);
	if (intervals->file < 0)
		failed(intervals);
	if (intervals->file < 0 ||
	    csv_open(&intervals->csv, intervals->dir, "state_intervals.csv", "process,stream,state,begin_ns,end_ns") != 0) {
		free_intervals(intervals);
		return -1;
	}
	for (unsigned i = 0; i < STATES; i++)
		intervals->names[i] = csv_make_word(state_name(i));
	*sink = (struct sink){"state intervals", NULL, pass_state, begin, end, close_intervals, intervals};
	return 0;
}
