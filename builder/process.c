/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the processes of a run, one after the other: each is gathered and replayed for the outputs that follow, handed to
 * those that add it to what they have, and given back where nothing asks for it later. What is gathered, kept and visited
 * is what the selected outputs need (outputs.h). Called by run.c, once.
 */
#include "builder/answer/scene.h"
#include "builder/gather/gather.h"
#include "builder/bounds.h"
#include "builder/model/symbols.h"

#include <omp.h>

#define SMALL_RECORDS (64 << 10) /* one thread builds these sooner than several are woken up */
#define FEW_NODES     5000       /* below, several threads are no gain for the answer */

/* The fragment graph that the answer is made of: the one that is built anyway, or one of its own. */
static struct graph *answer_graph(struct job *job, size_t i)
{
	bool is_whole = job->options->family.task == 0; /* nothing is cut out of it */
	bool has_one = job->needs & NEEDS_GRAPH && job->options->level == GRAPH_FRAGMENT && is_whole;
	return has_one ? &job->graphs[i] : &job->answer_graph;
}

/* The graph's times are those of the states. */
static void give_times(struct graph *graph, const struct states *states)
{
	graph->busy = &states->busy;
	graph->unit_busy = &states->units;
	graph->blocked = states->model->switches.are_recorded ? &states->blocked : NULL;
}

/* What outputs hear of it that are not pictures. */
static const struct answer *shown_answer(const struct job *job)
{
	static const struct answer nothing;
	return job->needs & NEEDS_ANSWER ? &job->answer : &nothing;
}

static int replay_process(struct job *job, size_t i)
{
	struct trace *trace = &job->traces[i];
	struct state_listener listeners[2 + MAX_SINKS];
	struct visitor visitors[8 + MAX_SINKS];
	size_t n_visitors = 0, n_listeners = 0;
	if (job->needs & NEEDS_STATES) /* the first of all, as listeners want it */
		visitors[n_visitors++] = (struct visitor){&states_ops, &job->states[i]};
	if (job->needs & NEEDS_FIGURES ||
	    (job->needs & NEEDS_SUMMARY && job->options->level == GRAPH_FRAGMENT)) /* beside the critical path */
		visitors[n_visitors++] = (struct visitor){&exclusion_ops, &job->states[i]};
	if (job->needs & NEEDS_TASK_TIMES) {
		visitors[n_visitors++] = (struct visitor){&times_ops, &job->times};
		listeners[n_listeners++] = (struct state_listener){times_pass_state, &job->times};
		times_begin(&job->times, &trace->model, &job->states[i]);
	}
	if (job->needs & NEEDS_SPAWN)
		visitors[n_visitors++] = (struct visitor){&spawn_ops, &job->tree};
	if (job->needs & (NEEDS_GRAPH | NEEDS_GRAPH_COUNTS))
		visitors[n_visitors++] = (struct visitor){&graph_ops, &job->graphs[i]};
	if (job->needs & NEEDS_FIGURES) {
		if (answer_graph(job, i) != &job->graphs[i])
			visitors[n_visitors++] = (struct visitor){&graph_ops, answer_graph(job, i)};
		visitors[n_visitors++] = (struct visitor){&track_ops, &job->answer.track};
		lint_track_begin(&job->lint_track, &trace->model);
		visitors[n_visitors++] = (struct visitor){&lint_ops, &job->lint_track};
		listeners[n_listeners++] = (struct state_listener){track_pass_state, &job->answer.track};
		if (track_begin(&job->answer.track, &trace->model, &job->states[i], job->output.temporary) != 0)
			return -1;
	}
	for (size_t j = 0; j < job->n_sinks; j++) {
		const struct sink *sink = &job->sinks[j];
		if (sink->begin != NULL && sink->begin(sink->self, trace) != 0)
			return -1;
		if (sink->ops != NULL)
			visitors[n_visitors++] = (struct visitor){sink->ops, sink->self};
		if (sink->pass_state != NULL)
			listeners[n_listeners++] = (struct state_listener){sink->pass_state, sink->self};
	}
	if (job->needs & NEEDS_STATES) {
		states_begin(&job->states[i], &trace->model, listeners, n_listeners);
		give_times(&job->graphs[i], &job->states[i]);
		bool has_path = job->needs & NEEDS_FIGURES || (job->needs & NEEDS_GRAPH && job->options->level == GRAPH_FRAGMENT);
		if (job->needs & NEEDS_SPAWN &&
		    spawn_begin(&job->tree, &trace->model, &job->states[i], has_path ? job->output.temporary : NULL) != 0)
			return -1;
		if (job->needs & NEEDS_FIGURES)
			give_times(answer_graph(job, i), &job->states[i]);
	}
	int rc = replay_run(&trace->model, visitors, n_visitors, &job->progress);
	if (job->needs & NEEDS_STATES)
		states_finish(&job->states[i]);
	if (job->needs & NEEDS_TASK_TIMES) {
		times_finish(&job->times);
		job->graphs[i].times = &job->times.times;
	}
	return rc;
}

