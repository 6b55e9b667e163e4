/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the summary, whose parts have files of their own, and writes its two forms.
 */
#include "builder/summary/summary.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"
#include "builder/symbols/module.h"
#include "builder/symbols/symbols.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

/* ---- Binaries ---- */

struct json_t *summary_json_binaries(const struct symbols *symbols)
{
	json_t *array = NULL;
	const struct module *module;
	for (size_t i = 0; (module = symbols_module(symbols, i)) != NULL; i++) {
		const char *from = module->state != MODULE_IS_USABLE ? "nothing" : module->is_kept ? "dump" : "path";
		if (array == NULL)
			array = json_array();
		json_array_append_new(array, json_pack("{s:o, s:o, s:s}", "path", text_json(module->path), "build_id",
						       text_json(module->build_id), "from", from));
	}
	return array;
}

#define MANY_TASKS 20000 /* with more tasks, several threads are worth it */

static void collect_tasks(struct summary *s, const struct graph *graph, const struct busy *busy)
{
	const struct model *m = graph->model;
	uint64_t n_initial = 0, n_implicit = 0, n_target = 0, n_explicit = 0, busy_ns = 0;
#pragma omp parallel for reduction(+ : n_initial, n_implicit, n_target, n_explicit, busy_ns) if (m->n_tasks > MANY_TASKS)
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		if (!graph_task_is_node(graph, i))
			continue;
		unsigned flags = m->tasks[i].flags;
		n_initial += (flags & task_flags_initial) != 0;
		n_implicit += (flags & task_flags_implicit) != 0;
		n_target += (flags & task_flags_target) != 0;
		n_explicit += !(flags & (task_flags_initial | task_flags_implicit | task_flags_target | TASK_SPLIT));
		if (!(flags & task_flags_initial))
			busy_ns += dump_duration_ns(m->dump, busy->ticks[i]);
	}
	s->n_initial += n_initial;
	s->n_implicit += n_implicit;
	s->n_target += n_target;
	s->n_explicit += n_explicit;
	s->busy_ns += busy_ns;
}

static void collect_part(struct summary *s, const struct graph *graph)
{
	const struct model *m = graph->model;
	uint64_t from_ns = dump_ns(m->dump, window_clip(&m->window, m->first_ticks));
	uint64_t to_ns = dump_ns(m->dump, window_clip(&m->window, m->last_ticks));
	s->family = graph->family;
	s->n_outside += graph->n_outside;
	s->is_part = s->is_part || m->window.is_part;
	s->n_processes_outside += window_is_empty(&m->window);
	if (!m->window.is_part || window_is_empty(&m->window))
		return;
	s->from_ns = s->to_ns == 0 || from_ns < s->from_ns ? from_ns : s->from_ns;
	s->to_ns = to_ns > s->to_ns ? to_ns : s->to_ns;
	s->n_cut += graph->n_cut;
}

void summary_begin(struct summary *s, const struct trace *traces, size_t n_processes, const struct symbols *symbols)
{
	*s = (struct summary){.symbols = symbols, .traces = traces, .n_processes = n_processes, .is_complete = true};
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (paradigms[i]->summary != NULL)
			s->of_paradigm[i] = paradigms[i]->summary->begin();
}

