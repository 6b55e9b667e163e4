/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of the data through the builder: opens the dumps, gathers and replays each process for the outputs that
 * follow, hands what was built to the outputs that come after, and decides on the exit status. What is gathered, kept
 * and visited is what the selected outputs need (outputs.h). Called by main.c, once; on the main thread.
 */
#include "builder/run.h"
#include "builder/gather/gather.h"
#include "builder/graph/files.h"
#include "builder/model/symbols.h"
#include "builder/outputs.h"
#include "builder/parts.h"
#include "builder/states/states.h"
#include "builder/summary/summary.h"
#include "builder/support/array.h"
#include "builder/support/memory_limit.h"
#include "builder/support/output.h"
#include "builder/support/progress.h"

#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SINKS     64         /* as many as outputs */
#define SMALL_RECORDS (64 << 10) /* one thread builds these sooner than several are woken up */

/* What is known of all dumps once they are built. What was not built was not checked for repairs. */
struct verdict {
	struct tally repairs, damage;
	uint64_t n_lost;
	bool is_complete, is_snapshot;
	bool is_good;
};

struct job {
	const struct options *options;
	unsigned needs; /* enum output_need, of all outputs */
	char **paths;   /* of the dumps */
	size_t n_paths, paths_capacity;
	size_t n_open;                /* traces with an open dump */
	bool has_left_out;            /* some of the dumps given are of other runs */
	size_t n_left_out;            /* processes of the run that are not built (--process) */
	size_t n_outside;             /* those that have no time between --from and --to */
	uint64_t longest_ns;          /* how long the longest process lasted */
	bool is_passing;              /* nothing asks for a process once it is built */
	struct tally repairs;         /* of the processes that were given back */
	struct graph_numbers numbers; /* of the processes that were built */
	struct trace *traces;
	struct graph *graphs;
	struct states *states;
	struct sink sinks[MAX_SINKS];
	size_t n_sinks;
	struct symbols *symbols;
	struct samples_summary samples;
	struct summary summary;
	struct output output;
	struct progress progress;
};

static bool has_file(const char *dir, const char *name)
{
	char *path = text_format("%s/%s", dir, name);
	bool is_there = access(path, F_OK) == 0;
	free(path);
	return is_there;
}

static void add_path(struct job *job, char *path)
{
	array_reserve((void **)&job->paths, job->n_paths + 1, &job->paths_capacity, sizeof *job->paths);
	job->paths[job->n_paths++] = path;
}

static bool has_dump_name(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n > 6 && strncmp(path + n - 6, ".otter", 6) == 0;
}

static int is_dump_name(const struct dirent *entry)
{
	return has_dump_name(entry->d_name);
}

