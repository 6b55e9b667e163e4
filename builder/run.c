/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of the data through the builder: the dumps are opened (opening.c), their processes built (process.c), what
 * was built is handed to the outputs that come after, and the exit status is decided on (verdict.c). Called by main.c,
 * once; on the main thread.
 */
#include "builder/run.h"
#include "builder/bounds.h"
#include "builder/model/symbols.h"
#include "builder/support/memory_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Are all selected outputs made while processes are built, or from the summary, or from what a dump can be asked again? */
static bool is_passing(uint64_t outputs)
{
	const unsigned later = NEEDS_SUMMARY | NEEDS_SPAWN | NEEDS_RECORDS;
	bool is_passing = true;
	for (unsigned i = 0; i < n_output_rows; i++) {
		const struct output_row *row = &output_rows[i];
		bool is_done =
			row->follow != NULL || row->append != NULL || (row->needs & NEEDS_CANONICAL) || (row->needs & ~later) == 0;
		is_passing = is_passing && (!output_is_selected(outputs, i) || is_done);
	}
	return is_passing;
}

/* One file after the other: the large ones are each made on all threads. */
static int write_files(struct job *job, const struct built *built)
{
	int rc = 0;
	for (unsigned i = 0; i < n_output_rows; i++)
		if (output_is_selected(job->outputs, i) && output_rows[i].write != NULL)
			rc |= output_rows[i].write(built);
	return rc == 0 ? output_commit(&job->output) : -1;
}

static int print(const struct job *job, const struct built *built)
{
	for (unsigned i = 0; i < n_output_rows; i++) {
		bool is_wanted = !(output_rows[i].traits & TRAIT_FOR_PEOPLE && job->options->is_quiet);
		if (output_is_selected(job->outputs, i) && output_rows[i].print != NULL && is_wanted &&
		    output_rows[i].print(built) != 0)
			return -1;
	}
	return fflush(stdout) == 0 ? 0 : error("stdout: %s", strerror(errno));
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

/*
 * Where the output's directory will be. What packed dumps hold is unpacked as they are opened, before anything is written: a
 * dump that cannot be read leaves no output.
 */
static void place_beside_output(const struct job *job)
{
	char *path = output_path(job), *slash = strrchr(path, '/');
	if (slash != NULL)
		slash[slash == path] = '\0';
	memory_limit_place(slash != NULL ? path : ".");
	free(path);
}

static int carry_out(struct job *job)
{
	const struct options *o = job->options;
	bool has_files = outputs_have_files(o->outputs);
	job->outputs = o->outputs;
	job->is_passing = is_passing(o->outputs);
	if (has_files)
		place_beside_output(job);
	if (open_dumps(job) != 0 || (has_files && open_output(job) != 0))
		return -1;
	struct graphs graphs = {job->traces, job->graphs, job->n_open};
	struct built built = {.options = o,
			      .directory = job->output.temporary,
			      .files = {.dir = job->output.temporary},
			      .place = job->output.path,
			      .has_each_state = wants_each_state(job),
			      .traces = job->traces,
			      .n_traces = job->n_open,
			      .graphs = &graphs,
			      .states = job->states,
			      .answer = &job->answer,
			      .summary = &job->summary,
			      .spawn = &job->spawn,
			      .canonical = &job->canonical,
			      .drawn = &job->drawn,
			      .database = &job->database};
	job->needs = outputs_need(job->outputs, o->level, built.has_each_state);
	if (o->family.task != 0 && !(job->outputs & outputs_of_option("report"))) /* what limits the run is not asked of a task */
		job->needs &= ~(unsigned)(NEEDS_ANSWER | NEEDS_FIGURES);
	if (o->is_strict) /* some repairs are found by the graph alone */
		job->needs |= NEEDS_REPLAY | NEEDS_GRAPH;
	summary_begin(&job->summary, job->traces, job->n_open, job->symbols);
	job->summary.n_left_out = job->n_left_out;
	bounds_set_by_records(job);
	if (job->needs & NEEDS_REPLAY && build_processes(job, &built) != 0)
		return -1;
	if (job->n_outside == job->n_open)
		return error("%s: no process has time between --from and --to; the longest lasted %.9f s", o->dumps[0],
			     (double)job->longest_ns / 1e9);
	summary_finish(&job->summary);
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
	database_close(&job.database);
	output_close(&job.output);
	summary_free(&job.summary);
	canonical_free_list(job.canonical);
	symbols_close(job.symbols);
	what_if_free(&job.what_if);
	lint_free(&job.findings);
	lint_track_free(&job.lint_track);
	answer_free(&job.answer);
	times_free(&job.times);
	spawn_free(&job.tree);
	spawn_free_rows(&job.spawn);
	graph_free(&job.answer_graph);
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