/* Is the critical path of the answer's graph found beside the answer's beginning, which only reads nodes and edges? */
static bool finds_path_later(struct job *job, size_t i)
{
	return job->needs & NEEDS_FIGURES && !job->traces[i].model.window.is_part;
}

/* What comes after the replay of a graph that somebody asked for. 0, or -1. */
static int finish_graph(struct job *job, size_t i, struct graph *graph)
{
	bool is_for_answer = graph == answer_graph(job, i);
	return is_for_answer && finds_path_later(job, i) ? graph_finish_nodes(graph) : graph_finish(graph);
}

/*
 * The paths of creation, which take their part of the critical path from the answer's graph, where there is one. That path is
 * found here if it was left for later.
 */
static int finish_tree(struct job *job, size_t i)
{
	if (finds_path_later(job, i))
		graph_finish_path(answer_graph(job, i));
	const struct graph *graph = job->needs & NEEDS_GRAPH ? &job->graphs[i] : NULL;
	return spawn_finish(&job->tree, job->needs & NEEDS_FIGURES ? answer_graph(job, i) : graph);
}

/* One thread of a team, to which it gives tasks: what the time was spent for takes as long as all that is beside it. */
static int make_answer(struct job *job, size_t i)
{
	struct answer *answer = &job->answer;
	uint32_t fold_nodes = job->options->fold_nodes;
	bool is_shown = job->needs & NEEDS_ANSWER;
	int rc = 0, tree_rc = 0;
#pragma omp task shared(tree_rc) if (omp_get_num_threads() > 1) /* one thread: before the net takes memory beside it */
	tree_rc = finish_tree(job, i);
	answer_begin(answer, answer_graph(job, i), &job->states[i], &job->tree);
	if (is_shown) {
#pragma omp task depend(out : job->findings)
		lint_begin(&job->findings, &answer->net);
	}
	answer_order(answer);
#pragma omp task shared(rc)
	rc = answer_account(answer);
	if (is_shown) {
#pragma omp task depend(inout : job->findings)
		lint_make(&job->findings, &answer->net, &job->lint_track);
		what_if_begin(&job->what_if, answer);
	}
	answer_set_scene(answer, fold_nodes);
	if (is_shown)
		what_if_make(&job->what_if, answer, job->needs & NEEDS_WHAT_IF, fold_nodes);
#pragma omp taskwait
	if (rc != 0 || tree_rc != 0)
		return -1;
	answer_finish(answer);
	if (is_shown) {
		lint_finish(&job->findings, answer);
		what_if_finish(&job->what_if, answer);
	}
	return 0;
}

/* What limits the process, and what would be if; and its paths of creation. */
static int answer_process(struct job *job, size_t i)
{
	int rc = 0;
#pragma omp parallel if (graph_n_ids(answer_graph(job, i)) > FEW_NODES)
#pragma omp single
	rc = make_answer(job, i);
	lint_track_free(&job->lint_track);
	return rc;
}

/* What one process adds to files. */
static int append(struct job *job, size_t i, const struct built *built)
{
	struct graphs graphs = {&job->traces[i], &job->graphs[i], 1};
	struct built one = *built;
	one.traces = &job->traces[i];
	one.n_traces = 1;
	one.graphs = &graphs;
	one.states = &job->states[i];
	one.answer = shown_answer(job);
	one.what_if = &job->what_if;
	one.findings = &job->findings;
	for (unsigned row = 0; row < n_output_rows; row++)
		if (output_is_selected(job->outputs, row) && output_rows[row].append != NULL && output_rows[row].append(&one) != 0)
			return -1;
	return 0;
}

/* A process that follows the others through the outputs leaves no more than its meta, its counts and its repairs. */
static void give_back(struct job *job, size_t i)
{
	struct trace *trace = &job->traces[i];
	tally_add_all(&job->repairs, &trace->model.notes->repairs);
	tally_add_all(&job->repairs, &job->graphs[i].repairs);
	graph_free(&job->graphs[i]);
	states_free(&job->states[i]);
	model_free(&trace->model);
	job->graphs[i] = (struct graph){0};
	job->states[i] = (struct states){0};
	trace->model = (struct model){0};
	if (!(job->needs & NEEDS_RECORDS) || can_take_up(&trace->dump))
		dump_put_down(&trace->dump);
}

struct unit_search {
	const struct work_unit *unit;
	uint32_t node;
};

static int find_unit(void *self, const struct node_view *view)
{
	struct unit_search *search = self;
	if (view->unit == search->unit && view->id == view->unit_node)
		search->node = view->id;
	return search->node != 0;
}