/* Adds a dump, or, of a directory of dumps, all of them by name. */
static int find_dumps(struct job *job, const char *path)
{
	if (has_file(path, "meta") || has_dump_name(path)) {
		add_path(job, text_copy(path));
		return 0;
	}
	struct dirent **entries;
	int n = scandir(path, &entries, is_dump_name, versionsort);
	if (n < 0)
		return error("%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		add_path(job, text_format("%s/%s", path, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	return n > 0 ? 0
		     : error("%s: not a dump (it has no file 'meta'), and no directory of dumps either (none ends in .otter)",
			     path);
}

/* Leaves open what is to be built: the processes of one run, in order, or some of them. */
static int choose_run(struct job *job)
{
	size_t n = job->n_open;
	if (runs_choose(job->traces, &n, &job->options->run) != 0)
		return -1;
	job->has_left_out = n < job->n_open;
	while (job->n_open > n)
		dump_close(&job->traces[--job->n_open].dump);
	for (size_t i = 0; i < n; i++)
		job->traces[i].process = (uint32_t)i;
	size_t n_chosen = parts_choose(job->traces, n, job->options->processes);
	job->n_left_out = n - n_chosen;
	while (job->n_open > n_chosen)
		dump_close(&job->traces[--job->n_open].dump);
	if (n_chosen > 1 && job->options->family.task != 0)
		return error("--task is about one process, and these are %zu: --process names one of them", n_chosen);
	return n_chosen > 0 ? 0 : -1;
}

/*
 * Is it whole, so that reading it a second time finds the same, and tells no damage a second time? One with an end needs
 * no record for its life (runs.c).
 */
static bool can_take_up(const struct dump *dump)
{
	return dump->is_complete && !dump->is_snapshot && dump->meta.is_ended && tally_total(&dump->damage) == 0;
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
	dump_put_down(&trace->dump);
}

static int open_dumps(struct job *job)
{
	for (size_t i = 0; i < job->options->n_dumps; i++)
		if (find_dumps(job, job->options->dumps[i]) != 0)
			return -1;
	job->traces = memory_zeroed(job->n_paths, sizeof *job->traces, "the processes");
	job->graphs = memory_zeroed(job->n_paths, sizeof *job->graphs, "the processes");
	job->states = memory_zeroed(job->n_paths, sizeof *job->states, "the processes");
	for (; job->n_open < job->n_paths; job->n_open++) {
		struct dump *dump = &job->traces[job->n_open].dump;
		if (dump_open(dump, job->paths[job->n_open]) != 0)
			return -1;
		if (job->is_passing && can_take_up(dump))
			dump_put_down(dump);
	}
	return choose_run(job);
}

/*
 * Where output goes: `-o`, or the first name given without ".otter" and with ".build". If some of the dumps given are of
 * other runs, the name of the run's first dump.
 */
static char *output_path(const struct job *job)
{
	if (job->options->output != NULL)
		return text_copy(job->options->output);
	const char *first = job->has_left_out ? job->traces[0].dump.path : job->options->dumps[0];
	size_t n = strlen(first);
	while (n > 1 && first[n - 1] == '/')
		n--;
	if (n > 6 && strncmp(first + n - 6, ".otter", 6) == 0)
		n -= 6;
	return text_format("%.*s.build", (int)n, first);
}

/* What is made of the dumps may be read by those who may read every dump, and by no other users. */
static mode_t output_mode(const struct options *options)
{
	mode_t mode = 0777;
	struct stat status;
	for (size_t i = 0; i < options->n_dumps; i++)
		if (stat(options->dumps[i], &status) == 0)
			mode &= status.st_mode | 0700;
	return mode;
}

/* Thread states one by one are wanted, or are to be compared with what the runtime itself says of them, in samples. */
static bool wants_each_state(const struct job *job)
{
	bool has_samples = false;
	for (size_t i = 0; i < job->n_open; i++)
		has_samples = has_samples || job->traces[i].dump.n_samples != 0;
	return job->options->has_states || has_samples;
}

static int replay_trace(struct job *job, size_t i)
{
	struct trace *trace = &job->traces[i];
	struct state_listener listeners[MAX_SINKS];
	struct visitor visitors[3 + MAX_SINKS];
	size_t n_visitors = 0, n_listeners = 0;
	if (job->needs & NEEDS_STATES) /* the first of all, as listeners want it */
		visitors[n_visitors++] = (struct visitor){&states_ops, &job->states[i]};
	if (job->needs & NEEDS_SUMMARY && job->options->level == GRAPH_FRAGMENT) /* beside the critical path */
		visitors[n_visitors++] = (struct visitor){&exclusion_ops, &job->states[i]};
	if (job->needs & (NEEDS_GRAPH | NEEDS_GRAPH_COUNTS))
		visitors[n_visitors++] = (struct visitor){&graph_ops, &job->graphs[i]};
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
		job->graphs[i].busy = &job->states[i].busy;
		job->graphs[i].unit_busy = &job->states[i].units;
		job->graphs[i].blocked = trace->model.switches.are_recorded ? &job->states[i].blocked : NULL;
	}
	int rc = replay_run(&trace->model, visitors, n_visitors, &job->progress);
	if (job->needs & NEEDS_STATES)
		states_finish(&job->states[i]);
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
	for (unsigned row = 0; row < n_output_rows; row++)
		if (output_is_selected(job->options->outputs, row) && output_rows[row].append != NULL &&
		    output_rows[row].append(&one) != 0)
			return -1;
	return 0;
}

