/* SPDX-License-Identifier: BSD-3-Clause
 *
 * states.csv, written from the sums after the last process is replayed, and state_intervals.csv, written during the
 * replay. docs/tables.md describes the columns. Called by run.c; one thread.
 */
#include "builder/states/files.h"
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

struct intervals {
	struct csv csv;
	char *dir;
	const struct trace *trace;
	struct csv_word names[STATES];
};

static int begin(void *self, const struct trace *trace)
{
	struct intervals *intervals = self;
	intervals->trace = trace;
	return 0;
}

static int pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct intervals *intervals = self;
	struct csv *csv = &intervals->csv;
	const struct dump *dump = &intervals->trace->dump;
	(void)to;
	if (from == STATE_NONE || state_is_nothing(from, since_ticks, ticks))
		return 0;
	csv_number(csv, intervals->trace->process);
	csv_number(csv, dump->streams[stream].number);
	csv_ready_word(csv, &intervals->names[from]);
	csv_number(csv, dump_ns(dump, since_ticks));
	csv_number(csv, dump_ns(dump, ticks));
	csv_end_row(csv);
	return 0;
}

static int close_intervals(void *self)
{
	struct intervals *intervals = self;
	int rc = csv_close(&intervals->csv);
	free(intervals->dir);
	free(intervals);
	return rc;
}

int sink_intervals_open(struct sink *sink, const char *dir)
{
	struct intervals *intervals = memory_zeroed(1, sizeof *intervals, "state_intervals.csv");
	intervals->dir = text_copy(dir);
	if (csv_open(&intervals->csv, intervals->dir, "state_intervals.csv", "process,stream,state,begin_ns,end_ns") != 0) {
		free(intervals->dir);
		free(intervals);
		return -1;
	}
	for (unsigned i = 0; i < STATES; i++)
		intervals->names[i] = csv_make_word(state_name(i));
	*sink = (struct sink){"state intervals", NULL, pass_state, begin, NULL, close_intervals, intervals};
	return 0;
}
