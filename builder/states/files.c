/* SPDX-License-Identifier: BSD-3-Clause
 *
 * states.csv, from the sums, and state_intervals.csv, written while the replay goes.
 */
#include "builder/states/files.h"
#include "builder/support/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int states_csv(const struct trace *traces, const struct states *states, size_t n, const char *dir)
{
	FILE *out = file_open(dir, "states.csv");
	if (out == NULL)
		return -1;
	fputs("process,stream,state,count,total_ns\n", out);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < states[i].n_streams; j++) {
			uint64_t ns[STATES];
			state_times_ns(&traces[i].dump, &states[i].times[j], ns);
			for (unsigned k = 0; k < STATES; k++)
				if (states[i].times[j].count[k] != 0)
					fprintf(out, "%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 "\n", traces[i].process,
						traces[i].dump.streams[j].number, state_name(k), states[i].times[j].count[k],
						ns[k]);
		}
	return file_close(out, dir, "states.csv");
}

struct intervals {
	FILE *out;
	char *dir;
	const struct trace *trace;
	const char *names[STATES];
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
	const struct dump *dump = &intervals->trace->dump;
	(void)to;
	if (from == STATE_NONE || state_is_nothing(from, since_ticks, ticks))
		return 0;
	fprintf(intervals->out, "%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 "\n", intervals->trace->process,
		dump->streams[stream].number, intervals->names[from], dump_ns(dump, since_ticks), dump_ns(dump, ticks));
	return 0; /* an error of the file is noticed when it is closed */
}

static int close_intervals(void *self)
{
	struct intervals *intervals = self;
	int rc = file_close(intervals->out, intervals->dir, "state_intervals.csv");
	free(intervals->dir);
	free(intervals);
	return rc;
}

int sink_intervals_open(struct sink *sink, const char *dir)
{
	struct intervals *intervals = calloc(1, sizeof *intervals);
	char *copy = strdup(dir);
	FILE *out = file_open(dir, "state_intervals.csv");
	if (intervals == NULL || copy == NULL || out == NULL) {
		if (out != NULL)
			fclose(out);
		free(copy);
		free(intervals);
		return out == NULL ? -1 : error("%s: out of memory", dir);
	}
	fputs("process,stream,state,begin_ns,end_ns\n", out);
	*intervals = (struct intervals){.out = out, .dir = copy};
	for (unsigned i = 0; i < STATES; i++)
		intervals->names[i] = state_name(i);
	*sink = (struct sink){"state intervals", NULL, pass_state, begin, NULL, close_intervals, intervals};
	return 0;
}
