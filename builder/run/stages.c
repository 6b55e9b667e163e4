/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the stages do (stages.def), and the walks over their table.
 */
#include "builder/run/stages.h"
#include "builder/gather/gather.h"
#include "builder/run/job.h"
#include "builder/symbols/symbols.h"

#include <omp.h>

#define FEW_NODES 5000 /* below, several threads are no gain for the answer */

/* ---- Records, model, replay ---- */

static int make_model(struct job *job)
{
	struct trace *trace = job->now.trace;
	struct model *model = &trace->model;
	if (dump_take_up(&trace->dump) != 0 || model_gather(model, &trace->dump, job->needs & NEEDS_LOCK_ORDERS) != 0 ||
	    parts_set_window(trace, &job->options->times) != 0)
		return -1;
	uint64_t lasted_ns = dump_ns(&trace->dump, model->last_ticks);
	job->n_outside += window_is_empty(&model->window);
	job->longest_ns = lasted_ns > job->longest_ns ? lasted_ns : job->longest_ns;
	return 0;
}

static void free_model(struct job *job)
{
	struct trace *trace = job->now.trace;
	if (trace->model.dump == NULL)
		return;
	model_free(&trace->model);
	trace->model = (struct model){0};
	if (!(job->needs & NEEDS_RECORDS) || can_take_up(&trace->dump))
		dump_put_down(&trace->dump);
}

static int make_symbols(struct job *job)
{
	symbols_resolve(job->symbols, &job->now.trace->model);
	return 0;
}

/* ---- Thread states, task times, creation tree ---- */

static void listen(struct slots *now, int (*pass)(void *, uint32_t, enum state, uint64_t, enum state, uint64_t), void *self)
{
	now->listeners[now->n_listeners++] = (struct state_listener){pass, self};
}

static int make_states(struct job *job)
{
	struct slots *now = &job->now;
	states_begin(now->states, &now->trace->model, now->listeners, 0); /* process.c counts the listeners when all are there */
	return 0;
}

static int finish_states(struct job *job)
{
	states_finish(job->now.states);
	return 0;
}

static void free_states(struct job *job)
{
	states_free(job->now.states);
	*job->now.states = (struct states){0};
}

static int make_task_times(struct job *job)
{
	struct slots *now = &job->now;
	times_begin(&now->times, &now->trace->model, now->states);
	listen(now, times_pass_state, &now->times);
	return 0;
}

static int finish_task_times(struct job *job)
{
	times_finish(&job->now.times);
	job->now.graph->times = &job->now.times.times;
	return 0;
}

static void free_task_times(struct job *job)
{
	times_free(&job->now.times);
	job->now.graph->times = NULL;
}

static int make_tree(struct job *job)
{
	struct slots *now = &job->now;
	bool has_path = job->needs & NEEDS_FIGURES || (job->needs & NEEDS_GRAPH && job->options->level == GRAPH_FRAGMENT);
	return callpath_begin(&now->tree, &now->trace->model, now->states, has_path ? job->output.temporary : NULL);
}

static void free_tree(struct job *job)
{
	callpath_free(&job->now.tree);
}

/* ---- Graphs ---- */

/* The graph's times are those of the states. */
static void give_times(struct graph *graph, const struct states *states)
{
	graph->busy = &states->busy;
	graph->unit_busy = &states->units;
	graph->blocked = states->model->switches.are_recorded ? &states->blocked : NULL;
}

static int make_graph(struct job *job)
{
	struct slots *now = &job->now;
	const struct model *model = &now->trace->model;
	const struct options *o = job->options;
	bool is_kept = job->needs & NEEDS_GRAPH || model->window.is_part || o->family.task != 0;
	graph_begin(now->graph, model, o->level, is_kept ? GRAPH_KEPT : GRAPH_COUNTED);
	now->graph->family = o->family;
	if (job->needs & NEEDS_STATES)
		give_times(now->graph, now->states);
	return 0;
}

/* Is the critical path of the answer's graph found beside the answer's beginning, which only reads nodes and edges? */
static bool finds_path_later(const struct job *job)
{
	return job->needs & NEEDS_FIGURES && !job->now.trace->model.window.is_part;
}

static int finish_nodes_and_path(struct job *job, struct graph *graph)
{
	return graph == job->now.fragments && finds_path_later(job) ? graph_finish_nodes(graph) : graph_finish(graph);
}

static int finish_graph(struct job *job)
{
	struct graph *graph = job->now.graph;
	if (finish_nodes_and_path(job, graph) != 0)
		return -1;
	graph->before = job->numbers;
	job->numbers = graph_numbers_after(graph);
	return 0;
}