void summary_collect(struct summary *s, const struct trace *trace, const struct graph *graph, const struct states *states,
		     const struct answer *answer, const struct what_if *what_if, const struct findings *findings)
{
	const struct dump *dump = &trace->dump;
	const struct model *m = graph->model;
	uint64_t ticks =
		m->window.is_part ? window_ticks(&m->window, m->first_ticks, m->last_ticks) : m->last_ticks - m->first_ticks;
	uint64_t wall_ns = dump_duration_ns(dump, ticks);
	s->level = graph->level;
	summary_collect_answer(&s->answer, trace, answer, what_if, findings);
	collect_part(s, graph);
	s->n_threads += m->n_threads;
	s->n_records += dump->n_records;
	s->n_lost += dump->n_lost;
	s->stalled_ns += dump->stalled_ns;
	s->wall_ns = wall_ns > s->wall_ns ? wall_ns : s->wall_ns;
	for (size_t i = 0; i < LOSS_CAUSES; i++)
		s->lost[i] += dump->lost[i];
	for (size_t i = 0; i < EVENT_KIND_LIMIT; i++)
		s->events[i] += m->n_events[i];
	collect_tasks(s, graph, &states->busy);
	summary_collect_stop(&s->stop, trace);
	samples_collect(&s->samples, trace);
	summary_collect_states(s, trace, states);
	uint64_t unseen_ns = states_unseen_ns(states);
	summary_collect_processors(&s->processors, m, states, unseen_ns);
	for (size_t i = 0; i < dump->n_streams; i++)
		s->n_helpers += m->has_helper_thread[i];
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (s->of_paradigm[i] != NULL)
			paradigms[i]->summary->collect(s->of_paradigm[i], m, states);
	summary_collect_mutexes(&s->mutexes, graph);
	summary_collect_path(&s->path, trace->process, graph, states);
	graph_count(graph, &s->graph);
	s->n_exclusive_sets += graph_n_exclusive(graph);
	tally_add_all(&s->quirks, &m->notes->quirks);
	tally_add_all(&s->repairs, &m->notes->repairs);
	tally_add_all(&s->repairs, &graph->repairs);
	tally_add_all(&s->damage, &dump->damage);
	/* What a runtime that was not recorded has done is missing. */
	bool has_others = summary_collect_runtimes(&s->runtimes, trace);
	s->lacks_runtime = s->lacks_runtime || (has_others && unseen_ns != 0);
	s->is_complete = s->is_complete && dump->is_complete;
	s->is_snapshot = s->is_snapshot || dump->is_snapshot;
}

void summary_finish(struct summary *s)
{
	s->stalled_ns += s->processors.stalled_ns;
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (s->of_paradigm[i] != NULL && paradigms[i]->summary->finish != NULL)
			paradigms[i]->summary->finish(s->of_paradigm[i]);
	summary_sort_mutexes(&s->mutexes);
	s->path.reasons |= s->lacks_runtime ? PATH_OTHER_RUNTIME : 0;
	summary_finish_path(&s->path);
}

void summary_free(struct summary *s)
{
	samples_summary_free(&s->samples);
	free(s->threads);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (s->of_paradigm[i] != NULL)
			paradigms[i]->summary->free(s->of_paradigm[i]);
	summary_free_runtimes(&s->runtimes);
	summary_free_mutexes(&s->mutexes);
	summary_free_answer(&s->answer);
	summary_free_path(&s->path);
}

/* ---- For people ---- */

static void print_counts(FILE *out, const char *title, const char *(*name)(unsigned), const uint64_t *counts, unsigned n)
{
	const char *separator = "";
	fprintf(out, "%-10s", title);
	for (unsigned i = 0; i < n; i++)
		if (counts[i] != 0) {
			fprintf(out, "%s%" PRIu64 " %s", separator, counts[i], name(i));
			separator = ", ";
		}
	fputs(separator[0] == '\0' ? "none\n" : "\n", out);
}

static void print_tally(FILE *out, const char *title, const struct tally *tally)
{
	if (tally->n_rows == 0)
		return;
	fprintf(out, "%-10s", title);
	for (unsigned i = 0; i < tally->n_rows; i++)
		fprintf(out, "%s%" PRIu64 " %s", i ? ", " : "", tally->rows[i].count, tally->rows[i].name);
	fputc('\n', out);
}

static const char *node_name(unsigned kind)
{
	return node_kind_name(kind);
}

static const char *edge_name(unsigned kind)
{
	return edge_kind_name(kind);
}

static const char *loss_name(unsigned cause)
{
	const char *name = event_enum_name("loss_cause", cause);
	return name != NULL ? name : "unknown";
}

static void print_part(const struct summary *s, FILE *out)
{
	if (s->family.task != 0) {
		fprintf(out, "%-10stask %" PRIu64 " and its descendants", "part", s->family.task);
		if (s->family.depth != UINT64_MAX)
			fprintf(out, " to depth %" PRIu64, s->family.depth);
		fputs(": tasks, nodes, edges and the path are theirs, all else is that of the process", out);
		if (s->is_part)
			fputs("\n", out);
		else
			fprintf(out, "; %" PRIu64 " nodes are outside\n", s->n_outside);
	}
	if (s->n_processes_outside != 0)
		fprintf(out, "%-10s%" PRIu64 " processes have no time in it\n", "part", s->n_processes_outside);
	if (s->is_part)
		fprintf(out,
			"%-10s%.9f s to %.9f s of the run's time: %" PRIu64 " nodes are outside, %" PRIu64
			" are cut; records, events, samples and devices are those of the whole run\n",
			"part", (double)s->from_ns / 1e9, (double)s->to_ns / 1e9, s->n_outside, s->n_cut);
}

