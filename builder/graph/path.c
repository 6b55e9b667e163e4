/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path: what a node adds to it, how much of it is known, and queries of exports. chain.c finds the path itself.
 * Runs on one thread; the queries of exports only read, on several.
 */
#include "builder/graph/path.h"
#include "builder/graph/shared.h"

#include <stdlib.h>
#include <string.h>

#define WHAT "the critical path"

uint64_t path_node_ns(const struct dump *dump, const struct node_view *node)
{
	return graph_node_work_ns(dump, node) + dump_duration_ns(dump, node->blocked_ticks);
}

uint32_t path_place(const struct graph *graph, uint32_t node)
{
	return graph->path != NULL && graph->path->places != NULL ? graph->path->places[node] : 0;
}

bool path_has_edge(const struct graph *graph, uint32_t source, uint32_t target)
{
	uint32_t place = path_place(graph, source);
	return place != 0 && path_place(graph, target) == place + 1;
}

static const struct {
	const char *name, *text;
} reasons[PATH_REASONS] = {
	{"running", "the program is still running"},
	{"records_missing", "records are missing"},
	{"repaired", "events are missing"},
	{"paused", "recording was paused"},
	{"taskgroup_waits", "waiting at the end of taskgroups was not recorded"},
	{"events_left_out", "OTTER_EVENTS left out events that it takes"},
	{"contradictory_records", "records contradict each other"},
	{"outside_of_units", "what threads did before they came to Argobots, and between two of its lives, is not known"},
	{"units_muted", "what ABT_finalize ran was not reported"},
	{"unit_polls", "whether units worked or waited between two polls, or until they joined, is not known"},
	{"undeferred_or_wait",
	 "without the program's file, whether undeferred tasks have the dependences of the waits before them is not known"},
	{"undeferred_tasks", "which tasks the program made undeferred is not known"},
	{"unknown_fulfillers", "events were fulfilled by threads that were in no task"},
	{"root_threads", "how the program orders the threads that it made itself is not recorded"},
	{"openmp_in_units", "how OpenMP's tasks and Argobots' units are ordered is not recorded"},
	{"mutual_exclusion", "the span leaves out mutual exclusion"},
	{"sink_waits", "when iterations of doacross loops began to wait is not reported"},
	{"sinks_without_source", "which iterations others of doacross loops waited for is not recorded"},
	{"other_runtime", "another runtime in the process was not recorded"},
};

const char *path_reason_text(unsigned bit)
{
	return reasons[bit].text;
}

const char *path_reason_name(unsigned bit)
{
	return reasons[bit].name;
}

/* ---- How much is known ---- */

/* Is it a group of events that make no nodes, no edges and no times of nodes? */
static bool is_spared(const char *word, size_t length)
{
	static const char *const spared[] = {"thread", "reduction", "work",  "dispatch",         "masked", "lock_init",
					     "flush",  "cancel",    "error", "sync_region_wait", "switch"};
	for (size_t i = 0; i < sizeof spared / sizeof *spared; i++)
		if (strlen(spared[i]) == length && strncmp(word, spared[i], length) == 0)
			return true;
	return false;
}

/* `setting` is OTTER_EVENTS as the recorder noted it: does it leave out events that the path is made of? */
static bool lacks_events(const char *setting)
{
	for (const char *word = setting; *word != '\0';) {
		size_t length = strcspn(word, ",");
		if (*word == '-' && length > 1 && !is_spared(word + 1, length - 1))
			return true;
		word += length + (word[length] == ',');
	}
	return false;
}

/*
 * Is it a repair because records are missing? Then what is there is right, and further records could only make the path
 * longer. All other repairs are because records contradict each other.
 */
static bool is_of_missing(const char *repair)
{
	static const char *const names[] = {"missing_segments",
					    "lost_records",
					    "scope_open_at_gap",
					    "scope_open_at_end",
					    "thread_left_scope_open",
					    "scope_without_end",
					    "task_without_end",
					    "implicit_task_without_end",
					    "region_without_end",
					    "scope_end_without_begin",
					    "implicit_task_end_without_begin",
					    "region_end_without_begin",
					    "cut_dependence_list",
					    "cut_group",
					    "kernel_without_submit",
					    "device_record_invalid",
					    "device_record_without_time",
					    "device_end_before_begin",
					    "device_clock_unknown",
					    "device_without_buffer",
					    "dependence_not_in_list",
					    "dependences_left_out",
					    "transparent_task",
					    "dependences_not_checked"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], repair) == 0)
			return true;
	return false;
}

/*
 * Does the program have threads of its own that use OpenMP? Each has an initial task, and that one was made, or waited for, by
 * another one is not recorded. Neither is the order of an initial task and of the units that run on its thread.
 */
static unsigned find_root_reasons(const struct model *m)
{
	unsigned n_roots = 0;
	for (uint32_t row = 1; row < m->n_tasks && n_roots < 2; row++) {
		const struct task *task = &m->tasks[row];
		bool is_root = task->flags & task_flags_initial && m->regions[task->region].state & REGION_INITIAL;
		n_roots += is_root && (task->state & (TASK_SEEN | TASK_HELPER)) == TASK_SEEN;
	}
	return (n_roots > 1 ? PATH_ROOTS : 0u) | (n_roots > 0 && m->n_units > 1 ? PATH_OPENMP_IN_UNITS : 0u);
}

static unsigned find_reasons(const struct graph *graph)
{
	const struct model *m = graph->model;
	const struct dump *dump = m->dump;
	unsigned found = dump->is_snapshot ? PATH_RUNNING : 0;
	if (!dump->is_complete || tally_total(&dump->damage) != 0)
		found |= PATH_RECORDS_MISSING;
	for (unsigned i = 0; i < m->notes->repairs.n_rows; i++)
		found |= is_of_missing(m->notes->repairs.rows[i].name) ? PATH_REPAIRED : PATH_CONTRADICTORY;
	for (unsigned i = 0; i < graph->repairs.n_rows; i++)
		found |= is_of_missing(graph->repairs.rows[i].name) ? PATH_REPAIRED : PATH_CONTRADICTORY;
	found |= model_was_paused(m) ? PATH_PAUSED : 0;
	found |= m->n_unknown_waits != 0 ? PATH_WAITS : 0;
	found |= graph->has_unknown_waits ? PATH_GROUP_WAITS : 0;
	found |= m->tasking != NULL ? m->tasking->graph->path_reasons(m) : 0;
	found |= find_root_reasons(m);
	found |= graph->order.has_unknown_orders ? PATH_UNDEFERRED : 0;
	found |= doacross_reasons(graph);
	found |= graph->order.has_unknown_fulfills ? PATH_FULFILLERS : 0;
	found |= lacks_events(meta_setting(&dump->meta, "events")) ? PATH_EVENTS : 0;
	return found;
}

/* ---- The path ---- */

void graph_find_path(struct graph *graph)
{
	if (graph->level != GRAPH_FRAGMENT)
		return;
	struct path *path = graph->path = memory_zeroed(1, sizeof *path, WHAT);
	path->reasons = find_reasons(graph);
	if (path->reasons & (PATH_EVENTS | PATH_CONTRADICTORY))
		return;
	path->bound = path->reasons != 0 ? PATH_LOWER : PATH_EXACT;
	if (!chain_find_longest(graph, path))
		*path = (struct path){.reasons = path->reasons};
}

void graph_free_path(struct graph *graph)
{
	if (graph->path == NULL)
		return;
	free(graph->path->nodes);
	free(graph->path->places);
	free(graph->path);
	graph->path = NULL;
}
