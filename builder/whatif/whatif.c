/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long the run would take on other numbers of threads, and how large the error of such a figure is: see whatif.h.
 */
#include "builder/whatif/whatif.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/whatif/speedups.h"
#include "builder/tables/row.h"

#include <math.h>
#include <stdlib.h>

#define WHAT "what would be if"

static void add_row(struct what_if *what_if, size_t *capacity, uint32_t n_threads, enum policy policy)
{
	array_push(what_if->rows, what_if->n_rows, *capacity, (struct what_if_row){.n_threads = n_threads, .policy = policy});
}

/* Lists the observed number of threads and twice that; or also every power of two, with each policy. */
static void list_rows(struct what_if *what_if, bool is_all)
{
	size_t capacity = 0;
	uint32_t n = what_if->n_threads;
	for (uint32_t n_threads = 1; n_threads <= WHAT_IF_THREADS || n_threads <= 2 * n; n_threads++) {
		bool is_power = is_all && (n_threads & (n_threads - 1)) == 0;
		if (n_threads != n && n_threads != 2 * n && !is_power)
			continue;
		for (enum policy policy = POLICY_RUN; policy < POLICIES; policy++)
			if (policy == POLICY_RUN || is_all)
				add_row(what_if, &capacity, n_threads, policy);
	}
}

static void simulate_rows(struct what_if *what_if, const struct simulated_workload *workload, const struct costs *costs)
{
	size_t n = what_if->n_rows;
	struct simulation_setup *setups = memory_get(n + 1, sizeof *setups, WHAT);
	uint64_t *ticks = memory_get(n + 1, sizeof *ticks, WHAT);
	for (size_t i = 0; i < n; i++)
		setups[i] = (struct simulation_setup){.n_threads = what_if->rows[i].n_threads,
						      .policy = what_if->rows[i].policy,
						      .start_ticks = costs->start_ticks};
	setups[n] = (struct simulation_setup){.work_ticks = costs->other_work_ticks, .start_ticks = costs->other_start_ticks};
	simulate_all(workload, setups, ticks, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct what_if_row *row = &what_if->rows[i];
		row->ticks = ticks[i];
		if (row->n_threads == what_if->n_threads && row->policy == POLICY_RUN)
			what_if->base_ticks = ticks[i];
		if (i > 0 && row->n_threads == row[-1].n_threads)
			row->span_ticks = row[-1].span_ticks;
		else
			free(workload_longest_paths(workload, &setups[i], &row->span_ticks));
	}
	what_if->error_ticks = ticks[n];
	free(setups);
	free(ticks);
}

/* How much longer the run took because threads, or the threads that they waited for, had no processor. */
static uint64_t preempted_ticks(const struct answer *answer)
{
	double ticks = 0;
	for (uint32_t i = 1; i < answer->causes.n; i++)
		ticks += answer->causes.rows[i].limit == LIMIT_PREEMPTION ? answer->causes.rows[i].ticks : 0;
	ticks /= answer->account.n_threads;
	return ticks < (double)answer->account.wall_ticks ? (uint64_t)ticks : answer->account.wall_ticks;
}

static uint32_t count_nodes(const struct net *net)
{
	uint32_t n = 0;
	for (uint32_t id = 1; id < net->n; id++)
		n += net_kind(net, id) != NODE_NONE;
	return n;
}

void what_if_begin(struct what_if *what_if, const struct answer *answer)
{
	*what_if = (struct what_if){0};
#pragma omp task depend(out : what_if->places)
	what_if->places = speedups_find_places(&answer->net, &answer->track);
}