void summary_print(const struct summary *s, FILE *out)
{
	const struct meta *meta = &s->traces[0].dump.meta;
	char *program = text_utf8(meta->program), *runtime = text_utf8(meta->runtime);
	fprintf(out, "%-10s%s", "program", program);
	if (s->n_processes > 1)
		fprintf(out, "  (%zu processes)", s->n_processes);
	if (s->n_left_out > 0)
		fprintf(out, "  (--process: %zu others of its run are left out)", s->n_left_out);
	fprintf(out, "\n%-10s%s\n", "runtime", runtime[0] != '\0' ? runtime : "unknown");
	free(program);
	free(runtime);
	summary_print_runtimes(s, "          ", out);
	print_part(s, out);
	fprintf(out, "%-10s%.6f s recorded, %.6f s in tasks and regions\n", "time", (double)s->wall_ns / 1e9,
		(double)s->busy_ns / 1e9);
	fprintf(out, "%-10s%" PRIu64 " in %" PRIu64 " threads", "records", s->n_records, s->n_threads);
	if (s->n_helpers != 0)
		fprintf(out, " (%" PRIu64 " of them the runtime's hidden helpers)", s->n_helpers);
	fprintf(out, "; lost %" PRIu64 "; stalled %.6f s\n", s->n_lost, (double)s->stalled_ns / 1e9);
	if (s->n_lost != 0)
		print_counts(out, "lost", loss_name, s->lost, LOSS_CAUSES);
	summary_print_stop(s, out);
	fprintf(out, "%-10s%" PRIu64 " explicit, %" PRIu64 " implicit, %" PRIu64 " initial, %" PRIu64 " target\n", "tasks",
		s->n_explicit, s->n_implicit, s->n_initial, s->n_target);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (s->of_paradigm[i] != NULL && paradigms[i]->summary->print_tasks != NULL)
			paradigms[i]->summary->print_tasks(s->of_paradigm[i], out);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (s->of_paradigm[i] != NULL && paradigms[i]->summary->print != NULL)
			paradigms[i]->summary->print(s->of_paradigm[i], out);
	print_counts(out, "nodes", node_name, s->graph.nodes, NODE_KINDS);
	print_counts(out, "edges", edge_name, s->graph.edges, EDGE_KINDS);
	if (s->n_exclusive_sets != 0)
		fprintf(out, "%-10s%" PRIu64 " sets of tasks\n", "exclusive", s->n_exclusive_sets);
	summary_print_mutexes(&s->mutexes, out);
	summary_print_path(&s->path, out);
	summary_print_states(s, out);
	summary_print_processors(s, out);
	samples_print(&s->samples, out);
	print_tally(out, "quirks", &s->quirks);
	print_tally(out, "repairs", &s->repairs);
	print_tally(out, "damage", &s->damage);
	fprintf(out, "%-10s%s\n", "state",
		s->is_snapshot     ? "snapshot: the program is still running"
		: !s->is_complete  ? "incomplete: the recorder did not come to its end, or records are missing"
		: s->lacks_runtime ? "incomplete: another runtime in the process was not recorded"
				   : "complete");
}

/* ---- For programs ---- */

static json_t *json_counts(const char *(*name)(unsigned), const uint64_t *counts, unsigned n)
{
	json_t *object = json_object();
	for (unsigned i = 0; i < n; i++)
		if (counts[i] != 0)
			json_object_set_new(object, name(i), json_integer((json_int_t)counts[i]));
	return object;
}

static json_t *json_tally(const struct tally *tally)
{
	json_t *object = json_object();
	for (unsigned i = 0; i < tally->n_rows; i++)
		json_object_set_new(object, tally->rows[i].name, json_integer((json_int_t)tally->rows[i].count));
	return object;
}

static json_t *json_part(const struct summary *s)
{
	json_t *part = json_pack("{s:I}", "nodes_outside", (json_int_t)s->n_outside);
	if (s->is_part)
		json_object_update_new(part, json_pack("{s:I,s:I,s:I,s:I}", "from_ns", (json_int_t)s->from_ns, "to_ns",
						       (json_int_t)s->to_ns, "nodes_cut", (json_int_t)s->n_cut, "processes_outside",
						       (json_int_t)s->n_processes_outside));
	if (s->family.task != 0)
		json_object_set_new(part, "task", json_integer((json_int_t)s->family.task));
	if (s->family.depth != UINT64_MAX)
		json_object_set_new(part, "depth", json_integer((json_int_t)s->family.depth));
	return part;
}