static void free_graph(struct job *job)
{
	graph_free(job->now.graph);
	*job->now.graph = (struct graph){0};
}

/* The selected graph, if it is the whole graph of fragments; else one of its own. */
static int make_fragments(struct job *job)
{
	struct slots *now = &job->now;
	if (job->needs & NEEDS_GRAPH && job->options->level == GRAPH_FRAGMENT && job->options->family.task == 0) {
		now->fragments = now->graph;
		return 0;
	}
	now->fragments = &now->own_fragments;
	graph_begin(now->fragments, &now->trace->model, GRAPH_FRAGMENT, GRAPH_KEPT);
	now->fragments->slot = 1;
	give_times(now->fragments, now->states);
	return 0;
}

static struct graph *own_fragments(struct slots *now)
{
	return now->fragments == &now->own_fragments ? now->fragments : NULL;
}

static int finish_fragments(struct job *job)
{
	struct graph *own = own_fragments(&job->now);
	if (own != NULL && finish_nodes_and_path(job, own) != 0)
		return -1;
	if (own != NULL)
		own->before = job->now.graph->before;
	return 0;
}

static void free_fragments(struct job *job)
{
	graph_free(&job->now.own_fragments);
}

static int finish_some_symbols(struct job *job)
{
	const struct slots *now = &job->now;
	bool has_some = now->trace->model.n_units != 0 || now->graph->mutexes.n_rows != 0;
	return has_some && !(job->needs & NEEDS_SYMBOLS) ? make_symbols(job) : 0;
}

static int finish_variables(struct job *job)
{
	graph_name_variables(job->now.graph, job->symbols);
	return 0;
}

/* ---- Answer ---- */

static int make_figures(struct job *job)
{
	struct slots *now = &job->now;
	listen(now, track_pass_state, &now->answer.track);
	return track_begin(&now->answer.track, &now->trace->model, now->states, job->output.temporary);
}

/*
 * The paths of creation, which take their part of the critical path from the answer's graph, where there is one. That path is
 * found here if it was left for later.
 */
static int finish_tree(struct job *job)
{
	struct slots *now = &job->now;
	if (finds_path_later(job))
		graph_finish_path(now->fragments);
	const struct graph *graph = job->needs & NEEDS_GRAPH ? now->graph : NULL;
	return callpath_finish(&now->tree, job->needs & NEEDS_FIGURES ? now->fragments : graph);
}

/* Runs on one thread of a team, for which it creates tasks: the account of the time takes as long as all other parts. */
static int make_answer(struct job *job)
{
	struct slots *now = &job->now;
	struct answer *answer = &now->answer;
	uint32_t fold_nodes = job->options->fold_nodes;
	int rc = 0, tree_rc = 0;
#pragma omp task shared(tree_rc) if (omp_get_num_threads() > 1) /* one thread: before the net takes memory beside it */
	tree_rc = finish_tree(job);
	answer_begin(answer, now->fragments, now->states, &now->tree);
	if (job->needs & NEEDS_FINDINGS) {
#pragma omp task depend(out : now->findings)
		findings_begin(&now->findings, &answer->net);
	}
	answer_order(answer);
#pragma omp task shared(rc)
	rc = answer_account(answer);
	if (job->needs & NEEDS_FINDINGS) {
#pragma omp task depend(inout : now->findings)
		findings_make(&now->findings, &answer->net, &now->findings_track);
	}
	if (job->needs & NEEDS_WHAT_IF)
		what_if_begin(&now->what_if, answer);
	answer_set_scenario(answer, fold_nodes);
	if (job->needs & NEEDS_WHAT_IF)
		what_if_make(&now->what_if, answer, job->needs & NEEDS_CURVE, fold_nodes);
#pragma omp taskwait
	if (rc != 0 || tree_rc != 0)
		return -1;
	answer_finish(answer);
	if (job->needs & NEEDS_FINDINGS)
		findings_finish(&now->findings, answer);
	if (job->needs & NEEDS_WHAT_IF)
		what_if_finish(&now->what_if, answer);
	return 0;
}

/* What limits the process, its findings, the what-if estimates and its paths of creation: parts of one parallel region. */
static int finish_figures(struct job *job)
{
	int rc = 0;
	/*
	 * A task creates those that depend on each other: libgomp 12 loses the table of dependences of an implicit task where the
	 * next team takes that task's memory before its thread has freed the table.
	 */
#pragma omp parallel if (graph_n_ids(job->now.fragments) > FEW_NODES)
#pragma omp single
#pragma omp task shared(rc)
	rc = make_answer(job);
	findings_track_free(&job->now.findings_track);
	return rc;
}