/* One process: gathered, then replayed into its thread states, its graph and the sinks. */
static int build_trace(struct job *job, size_t i, const struct built *built)
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
	if (replay_trace(job, i) != 0 || (has_graph && graph_finish(&job->graphs[i]) != 0))
		return -1;
	job->graphs[i].before = job->numbers;
	if (has_graph)
		job->numbers = graph_numbers_after(&job->graphs[i]);
	bool has_some = trace->model.n_units != 0 || job->graphs[i].mutexes.n_rows != 0;
	bool has_symbols = job->needs & NEEDS_SYMBOLS || (job->needs & NEEDS_SOME_SYMBOLS && has_some);
	if (has_symbols)
		symbols_resolve(job->symbols, &trace->model);
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].end != NULL && job->sinks[j].end(job->sinks[j].self, trace) != 0)
			return -1;
	if (append(job, i, built) != 0)
		return -1;
	if (job->is_passing)
		give_back(job, i);
	return 0;
}

/* Are all selected outputs written while processes are built, or need no more of them than meta? */
static bool is_passing(const struct options *o)
{
	bool is_passing = !o->is_strict;
	for (unsigned i = 0; i < n_output_rows; i++) {
		const struct output_row *row = &output_rows[i];
		bool is_done = row->follow != NULL || row->append != NULL || (row->write != NULL && row->needs == 0);
		is_passing = is_passing && (!output_is_selected(o->outputs, i) || is_done);
	}
	return is_passing;
}

static int open_sinks(struct job *job, const struct built *built)
{
	for (unsigned i = 0; i < n_output_rows; i++) {
		if (!output_is_selected(job->options->outputs, i) || output_rows[i].follow == NULL)
			continue;
		struct sink *sink = &job->sinks[job->n_sinks];
		if (output_rows[i].follow(sink, built) != 0)
			return -1;
		job->n_sinks += sink->close != NULL;
	}
	return 0;
}

static int build_traces(struct job *job, const struct built *built)
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
		rc = build_trace(job, i, built);
	}
	omp_set_num_threads(n_threads);
	progress_end(&job->progress);
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].close(job->sinks[j].self) != 0)
			rc = -1;
	return rc;
}

/* One file after the other: the large ones are each made on all threads. */
static int write_files(struct job *job, const struct built *built)
{
	int rc = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_is_selected(job->options->outputs, i) && output_rows[i].write != NULL)
			rc |= output_rows[i].write(built);
	return rc == 0 ? output_commit(&job->output) : -1;
}

static int print(const struct job *job, const struct built *built)
{
	for (unsigned i = 0; i < n_output_rows; i++) {
		bool is_wanted = !(output_rows[i].traits & TRAIT_FOR_PEOPLE && job->options->is_quiet);
		if (output_is_selected(job->options->outputs, i) && output_rows[i].print != NULL && is_wanted &&
		    output_rows[i].print(built) != 0)
			return -1;
	}
	return fflush(stdout) == 0 ? 0 : error("stdout: %s", strerror(errno));
}

static int summarise(struct job *job, const struct graphs *graphs)
{
	if (samples_collect(&job->samples, job->traces, job->n_open) != 0)
		return -1;
	summary_collect(&job->summary, graphs, job->states, &job->samples);
	job->summary.n_left_out = job->n_left_out;
	return 0;
}

static struct verdict judge(const struct job *job)
{
	struct verdict v = {.is_complete = true, .repairs = job->repairs};
	for (size_t i = 0; i < job->n_open; i++) {
		const struct dump *dump = &job->traces[i].dump;
		if (job->traces[i].model.notes != NULL)
			tally_add_all(&v.repairs, &job->traces[i].model.notes->repairs);
		tally_add_all(&v.repairs, &job->graphs[i].repairs); /* none where no graph was built */
		tally_add_all(&v.damage, &dump->damage);
		v.n_lost += dump->n_lost;
		v.is_complete = v.is_complete && dump->is_complete;
		v.is_snapshot = v.is_snapshot || dump->is_snapshot;
	}
	v.is_good = v.is_complete && !v.is_snapshot && tally_total(&v.repairs) == 0;
	return v;
}