void what_if_make(struct what_if *what_if, const struct answer *answer, bool is_all, uint32_t fold_nodes)
{
	struct scenario own = {0};
	const struct scenario *scenario = answer->scenario;
	if (scenario == NULL || scenario->workload.n_threads == 0)
		return;
	/* Uses the scenario of the answer, unless that is folded more than necessary. */
	if (is_all && fold_nodes == 0 && scenario->is_coarse &&
	    scenario_make(&own, &answer->net, &answer->prices, &answer->track, WHAT_IF_NODES, NULL)) {
		scenario_add_blocked(&own, answer->account.blocked, answer->account.n_blocked);
		scenario = &own;
	}
	struct costs costs;
	costs_find(&costs, scenario);
	what_if->n_threads = scenario->workload.n_threads;
	what_if->work_ticks = answer->prices.work_ticks;
	what_if->own_share = costs.own_share;
	what_if->n_acquisitions = scenario->n_acquisitions;
	what_if->n_held = scenario->n_held;
	what_if->n_nodes = count_nodes(&answer->net);
	for (uint32_t unit = 1; unit < scenario->workload.n; unit++)
		what_if->n_units += scenario->workload.nodes[unit].role != WORKLOAD_NOTHING;
	list_rows(what_if, is_all);
	simulate_rows(what_if, &scenario->workload, &costs);
#pragma omp taskwait depend(in : what_if->places)
	speedups_find(what_if, scenario, &costs, what_if->places);
	free(what_if->places);
	what_if->places = NULL;
	costs_free(&costs);
	scenario_free(&own);
}

/* No number of threads is faster than the bounds of the run; what is compared are times of the simulation. */
static void bound_rows(struct what_if *what_if, const struct answer *answer)
{
	uint64_t least = answer_least_ticks(answer);
	least = least < what_if->base_ticks ? least : what_if->base_ticks;
	for (size_t i = 0; i < what_if->n_rows; i++)
		if (what_if->rows[i].ticks < least)
			what_if->rows[i].ticks = least;
}

void what_if_finish(struct what_if *what_if, const struct answer *answer)
{
	if (!answer->is_made || what_if->n_threads == 0) {
		what_if_free(what_if);
		return;
	}
	what_if->is_made = true;
	what_if->wall_ticks = answer->account.wall_ticks;
	what_if->preempted_ticks = preempted_ticks(answer);
	bound_rows(what_if, answer);
}

void what_if_free(struct what_if *what_if)
{
	free(what_if->rows);
	free(what_if->places);
	*what_if = (struct what_if){0};
}

/* ---- whatif.csv and speedups.csv ---- */

int what_if_csv(const struct trace *trace, const struct what_if *what_if, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_whatif) != 0)
		return -1;
	for (size_t i = 0; i < what_if->n_rows; i++) {
		const struct what_if_row *row = &what_if->rows[i];
		row_put_u64(&to, trace->process);
		row_put_u64(&to, row->n_threads);
		row_put_word(&to, policy_name(row->policy));
		row_put_u64(&to, dump_duration_ns(&trace->dump, row->ticks));
		row_put_u64(&to, dump_duration_ns(&trace->dump, what_if->work_ticks / row->n_threads));
		row_put_u64(&to, dump_duration_ns(&trace->dump, row->span_ticks));
		row_end(&to);
	}
	return row_writer_close(&to);
}

int what_if_speedups_csv(const struct trace *trace, const struct what_if *what_if, uint64_t n_constructs_before,
			 const struct table_place *place)
{
	const struct dump *dump = &trace->dump;
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_speedups) != 0)
		return -1;
	for (unsigned i = 0; i < what_if->n_speedups; i++)
		for (unsigned k = 0; k < WHAT_IF_FACTORS; k++) {
			static const double factors[WHAT_IF_FACTORS] = {1.25, 1.5, 2, 4, INFINITY};
			const struct speedup *row = &what_if->speedups[i];
			const struct construct *c = &trace->model.constructs[row->construct];
			row_put_u64(&to, trace->process);
			row_put_u64(&to, n_constructs_before + row->construct);
			row_put_word(&to, construct_kind_name(c->kind));
			row_put_text(&to, c->label);
			row_put_text(&to, c->file);
			row_put_u64_if(&to, c->line != 0, c->line);
			row_put_text(&to, c->function);
			row_put_u64(&to, dump_duration_ns(dump, row->work_ticks));
			row_put_u64(&to, dump_duration_ns(dump, row->path_ticks));
			row_put_real(&to, factors[k]);
			row_put_u64(&to, dump_duration_ns(dump, row->ticks[k]));
			row_put_u64(&to, dump_duration_ns(dump, what_if->base_ticks));
			row_end(&to);
		}
	return row_writer_close(&to);
}