static void free_figures(struct job *job)
{
	answer_free(&job->now.answer);
}

static int make_findings(struct job *job)
{
	findings_track_begin(&job->now.findings_track, &job->now.trace->model);
	return 0;
}

static void free_findings(struct job *job)
{
	findings_track_free(&job->now.findings_track);
	findings_free(&job->now.findings);
}

static void free_what_if(struct job *job)
{
	what_if_free(&job->now.what_if);
}

/* ---- What is collected from all processes ---- */

static int finish_callpaths(struct job *job)
{
	if (!(job->needs & NEEDS_FIGURES) && finish_tree(job) != 0) /* else the answer has finished it */
		return -1;
	callpath_collect(&job->callpaths, job->now.trace, &job->now.tree);
	return 0;
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
static struct family family_of_answer(const struct job *job)
{
	struct family family = job->options->family;
	const struct graph *graph = job->now.graph;
	if (family.task >= graph->model->n_tasks && family.task < graph_n_ids(graph)) {
		struct unit_search search = {graph_node(graph, (uint32_t)family.task).unit, 0};
		if (search.unit != NULL)
			graph_each_node(job->now.fragments, find_unit, &search);
		family.task = search.node != 0 ? search.node : family.task;
	}
	return family;
}

static int finish_groups(struct job *job)
{
	struct slots *now = &job->now;
	struct family family = job->options->family.task != 0 ? family_of_answer(job) : job->options->family;
	return callpath_collect_graph(&job->callpaths, now->trace, &now->tree, now->fragments, &family);
}

const struct answer *shown_answer(const struct job *job)
{
	static const struct answer nothing;
	return job->needs & NEEDS_ANSWER ? &job->now.answer : &nothing;
}

static int finish_summary(struct job *job)
{
	const struct slots *now = &job->now;
	summary_collect(&job->summary, now->trace, now->graph, now->states, shown_answer(job), &now->what_if, &now->findings);
	return 0;
}

static int finish_canonical(struct job *job)
{
	canonical_collect(&job->canonical, job->now.trace, job->now.graph, job->n_open > 1);
	return 0;
}

/* ---- The table, and the walks over it ---- */

#define NONE                      NULL
#define NO_VISITOR                ((struct visitor){NULL, NULL})
#define VISITOR(operations, self) ((struct visitor){&(operations), self})

#define STAGE(name, what, needs, make, visits, finish, free)                                                                       \
	_Static_assert((needs) < NEEDS_##name, "a stage needs only stages in rows above it");                                      \
	static struct visitor visitor_##name(struct slots *now)                                                                    \
	{                                                                                                                          \
		(void)now;                                                                                                         \
		return visits;                                                                                                     \
	}
#define PART(name, what, needs) _Static_assert((needs) < NEEDS_##name, "a stage needs only stages in rows above it");
#include "builder/run/stages.def"
#undef STAGE
#undef PART

const struct stage stages[N_STAGES] = {
#define STAGE(name, what, needs, make, visits, finish, free) {#name, needs, make, visitor_##name, finish, free},
#define PART(name, what, needs)                              {#name, needs, NULL, NULL, NULL, NULL},
#include "builder/run/stages.def"
};
_Static_assert(N_STAGES < 31, "a set of stages is an unsigned mask");

unsigned stages_needed(unsigned needs)
{
	for (unsigned i = N_STAGES; i-- > 0;)
		needs |= needs >> i & 1 ? stages[i].needs : 0;
	return needs;
}

int stages_make(const struct stage *rows, unsigned n, unsigned needs, struct job *job)
{
	for (unsigned i = 0; i < n; i++) {
		if (!(needs >> i & 1))
			continue;
		if (rows[i].make != NULL && rows[i].make(job) != 0)
			return -1;
		struct visitor visitor = rows[i].visitor != NULL ? rows[i].visitor(&job->now) : NO_VISITOR;
		if (visitor.self != NULL)
			job->now.visitors[job->now.n_visitors++] = visitor;
	}
	return 0;
}

int stages_finish(const struct stage *rows, unsigned n, unsigned needs, struct job *job)
{
	for (unsigned i = 0; i < n; i++)
		if (needs >> i & 1 && rows[i].finish != NULL && rows[i].finish(job) != 0)
			return -1;
	return 0;
}

void stages_free(const struct stage *rows, unsigned n, unsigned needs, struct job *job)
{
	for (unsigned i = n; i-- > 0;)
		if (needs >> i & 1 && rows[i].free != NULL)
			rows[i].free(job);
}