/* The family in the graph that the answer is made of: units have other numbers at each level, tasks the same. */
static struct family family_of_answer(struct job *job, size_t i)
{
	struct family family = job->options->family;
	const struct graph *graph = &job->graphs[i];
	if (family.task >= graph->model->n_tasks && family.task < graph_n_ids(graph)) {
		struct unit_search search = {graph_node(graph, (uint32_t)family.task).unit, 0};
		if (search.unit != NULL)
			graph_each_node(answer_graph(job, i), find_unit, &search);
		family.task = search.node != 0 ? search.node : family.task;
	}
	return family;
}

/* One process: gathered, then replayed into its thread states, its graph and the sinks. */
static int build_process(struct job *job, size_t i, const struct built *built)
{
	struct trace *trace = &job->traces[i];
	bool has_graph = job->needs & (NEEDS_GRAPH | NEEDS_GRAPH_COUNTS);
	if (dump_take_up(&trace->dump) != 0 || model_gather(&trace->model, &trace->dump, job->needs & NEEDS_LOCK_ORDERS) != 0)
		return -1;
	if (parts_set_window(trace, &job->options->times) != 0)
		return -1;
	uint64_t lasted_ns = dump_ns(&trace->dump, trace->model.last_ticks);
	job->n_outside += window_is_empty(&trace->model.window);
	job->longest_ns = lasted_ns > job->longest_ns ? lasted_ns : job->longest_ns;
	bool is_kept = job->needs & NEEDS_GRAPH || trace->model.window.is_part || job->options->family.task != 0;
	enum graph_keep keep = is_kept ? GRAPH_KEPT : GRAPH_COUNTED;
	if (has_graph)
		graph_begin(&job->graphs[i], &trace->model, job->options->level, keep);
	job->graphs[i].family = job->options->family;
	if (job->needs & NEEDS_FIGURES && answer_graph(job, i) != &job->graphs[i]) {
		graph_begin(answer_graph(job, i), &trace->model, GRAPH_FRAGMENT, GRAPH_KEPT);
		answer_graph(job, i)->slot = 1;
	}
	if (job->needs & NEEDS_SYMBOLS) /* paths of creation know constructs by their lines */
		symbols_resolve(job->symbols, &trace->model);
	if (replay_process(job, i) != 0 || (has_graph && finish_graph(job, i, &job->graphs[i]) != 0))
		return -1;
	bool has_another = job->needs & NEEDS_FIGURES && answer_graph(job, i) != &job->graphs[i];
	if (has_another && finish_graph(job, i, answer_graph(job, i)) != 0)
		return -1;
	job->graphs[i].before = job->numbers;
	answer_graph(job, i)->before = job->numbers;
	if (has_graph)
		job->numbers = graph_numbers_after(&job->graphs[i]);
	bool has_some = trace->model.n_units != 0 || job->graphs[i].mutexes.n_rows != 0;
	if (!(job->needs & NEEDS_SYMBOLS) && job->needs & NEEDS_SOME_SYMBOLS && has_some)
		symbols_resolve(job->symbols, &trace->model);
	if (job->needs & NEEDS_VARIABLES)
		graph_name_variables(&job->graphs[i], job->symbols);
	if (job->needs & NEEDS_GRAPH)
		bounds_set_by_nodes(job, i);
	bool has_answer = job->needs & NEEDS_FIGURES; /* which needs, and finishes, the paths of creation */
	if (has_answer && answer_process(job, i) != 0)
		return -1;
	if (job->needs & NEEDS_SPAWN) {
		if (!has_answer && finish_tree(job, i) != 0)
			return -1;
		spawn_collect(&job->spawn, trace, &job->tree);
		struct family family = job->options->family;
		if (family.task != 0 && job->needs & NEEDS_GROUPS)
			family = family_of_answer(job, i);
		if (job->needs & NEEDS_GROUPS &&
		    spawn_collect_graph(&job->spawn, trace, &job->tree, answer_graph(job, i), &family) != 0)
			return -1;
	}
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].end != NULL && job->sinks[j].end(job->sinks[j].self, trace) != 0)
			return -1;
	if (job->needs & NEEDS_SUMMARY)
		summary_collect(&job->summary, trace, &job->graphs[i], &job->states[i], shown_answer(job), &job->what_if,
				&job->findings);
	if (job->needs & NEEDS_CANONICAL)
		canonical_collect(&job->canonical, trace, &job->graphs[i], job->n_open > 1);
	if (append(job, i, built) != 0)
		return -1;
	what_if_free(&job->what_if);
	lint_free(&job->findings);
	answer_free(&job->answer);
	spawn_free(&job->tree);
	graph_free(&job->answer_graph);
	times_free(&job->times);
	job->graphs[i].times = NULL;
	if (job->is_passing)
		give_back(job, i);
	return 0;
}

static int open_sinks(struct job *job, const struct built *built)
{
	for (unsigned i = 0; i < n_output_rows; i++) {
		if (!output_is_selected(job->outputs, i) || output_rows[i].follow == NULL)
			continue;
		struct sink *sink = &job->sinks[job->n_sinks];
		if (output_rows[i].follow(sink, built) != 0)
			return -1;
		job->n_sinks += sink->close != NULL;
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