static json_t *json_summary(const struct summary *s)
{
	const struct dump *first = &s->traces[0].dump;
	json_t *lost = json_counts(loss_name, s->lost, LOSS_CAUSES);
	json_object_set_new(lost, "total", json_integer((json_int_t)s->n_lost));
	json_t *events = json_object();
	for (unsigned i = 0; i < n_event_infos; i++)
		json_object_set_new(events, event_infos[i].name, json_integer((json_int_t)s->events[event_infos[i].number]));
	static const char *const levels[] = {[GRAPH_SCOPE] = "scope", [GRAPH_TASK] = "task", [GRAPH_FRAGMENT] = "fragment"};
	json_t *root = json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:b, s:b, s:o, s:I, s:o, s:o, s:o, s:o, s:{s:I,s:I,s:I,s:I}}",
				 "program", text_json(first->meta.program),              //
				 "runtime", text_json(first->meta.runtime),              //
				 "processes", (json_int_t)s->n_processes,                //
				 "processes_left_out", (json_int_t)s->n_left_out,        //
				 "threads", (json_int_t)s->n_threads,                    //
				 "records", (json_int_t)s->n_records,                    //
				 "complete", (int)(s->is_complete && !s->lacks_runtime), //
				 "snapshot", (int)s->is_snapshot,                        //
				 "lost", lost,                                           //
				 "stalled_ns", (json_int_t)s->stalled_ns,                //
				 "quirks", json_tally(&s->quirks),                       //
				 "repairs", json_tally(&s->repairs),                     //
				 "damage", json_tally(&s->damage),                       //
				 "events", events,                                       //
				 "tasks", "initial", (json_int_t)s->n_initial, "implicit", (json_int_t)s->n_implicit, "explicit",
				 (json_int_t)s->n_explicit, "target", (json_int_t)s->n_target);
	for (size_t i = 0; i < N_PARADIGMS; i++)
		if (s->of_paradigm[i] != NULL)
			paradigms[i]->summary->json(s->of_paradigm[i], root);
	json_t *rest = json_pack("{s:{s:s,s:o,s:o,s:I}, s:o, s:o, s:o, s:{s:I,s:I,s:I}, s:o, s:o, s:o}", "graph", "level",
				 levels[s->level],                                            //
				 "nodes", json_counts(node_name, s->graph.nodes, NODE_KINDS), //
				 "edges", json_counts(edge_name, s->graph.edges, EDGE_KINDS), //
				 "exclusive_sets", (json_int_t)s->n_exclusive_sets,           //
				 "mutexes", summary_json_mutexes(&s->mutexes),                //
				 "path", summary_json_path(&s->path),                         //
				 "samples", samples_json(&s->samples),                        //
				 "time", "wall_ns", (json_int_t)s->wall_ns, "busy_ns", (json_int_t)s->busy_ns, "ticks_per_second",
				 (json_int_t)dump_ticks_per_second(first), //
				 "states", summary_json_states(s),         //
				 "processors", summary_json_processors(s), //
				 "process_table", processes_json(s->traces, s->n_processes));
	json_object_update_new(root, rest);
	return root;
}

static void *json_memory(size_t n_bytes)
{
	return memory_get(n_bytes, 1, "summary.json");
}

struct json_t *summary_object(const struct summary *s)
{
	json_set_alloc_funcs(json_memory, free);
	json_t *root = json_summary(s);
	json_t *binaries = summary_json_binaries(s->symbols);
	if (binaries != NULL)
		json_object_set_new(root, "binaries", binaries);
	if (s->answer.is_there)
		json_object_set_new(root, "answer", summary_json_answer(&s->answer));
	if (s->is_part || s->family.task != 0)
		json_object_set_new(root, "part", json_part(s));
	if (s->stop.n_processes != 0)
		json_object_set_new(root, "stopped", summary_json_stop(&s->stop));
	if (s->runtimes.n_mpi != 0)
		json_object_set_new(root, "mpi_processes", json_integer((json_int_t)s->runtimes.n_mpi));
	if (s->runtimes.n_others != 0)
		json_object_set_new(root, "other_runtimes", summary_json_runtimes(&s->runtimes));
	if (s->omitted.n != 0)
		json_object_set_new(root, "left_out", summary_json_omitted(&s->omitted));
	return root;
}

int summary_json(const struct summary *s, const char *dir)
{
	json_t *root = summary_object(s);
	int rc = file_json(root, dir, "summary.json");
	json_decref(root);
	return rc;
}
