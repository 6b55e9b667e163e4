/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parallelism.csv: how many threads worked, waited and so on, and how many tasks were ready, over time. docs/tables.md
 * describes the columns. A user of the windows (windows.h): each window is a row, and is filled by the thread that sweeps
 * it. Otherwise called by run.c on one thread.
 */
#include "builder/states/files.h"
#include "builder/states/windows.h"
#include "builder/tables/row.h"
#include "builder/support/memory.h"

#include <stdlib.h>

struct bin {
	uint64_t ticks[STATES]; /* of all threads together */
	uint64_t ready_ticks, untaken_ticks;
	uint32_t most_working;
	int64_t most_ready;
};

struct parallelism {
	struct row_writer to;
	const struct trace *traces;
	const struct states *states; /* one a trace */
	struct bin *bins;            /* of the current process */
};

static void begin(void *self, const struct windows *windows)
{
	struct parallelism *p = self;
	p->bins = memory_zeroed(windows->n + 1, sizeof *p->bins, "parallelism.csv");
}

static void add_interval(void *self, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct parallelism *p = self;
	(void)stream;
	p->bins[window].ticks[state] += end_ticks - begin_ticks;
}

static void add_moment(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct parallelism *p = self;
	struct bin *bin = &p->bins[window];
	uint64_t ticks = end_ticks - begin_ticks, n_ready = moment->n_ready > 0 ? (uint64_t)moment->n_ready : 0;
	bin->ready_ticks += n_ready * ticks;
	bin->untaken_ticks += (n_ready < moment->n_free ? n_ready : moment->n_free) * ticks;
	bin->most_working = moment->n_working > bin->most_working ? moment->n_working : bin->most_working;
	bin->most_ready = moment->n_ready > bin->most_ready ? moment->n_ready : bin->most_ready;
}

/* A bin's share of a state's ns, rounded so that the sum over all bins is the number in the summary. */
static uint64_t share_ns(uint64_t total_ns, uint64_t ticks, uint64_t total_ticks)
{
	return total_ticks == 0 ? 0 : (uint64_t)((unsigned __int128)total_ns * ticks / total_ticks);
}

static void end(void *self, const struct windows *windows)
{
	struct parallelism *p = self;
	const struct dump *dump = &windows->trace->dump;
	const struct states *states = &p->states[windows->trace - p->traces];
	uint64_t ticks[STATES] = {0}, total_ticks[STATES] = {0}, total_ns[STATES] = {0};
	for (size_t i = 0; i < states->n_streams; i++) {
		uint64_t ns[STATES];
		state_times_ns(dump, &states->times[i], ns);
		for (unsigned j = 0; j < STATES; j++) {
			total_ticks[j] += states->times[i].ticks[j];
			total_ns[j] += ns[j];
		}
	}
	for (size_t i = 0; i < windows->n; i++) {
		const struct bin *bin = &p->bins[i];
		row_put_u64(&p->to, windows->trace->process);
		row_put_u64(&p->to, dump_ns(dump, windows->bounds[i]));
		row_put_u64(&p->to, dump_ns(dump, windows->bounds[i + 1]));
		for (unsigned j = 0; j < STATES; j++) { /* the columns are in the order of their numbers */
			uint64_t before_ns = share_ns(total_ns[j], ticks[j], total_ticks[j]);
			ticks[j] += bin->ticks[j];
			row_put_u64(&p->to, share_ns(total_ns[j], ticks[j], total_ticks[j]) - before_ns);
		}
		row_put_u64(&p->to, dump_duration_ns(dump, bin->ready_ticks));
		row_put_u64(&p->to, dump_duration_ns(dump, bin->untaken_ticks));
		row_put_u64(&p->to, bin->most_working);
		row_put_u64(&p->to, (uint64_t)bin->most_ready);
		row_end(&p->to);
	}
	free(p->bins);
	p->bins = NULL;
}

static int close_parallelism(void *self)
{
	struct parallelism *p = self;
	int rc = row_writer_close(&p->to);
	free(p->bins);
	free(p);
	return rc;
}

int sink_parallelism_open(struct sink *sink, const struct table_place *place, size_t n_bins, const struct trace *traces,
			  const struct states *states)
{
	struct parallelism *p = memory_zeroed(1, sizeof *p, "parallelism.csv");
	p->traces = traces;
	p->states = states;
	if (row_writer_open(&p->to, place, TABLE_parallelism) != 0) {
		free(p);
		return -1;
	}
	const struct window_user user = {begin, add_interval, add_moment, end, close_parallelism, false, p};
	return sink_windows_open(sink, place->dir, n_bins, &user, 1);
}
