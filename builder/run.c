/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of the data through the builder: open, gather, replay into the graph and the sinks, write.
 */
#include "builder/run.h"
#include "builder/gather/gather.h"
#include "builder/states/states.h"
#include "builder/support/array.h"
#include "builder/graph/files.h"
#include "builder/dump/list.h"
#include "builder/otf2/otf2.h"
#include "builder/support/output.h"
#include "builder/support/progress.h"
#include "builder/states/files.h"
#include "builder/summary/summary.h"
#include "builder/model/symbols.h"
#include "builder/replay/sink.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SINKS 2

struct job {
	const struct options *options;
	char **paths; /* of the dumps */
	size_t n_paths, paths_capacity;
	struct trace *traces;
	struct graph *graphs;
	struct states *states;
	struct sink sinks[MAX_SINKS];
	size_t n_sinks;
	size_t n_open;     /* traces with an open dump */
	size_t n_gathered; /* traces with a model and a graph */
	bool has_states;   /* one by one */
	struct samples_summary samples;
	struct output output;
	struct progress progress;
	struct summary summary;
};

static bool has_file(const char *dir, const char *name)
{
	char *path;
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	bool is_there = access(path, F_OK) == 0;
	free(path);
	return is_there;
}

static int add_path(struct job *job, char *path)
{
	if (path == NULL)
		return error("out of memory");
	if (!array_reserve((void **)&job->paths, job->n_paths + 1, &job->paths_capacity, sizeof *job->paths)) {
		free(path);
		return error("out of memory");
	}
	job->paths[job->n_paths++] = path;
	return 0;
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

/* A dump is itself; a directory of dumps stands for all of them, by name. */
static int find_dumps(struct job *job, const char *path)
{
	if (has_file(path, "meta") || has_dump_name(path))
		return add_path(job, strdup(path));
	struct dirent **entries;
	int n = scandir(path, &entries, is_dump_name, versionsort);
	if (n < 0)
		return error("%s: %s", path, strerror(errno));
	int rc = 0;
	for (int i = 0; i < n; i++) {
		char *dump;
		if (rc == 0)
			rc = add_path(job, asprintf(&dump, "%s/%s", path, entries[i]->d_name) < 0 ? NULL : dump);
		free(entries[i]);
	}
	free(entries);
	if (rc == 0 && n == 0)
		return error("%s: not a dump (it has no file 'meta'), and no directory of dumps either (none ends in .otter)",
			     path);
	return rc;
}

static int open_dumps(struct job *job)
{
	for (size_t i = 0; i < job->options->n_dumps; i++)
		if (find_dumps(job, job->options->dumps[i]) != 0)
			return -1;
	job->traces = calloc(job->n_paths + 1, sizeof *job->traces);
	job->graphs = calloc(job->n_paths + 1, sizeof *job->graphs);
	job->states = calloc(job->n_paths + 1, sizeof *job->states);
	if (job->traces == NULL || job->graphs == NULL || job->states == NULL)
		return error("out of memory");
	for (; job->n_open < job->n_paths; job->n_open++) {
		if (dump_open(&job->traces[job->n_open].dump, job->paths[job->n_open]) != 0)
			return -1;
		job->traces[job->n_open].process = (uint32_t)job->n_open;
		/* What the runtime itself said of states is to be compared with what is derived. */
		job->has_states = job->has_states || job->traces[job->n_open].dump.n_samples != 0;
	}
	return 0;
}

/* Where output goes: `-o`, or the first name given without ".otter" and with ".build". */
static char *output_path(const struct options *options)
{
	if (options->output != NULL)
		return strdup(options->output);
	size_t n = strlen(options->dumps[0]);
	while (n > 1 && options->dumps[0][n - 1] == '/')
		n--;
	if (n > 6 && strncmp(options->dumps[0] + n - 6, ".otter", 6) == 0)
		n -= 6;
	char *path;
	return asprintf(&path, "%.*s.build", (int)n, options->dumps[0]) < 0 ? NULL : path;
}

/* One process: gathered, then replayed into its thread states, its graph and the sinks. */
static int build_trace(struct job *job, size_t i)
{
	struct trace *trace = &job->traces[i];
	struct graph *graph = &job->graphs[i];
	struct states *states = &job->states[i];
	const struct options *o = job->options;
	enum graph_keep keep = o->has_csv || o->has_dot || o->has_canonical ? GRAPH_KEPT : GRAPH_COUNTED;
	if (model_gather(&trace->model, &trace->dump) != 0 || graph_begin(graph, &trace->model, job->options->level, keep) != 0)
		return -1;
	job->n_gathered = i + 1;
	struct state_listener listeners[MAX_SINKS];
	struct visitor visitors[2 + MAX_SINKS] = {{&graph_ops, graph}};
	size_t n_visitors = 1, n_listeners = 0;
	if (job->output.path != NULL) /* they go into files; and first of all, as listeners want */
		visitors[n_visitors++] = (struct visitor){&states_ops, states};
	for (size_t j = 0; j < job->n_sinks; j++) {
		const struct sink *sink = &job->sinks[j];
		if (sink->begin != NULL && sink->begin(sink->self, trace) != 0)
			return -1;
		if (sink->ops != NULL)
			visitors[n_visitors++] = (struct visitor){sink->ops, sink->self};
		if (sink->pass_state != NULL && job->has_states)
			listeners[n_listeners++] = (struct state_listener){sink->pass_state, sink->self};
	}
	if (states_begin(states, &trace->model, listeners, n_listeners) != 0 ||
	    replay_run(&trace->model, visitors, n_visitors, &job->progress) != 0)
		return -1;
	if (graph_finish(graph) != 0 || symbols_resolve(&trace->model) != 0)
		return -1;
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].end != NULL && job->sinks[j].end(job->sinks[j].self, trace) != 0)
			return -1;
	return 0;
}

