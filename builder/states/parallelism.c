/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parallelism.csv: how many threads worked, waited and so on, and how many tasks were ready, over time. docs/tables.md
 * describes the columns. A user of the windows (windows.h): each window is a row, and is filled by the thread that sweeps
 * it. Otherwise called by run.c on one thread.
 */
#include "builder/states/files.h"
#include "builder/states/windows.h"
#include "builder/support/csv.h"
#include "builder/support/memory.h"

#include <stdlib.h>

struct bin {
	uint64_t ticks[STATES]; /* of all threads together */
	uint64_t ready_ticks, untaken_ticks;
	uint32_t most_working;
	int64_t most_ready;
};

struct parallelism {
	struct csv csv;
	const struct trace *traces;
	const struct states *states; /* one a trace */
	struct bin *bins;            /* of the process in turn */
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

/* A share of a state's ns, so that the sum over all bins is what the summary says. */
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
		csv_number(&p->csv, windows->trace->process);
		csv_number(&p->csv, dump_ns(dump, windows->bounds[i]));
		csv_number(&p->csv, dump_ns(dump, windows->bounds[i + 1]));
		for (unsigned j = 0; j < STATES; j++) {
			uint64_t before_ns = share_ns(total_ns[j], ticks[j], total_ticks[j]);
			ticks[j] += bin->ticks[j];
			csv_number(&p->csv, share_ns(total_ns[j], ticks[j], total_ticks[j]) - before_ns);
		}
		csv_number(&p->csv, dump_duration_ns(dump, bin->ready_ticks));
		csv_number(&p->csv, dump_duration_ns(dump, bin->untaken_ticks));
		csv_number(&p->csv, bin->most_working);
		csv_number(&p->csv, (uint64_t)bin->most_ready);
		csv_end_row(&p->csv);
	}
	free(p->bins);
	p->bins = NULL;
}

static int close_parallelism(void *self)
{
	struct parallelism *p = self;
	int rc = csv_close(&p->csv);
	free(p->bins);
	free(p);
	return rc;
}

/* The states in the order of their numbers. */
#define COLUMNS                                                                                                                    \
	"process,begin_ns,end_ns,"                                                                                                 \
	"work_serial_ns,work_parallel_ns,work_reduction_ns,wait_barrier_ns,"                                                       \
	"wait_barrier_implicit_parallel_ns,wait_barrier_implicit_workshare_ns,"                                                    \
	"wait_barrier_implicit_ns,wait_barrier_explicit_ns,wait_barrier_implementation_ns,"                                        \
	"wait_barrier_teams_ns,wait_taskwait_ns,wait_taskgroup_ns,wait_mutex_ns,wait_lock_ns,"                                     \
	"wait_critical_ns,wait_atomic_ns,wait_ordered_ns,wait_target_ns,wait_target_map_ns,"                                       \
	"wait_target_update_ns,idle_ns,overhead_ns,undefined_ns,preempted_ns,blocked_ns,"                                          \
	"ready_ns,untaken_ns,most_working,most_ready"

int sink_parallelism_open(struct sink *sink, const struct csv_place *place, size_t n_bins, const struct trace *traces,
			  const struct states *states)
{
	struct parallelism *p = memory_zeroed(1, sizeof *p, "parallelism.csv");
	p->traces = traces;
	p->states = states;
	if (csv_open(&p->csv, place, "parallelism.csv", COLUMNS) != 0) {
		free(p);
		return -1;
	}
	const struct window_user user = {begin, add_interval, add_moment, end, close_parallelism, false, p};
	return sink_windows_open(sink, place->dir, n_bins, &user, 1);
}
