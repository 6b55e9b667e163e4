/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of the data through the builder: the dumps are opened (opening.c), their processes built (process.c), what
 * was built is handed to the outputs that write or print at the end, and the exit status follows. Runs on the main thread.
 */
#include "builder/run/run.h"
#include "builder/run/job.h"
#include "builder/symbols/symbols.h"
#include "builder/support/memory_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Is the last part of these n bytes of a path "." or ".."? */
static bool ends_in_dots(const char *path, size_t n)
{
	size_t n_dots = 0;
	while (n_dots < n && path[n - 1 - n_dots] == '.')
		n_dots++;
	return (n_dots == 1 || n_dots == 2) && (n_dots == n || path[n - 1 - n_dots] == '/');
}

/*
 * Where output goes: `-o`, or the first name given without ".otter" and with ".build". If some of the dumps given are of
 * other runs, the name of the run's first dump. "." and ".." have the name that their directory has.
 */
static char *output_path(const struct job *job)
{
	if (job->options->output != NULL)
		return text_copy(job->options->output);
	const char *first = job->has_left_out ? job->traces[0].dump.path : job->options->dumps[0];
	size_t n = strlen(first);
	while (n > 1 && first[n - 1] == '/')
		n--;
	char *real = ends_in_dots(first, n) ? realpath(first, NULL) : NULL;
	if (real != NULL) {
		first = real;
		n = strlen(real);
	}
	if (n > 6 && strncmp(first + n - 6, ".otter", 6) == 0)
		n -= 6;
	char *path = text_format("%.*s.build", (int)n, first);
	free(real);
	return path;
}

/* Are thread states wanted one by one, or to be compared with the states that the runtime reported in samples? */
static bool wants_each_state(const struct job *job)
{
	bool has_samples = false;
	for (size_t i = 0; i < job->n_open; i++)
		has_samples = has_samples || job->traces[i].dump.n_samples != 0;
	return job->options->has_states || has_samples;
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
	int rc = output_open(&job->output, path, job->options->is_forced, output_is_file);
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

/* ---- What is known of all dumps once they are built. What was not built was not checked for repairs. ---- */

struct verdict {
	struct tally repairs, damage;
	uint64_t n_lost;
	bool is_complete, is_snapshot;
	bool is_good;
};

static struct verdict judge(const struct job *job)
{
	struct verdict v = {.is_complete = true, .repairs = job->repairs};
	for (size_t i = 0; i < job->n_open; i++) {
		const struct dump *dump = &job->traces[i].dump;
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

/* --strict: prints why nothing is written. Returns the exit status. */
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

/* ---- The way through ---- */

static int carry_out(struct job *job)
{
	const struct options *o = job->options;
	job->outputs = job->selected = outputs_selected(o);
	bool has_files = outputs_have_files(job->outputs);
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
			      .answer = &job->now.answer,
			      .summary = &job->summary,
			      .callpaths = &job->callpaths,
			      .canonical = &job->canonical,
			      .drawn = &job->drawn,
			      .database = &job->database};
	job->needs = outputs_need(job->outputs, o, built.has_each_state);
	summary_begin(&job->summary, job->traces, job->n_open, job->symbols);
	job->summary.n_left_out = job->n_left_out;
	bounds_set_by_records(job);
	if (job->needs & NEEDS_MODEL && build_processes(job, &built) != 0)
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
	callpath_free_rows(&job.callpaths);
	for (size_t i = 0; i < job.n_open; i++)
		dump_close(&job.traces[i].dump);
	for (size_t i = 0; i < job.n_paths; i++)
		free(job.paths[i]);
	free(job.paths);
	free(job.traces);
	free(job.graphs);
	free(job.states);
	return status < 0 ? EXIT_FAILED : status;
}