static int open_sinks(struct job *job)
{
	const struct options *o = job->options;
	const char *dir = job->output.temporary;
	bool has_intervals = job->has_states && o->has_csv;
	if (has_intervals && sink_intervals_open(&job->sinks[job->n_sinks], dir) != 0)
		return -1;
	job->n_sinks += has_intervals;
	if (o->has_otf2 && sink_otf2_open(&job->sinks[job->n_sinks], dir, job->traces, job->n_open) != 0)
		return -1;
	job->n_sinks += o->has_otf2;
	return 0;
}

static int build_traces(struct job *job)
{
	uint64_t n_records = 0;
	for (size_t i = 0; i < job->n_open; i++)
		n_records += job->traces[i].dump.n_records;
	int rc = open_sinks(job);
	if (rc == 0)
		progress_start(&job->progress, n_records, !job->options->is_quiet);
	for (size_t i = 0; i < job->n_open && rc == 0; i++)
		rc = build_trace(job, i);
	progress_end(&job->progress);
	for (size_t j = 0; j < job->n_sinks; j++)
		if (job->sinks[j].close(job->sinks[j].self) != 0)
			rc = -1;
	return rc;
}

/* The files are independent of each other: one a thread. */
static int write_files(struct job *job, const struct graphs *graphs, const struct summary *summary)
{
	const struct options *o = job->options;
	const char *dir = job->output.temporary;
	int rc = 0;
#pragma omp parallel sections reduction(| : rc)
	{
#pragma omp section
		rc |= o->has_csv ? graph_nodes_csv(graphs, dir) : 0;
#pragma omp section
		rc |= o->has_csv ? graph_constructs_csv(graphs, dir) : 0;
#pragma omp section
		rc |= o->has_csv ? graph_edges_csv(graphs, dir) : 0;
#pragma omp section
		rc |= o->has_csv ? graph_exclusive_csv(graphs, dir) : 0;
#pragma omp section
		rc |= o->has_csv && summary->samples->n_threads != 0 ? samples_csv(graphs, dir) : 0;
#pragma omp section
		rc |= o->has_csv && has_units(graphs) ? units_csv(graphs, dir) : 0;
#pragma omp section
		rc |= o->has_csv ? states_csv(graphs->traces, job->states, graphs->n, dir) : 0;
#pragma omp section
		rc |= o->has_dot ? graph_dot(graphs, dir, o->max_nodes) : 0;
#pragma omp section
		rc |= o->has_summary ? summary_json(summary, dir) : 0;
	}
	if (rc != 0)
		return -1;
	return output_commit(&job->output);
}

/* "3 scope_without_end, 1 time_out_of_order", as far as it fits. */
static void name_rows(char *text, size_t n_bytes, const struct tally *tally)
{
	size_t used = 0;
	for (unsigned i = 0; i < tally->n_rows && used < n_bytes; i++)
		used += (size_t)snprintf(text + used, n_bytes - used, "%s%llu %s", i > 0 ? ", " : "",
					 (unsigned long long)tally->rows[i].count, tally->rows[i].name);
}

/* --strict: says why nothing is written. */
static int refuse(const struct job *job, const struct summary *summary)
{
	char repairs[1024] = "none", damage[1024] = "none";
	name_rows(repairs, sizeof repairs, &summary->repairs);
	name_rows(damage, sizeof damage, &summary->findings);
	error("%s: refused by --strict: %s; damage: %s; repairs: %s; %llu records lost", job->options->dumps[0],
	      summary->is_snapshot   ? "its process is still running"
	      : summary->is_complete ? "it has all its records"
				     : "it is incomplete",
	      damage, repairs, (unsigned long long)summary->n_lost);
	return EXIT_REFUSED;
}

static int carry_out(struct job *job)
{
	const struct options *o = job->options;
	bool has_files = o->has_otf2 || o->has_dot || o->has_csv || o->has_summary;
	if (open_dumps(job) != 0)
		return -1;
	if (has_files) {
		char *path = output_path(o);
		int rc = path != NULL ? output_open(&job->output, path, o->is_forced) : error("out of memory");
		free(path);
		if (rc != 0)
			return -1;
	}
	if (build_traces(job) != 0)
		return -1;
	struct graphs graphs = {job->traces, job->graphs, job->n_open};
	struct summary *summary = &job->summary;
	if (samples_collect(&job->samples, job->traces, job->n_open) != 0 ||
	    summary_collect(summary, &graphs, job->states, &job->samples) != 0)
		return -1;
	bool is_good = summary->is_complete && !summary->is_snapshot && tally_total(&summary->repairs) == 0;
	if (o->is_strict && !is_good)
		return refuse(job, summary);
	if (has_files && write_files(job, &graphs, summary) != 0)
		return -1;
	for (size_t i = 0; i < job->n_open && o->has_list; i++)
		if (list_dump(&job->traces[i].dump, stdout) != 0)
			return -1;
	if (o->has_canonical && graph_canonical(&graphs, stdout) != 0)
		return -1;
	if (o->has_summary && !o->is_quiet) {
		summary_print(summary, stdout);
		printf("%-10s%s\n", "output", job->output.path);
	}
	if (fflush(stdout) != 0)
		return error("stdout: %s", strerror(errno));
	return is_good ? EXIT_GOOD : EXIT_INCOMPLETE;
}

int run(const struct options *options)
{
	struct job job = {.options = options, .has_states = options->has_states};
	if (options->is_quiet)
		diag_quiet();
	int status = carry_out(&job);
	output_close(&job.output);
	samples_summary_free(&job.samples);
	summary_free(&job.summary);
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