/* "3 scope_without_end, 1 time_out_of_order", as far as it fits. */
static void name_rows(char *text, size_t n_bytes, const struct tally *tally)
{
	size_t used = 0;
	for (unsigned i = 0; i < tally->n_rows && used < n_bytes; i++)
		used += (size_t)snprintf(text + used, n_bytes - used, "%s%llu %s", i > 0 ? ", " : "",
					 (unsigned long long)tally->rows[i].count, tally->rows[i].name);
}

/* --strict: prints why nothing is written. */
static int refuse(const struct job *job, const struct verdict *v)
{
	char repairs[1024] = "none", damage[1024] = "none";
	name_rows(repairs, sizeof repairs, &v->repairs);
	name_rows(damage, sizeof damage, &v->damage);
	error("%s: refused by --strict: %s; damage: %s; repairs: %s; %llu records lost", job->options->dumps[0],
	      v->is_snapshot   ? "its process is still running"
	      : v->is_complete ? "it has all its records"
			       : "it is incomplete",
	      damage, repairs, (unsigned long long)v->n_lost);
	return EXIT_REFUSED;
}

static int open_output(struct job *job)
{
	char *path = output_path(job);
	int rc = output_open(&job->output, path, output_mode(job->options), job->options->is_forced, output_is_file);
	free(path);
	if (rc == 0)
		memory_limit_place(job->output.temporary);
	return rc;
}

static int carry_out(struct job *job)
{
	const struct options *o = job->options;
	bool has_files = outputs_have_files(o->outputs);
	job->is_passing = is_passing(o);
	if (open_dumps(job) != 0 || (has_files && open_output(job) != 0))
		return -1;
	struct graphs graphs = {job->traces, job->graphs, job->n_open};
	struct built built = {.options = o,
			      .directory = job->output.temporary,
			      .place = job->output.path,
			      .has_each_state = wants_each_state(job),
			      .traces = job->traces,
			      .n_traces = job->n_open,
			      .graphs = &graphs,
			      .states = job->states,
			      .summary = &job->summary};
	job->needs = outputs_need(o->outputs, o->level, built.has_each_state);
	if (o->is_strict) /* some repairs are found by the graph alone */
		job->needs |= NEEDS_REPLAY | NEEDS_GRAPH;
	if (job->needs & NEEDS_REPLAY && build_traces(job, &built) != 0)
		return -1;
	if (job->n_outside == job->n_open)
		return error("%s: no process has time between --from and --to; the longest lasted %.9f s", o->dumps[0],
			     (double)job->longest_ns / 1e9);
	if (job->needs & NEEDS_SUMMARY && summarise(job, &graphs) != 0)
		return -1;
	struct verdict verdict = judge(job);
	if (o->is_strict && !verdict.is_good)
		return refuse(job, &verdict);
	if ((has_files && write_files(job, &built) != 0) || print(job, &built) != 0)
		return -1;
	return verdict.is_good ? EXIT_GOOD : EXIT_INCOMPLETE;
}

int run(const struct options *options)
{
	struct job job = {.options = options, .symbols = symbols_open()};
	int status = carry_out(&job);
	output_close(&job.output);
	samples_summary_free(&job.samples);
	summary_free(&job.summary);
	symbols_close(job.symbols);
	for (size_t i = 0; i < job.n_open; i++) {
		graph_free(&job.graphs[i]);
		states_free(&job.states[i]);
		if (job.traces[i].model.dump != NULL)
			model_free(&job.traces[i].model);
		dump_close(&job.traces[i].dump);
	}
	for (size_t i = 0; i < job.n_paths; i++)
		free(job.paths[i]);
	free(job.paths);
	free(job.traces);
	free(job.graphs);
	free(job.states);
	return status < 0 ? EXIT_FAILED : status;
}
