/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the processes of a run, one after the other: walks the table of stages (stages.def) upwards around the replay,
 * hands what they made to the outputs that follow the replay or append to files, and walks the table downwards to free it.
 */
#include "builder/run/job.h"
#include "builder/run/stages.h"

#include <omp.h>

#define SMALL_RECORDS (64 << 10) /* one thread builds these sooner than several are woken up */

/* The outputs that follow the replay visit it after the stages. */
static int begin_sinks(struct job *job)
{
	struct slots *now = &job->now;
	for (size_t j = 0; j < job->n_sinks; j++) {
		const struct sink *sink = &job->sinks[j];
		if (sink->begin != NULL && sink->begin(sink->self, now->trace) != 0)
			return -1;
		if (sink->ops != NULL)
			now->visitors[now->n_visitors++] = (struct visitor){sink->ops, sink->self};
		if (sink->pass_state != NULL)
			now->listeners[now->n_listeners++] = (struct state_listener){sink->pass_state, sink->self};
	}
	return 0;
}

static int replay(struct job *job)
{
	struct slots *now = &job->now;
	if (job->needs & NEEDS_STATES)
		now->states->n_listeners = now->n_listeners;
	return replay_run(&now->trace->model, now->visitors, now->n_visitors, &job->progress);
}

static int end_sinks(struct job *job)
{
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].end != NULL && job->sinks[j].end(job->sinks[j].self, job->now.trace) != 0)
			return -1;
	return 0;
}

/* What the process adds to files. */
static int append(struct job *job, const struct built *built)
{
	struct graphs graphs = {job->now.trace, job->now.graph, 1};
	struct built one = *built;
	one.traces = job->now.trace;
	one.n_traces = 1;
	one.graphs = &graphs;
	one.states = job->now.states;
	one.answer = shown_answer(job);
	one.what_if = &job->now.what_if;
	one.findings = &job->now.findings;
	for (unsigned row = 0; row < n_output_rows; row++)
		if (output_is_selected(job->outputs, row) && output_rows[row].append != NULL && output_rows[row].append(&one) != 0)
			return -1;
	return 0;
}

/* Only the meta, the counts and the repairs of the process are kept. */
static void keep_repairs(struct job *job)
{
	tally_add_all(&job->repairs, &job->now.trace->model.notes->repairs);
	tally_add_all(&job->repairs, &job->now.graph->repairs); /* none where no graph was built */
}

static int make_process(struct job *job, size_t i, const struct built *built)
{
	if (stages_make(stages, N_STAGES, job->needs, job) != 0 || begin_sinks(job) != 0 || replay(job) != 0 ||
	    stages_finish(stages, N_STAGES, job->needs, job) != 0 || end_sinks(job) != 0)
		return -1;
	if (job->needs & NEEDS_GRAPH)
		bounds_set_by_nodes(job, i);
	if (append(job, built) != 0)
		return -1;
	keep_repairs(job);
	return 0;
}

static int build_process(struct job *job, size_t i, const struct built *built)
{
	job->now = (struct slots){.trace = &job->traces[i], .graph = &job->graphs[i], .states = &job->states[i]};
	int rc = make_process(job, i, built);
	stages_free(stages, N_STAGES, job->needs, job);
	return rc;
}

static int open_sinks(struct job *job, const struct built *built)
{
	for (unsigned i = 0; i < n_output_rows; i++) {
		if (!output_is_selected(job->outputs, i) || output_rows[i].follow == NULL)
			continue;
		struct sink *sinks = &job->sinks[job->n_sinks];
		if (output_rows[i].follow(sinks, built) != 0)
			return -1;
		for (unsigned j = 0; j < SINKS_OF_OUTPUT && sinks[j].close != NULL; j++)
			job->n_sinks++;
	}
	return 0;
}

int build_processes(struct job *job, const struct built *built)
{
	uint64_t n_records = 0;
	for (size_t i = 0; i < job->n_open; i++)
		n_records += job->traces[i].dump.n_records;
	output_hold();
	int rc = open_sinks(job, built);
	output_release();
	if (rc == 0)
		progress_start(&job->progress, n_records, !job->options->is_quiet);
	int n_threads = omp_get_max_threads();
	for (size_t i = 0; i < job->n_open && rc == 0; i++) {
		bool is_small = job->n_open > 1 && job->traces[i].dump.n_records < SMALL_RECORDS;
		omp_set_num_threads(is_small ? 1 : n_threads);
		rc = build_process(job, i, built);
	}
	omp_set_num_threads(n_threads);
	progress_end(&job->progress);
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].close(job->sinks[j].self) != 0)
			rc = -1;
	return rc;
}
