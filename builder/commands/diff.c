/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Comparing runs (--diff; builder/diff/): its options, and the runs of each side: directories that otter-build wrote are read
 * as they are; dumps are put together to runs (runs.c), and built into a directory that is removed afterwards. On the main
 * thread.
 */
#include "builder/commands/command.h"
#include "builder/diff/diff.h"
#include "builder/run/outputs.h"
#include "builder/report/report.h"
#include "builder/support/array.h"
#include "builder/support/output.h"
#include "builder/support/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_THRESHOLD 0.03

/* What a side was given as: paths, which are freed with it. */
struct given {
	char **builds, **dumps;
	size_t n_builds, n_dumps, builds_capacity, dumps_capacity;
};

static void add(char ***paths, size_t *n, size_t *capacity, char *path)
{
	array_push(*paths, *n, *capacity, path);
}

static size_t length_without_slashes(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* Adds a build or a dump. Returns true if it was one. */
static bool find_one(struct given *given, const char *path)
{
	size_t n = length_without_slashes(path);
	if (diff_run_is_there(path))
		add(&given->builds, &given->n_builds, &given->builds_capacity, text_format("%.*s", (int)n, path));
	else if (file_is_there(path, "meta") || (n > 6 && strncmp(path + n - 6, ".otter", 6) == 0))
		add(&given->dumps, &given->n_dumps, &given->dumps_capacity, text_format("%.*s", (int)n, path));
	else
		return false;
	return true;
}

static int is_no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A build, a dump, or a directory that holds some of these. */
static int find(struct given *given, const char *path)
{
	if (find_one(given, path))
		return 0;
	struct dirent **entries;
	int n_found = 0, n = scandir(path, &entries, is_no_dot, versionsort);
	if (n < 0)
		return error("%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *inner = text_format("%s/%s", path, entries[i]->d_name);
		n_found += find_one(given, inner);
		free(inner);
		free(entries[i]);
	}
	free(entries);
	return n_found > 0 ? 0
			   : error("%s: holds no run: neither an output of otter-build (summary.json, constructs.csv) nor a dump "
				   "(a directory that ends in .otter)",
				   path);
}

/* Was the dump built into one of these, which lies beside it? */
static bool is_built(const struct diff_side *side, const char *dump)
{
	const char *slash = strrchr(dump, '/'), *name = slash != NULL ? slash + 1 : dump;
	size_t n = (size_t)(name - dump), n_name = strlen(name);
	n_name -= n_name > 6 && strcmp(name + n_name - 6, ".otter") == 0 ? 6 : 0;
	for (size_t r = 0; r < side->n_runs; r++) {
		const struct diff_run *run = &side->runs[r];
		const char *last = strrchr(run->path, '/');
		size_t n_place = last != NULL ? (size_t)(last + 1 - run->path) : 0;
		bool is_beside = n_place == n && strncmp(run->path, dump, n) == 0;
		for (size_t i = 0; is_beside && i < run->n_dumps; i++)
			if (strlen(run->dumps[i]) == n_name && strncmp(run->dumps[i], name, n_name) == 0)
				return true;
	}
	return false;
}

static int read_run(struct diff_side *side, const char *dir, const char *path)
{
	return diff_run_read(array_add(side->runs, side->n_runs, side->capacity), dir, path);
}

/* Builds a run in the scratch directory, and reads it. */
static int build_run(struct diff_side *side, const struct options *options, const char **dumps, size_t n_dumps)
{
	const char *place = output_scratch();
	if (place == NULL)
		return -1;
	char *dir = text_format("%s/run", place);
	struct options build = *options;
	build.dumps = dumps;
	build.n_dumps = n_dumps;
	build.output = dir;
	build.asked = BY_COMPARISON;
	build.run.merges = true; /* the dumps are known to be of one run */
	build.is_forced = true;
	build.is_quiet = true;
	build.is_strict = false; /* that is judged when all is read */
	int status = run(&build);
	int rc = status == EXIT_GOOD || status == EXIT_INCOMPLETE ? read_run(side, dir, dumps[0]) : -1;
	free(dir);
	return rc;
}

/* Takes the dumps of one run after the other from the open ones, the last run first. */
static int build_runs(struct diff_side *side, const struct options *options, struct trace *traces, size_t n_open)
{
	int rc = 0;
	const char **dumps = memory_get(n_open, sizeof *dumps, "the runs");
	static const struct run_choice last = {.id = "last"};
	for (size_t done = 0, n; done < n_open && rc == 0; done += n) {
		n = n_open - done;
		rc = runs_choose(traces + done, &n, &last);
		for (size_t i = 0; i < n && rc == 0; i++)
			dumps[i] = traces[done + i].dump.path;
		if (rc == 0)
			rc = build_run(side, options, dumps, n);
	}
	free(dumps);
	return rc;
}

static int read_dumps(struct diff_side *side, const struct options *options, const struct given *given)
{
	struct trace *traces = memory_zeroed(given->n_dumps, sizeof *traces, "the runs");
	size_t n_open = 0;
	int rc = 0;
	for (size_t i = 0; i < given->n_dumps && rc == 0; i++)
		if (!is_built(side, given->dumps[i]))
			rc = dump_open(&traces[n_open++].dump, given->dumps[i]);
	if (rc == 0 && n_open > 0)
		rc = build_runs(side, options, traces, n_open);
	for (size_t i = 0; i < n_open; i++)
		dump_close(&traces[i].dump);
	free(traces);
	return rc;
}

static int read_side(struct diff_side *side, const struct options *options, const struct given *given)
{
	int rc = 0;
	for (size_t i = 0; i < given->n_builds && rc == 0; i++)
		rc = read_run(side, given->builds[i], given->builds[i]);
	if (rc == 0)
		rc = read_dumps(side, options, given);
	for (size_t r = 1; r < side->n_runs && rc == 0; r++)
		if (side->runs[r].n_threads != side->runs[0].n_threads) {
			warning("%s: runs on %llu and on %llu threads: each number of threads should be a side of its own",
				side->name, (unsigned long long)side->runs[0].n_threads,
				(unsigned long long)side->runs[r].n_threads);
			break;
		}
	if (rc == 0)
		diff_side_finish(side);
	return rc;
}

static void free_given(struct given *given)
{
	for (size_t i = 0; i < given->n_builds; i++)
		free(given->builds[i]);
	for (size_t i = 0; i < given->n_dumps; i++)
		free(given->dumps[i]);
	free(given->builds);
	free(given->dumps);
}

/* Reads the sides. 0, or -1 after it printed the error; *n_sides are to be freed. */
static int read_sides(struct diff_side *sides, size_t *n_sides, const struct options *o)
{
	bool has_colons = false;
	for (size_t i = 0; i < o->n_dumps; i++)
		has_colons = has_colons || strcmp(o->dumps[i], ":") == 0;
	for (size_t i = 0; i <= o->n_dumps; i++) {
		struct given given = {0};
		size_t first = i;
		int rc = 0;
		for (; rc == 0 && i < o->n_dumps && strcmp(o->dumps[i], ":") != 0; i++) {
			rc = find(&given, o->dumps[i]);
			if (!has_colons)
				break;
		}
		if (first == o->n_dumps && !has_colons)
			break;
		if (rc == 0 && first == i && has_colons)
			rc = error("--diff: one side of a ':' is empty");
		struct diff_side *side = &sides[(*n_sides)++];
		side->name = first < o->n_dumps ? o->dumps[first] : "";
		if (rc == 0)
			rc = read_side(side, o, &given);
		free_given(&given);
		if (rc != 0)
			return -1;
	}
	return *n_sides > 1 ? 0 : error("--diff needs two sides at least");
}

static bool are_good(const struct diff_side *sides, size_t n_sides)
{
	bool are_good = true;
	for (size_t s = 0; s < n_sides; s++)
		for (size_t r = 0; r < sides[s].n_runs; r++) {
			if (!sides[s].runs[r].is_good)
				warning("%s: is incomplete, still written, or was repaired", sides[s].runs[r].path);
			are_good = are_good && sides[s].runs[r].is_good;
		}
	return are_good;
}

static int write_files(const struct diff *diff, const struct options *o)
{
	struct output output;
	int rc = output_open(&output, o->output, o->is_forced, output_is_file);
	if (rc == 0)
		rc = diff_json(diff, output.temporary);
	if (rc == 0 && o->asked & BY_REPORT)
		rc = report_diff(diff_object(diff), output.temporary);
	if (rc == 0)
		rc = output_commit(&output);
	output_close(&output);
	return rc;
}

static int report(const struct diff_side *sides, size_t n_sides, const struct options *o, double threshold)
{
	bool is_good = are_good(sides, n_sides);
	if (o->is_strict && !is_good) {
		error("refused by --strict: not all runs are complete and without repairs");
		return EXIT_REFUSED;
	}
	struct diff diff;
	diff_make(&diff, sides, n_sides, threshold);
	int rc = o->output != NULL ? write_files(&diff, o) : 0;
	if (rc == 0 && !o->is_quiet) {
		diff_print(&diff, stdout);
		rc = fflush(stdout) == 0 ? 0 : error("stdout: %s", strerror(errno));
	}
	bool is_slower = diff.is_slower;
	diff_free(&diff);
	return rc != 0 ? EXIT_TROUBLE : is_slower ? EXIT_SLOWER : is_good ? EXIT_GOOD : EXIT_INCOMPLETE;
}

int compare(const struct command_line *line)
{
	const struct options *options = &line->options;
	size_t n_sides = 0;
	struct diff_side *sides = memory_zeroed(options->n_dumps + 1, sizeof *sides, "the comparison");
	int rc = read_sides(sides, &n_sides, options);
	output_scratch_end();
	double threshold = line->threshold < 0 ? DEFAULT_THRESHOLD : line->threshold;
	int status = rc == 0 ? report(sides, n_sides, options, threshold) : EXIT_TROUBLE;
	for (size_t s = 0; s < n_sides; s++)
		diff_side_free(&sides[s]);
	free(sides);
	return status;
}

/* ---- Options ---- */

enum { OPTION_DIFF = 1024, OPTION_THRESHOLD };

static const struct argp_option diff_options[] = {
	{"diff", OPTION_DIFF, 0, 0,
	 "compare runs: the arguments are sides, each a dump, an output of otter-build, or a directory of several of these; with "
	 "':' between sides, several arguments are a side. Exit status 1: the second side is slower; with -o: diff.json",
	 GROUP},
	{"threshold", OPTION_THRESHOLD, "PERCENT", 0, "with --diff: by how much the second side may take longer (default: 3)", 0},
	{0},
};

static double parse_threshold(const char *text, const struct argp_state *state)
{
	char *end;
	double percent = strtod(text, &end);
	if (end == text || *end != '\0' || !(percent >= 0 && percent <= 1000))
		argp_error(state, "--threshold is a number of percent from 0 to 1000, not '%s'", text);
	return percent / 100;
}

/* Whole runs are compared, and the outputs of a comparison are fixed. */
static void check(const struct command_line *line, const struct argp_state *state)
{
	const struct options *o = &line->options;
	if (line->command != compare) {
		if (line->threshold >= 0)
			argp_error(state, "--threshold goes with --diff only");
		return;
	}
	if (line->build_option != NULL || o->asked & ~(unsigned)BY_REPORT)
		argp_error(state, "--diff compares whole runs: only -o, --report, --force, --threshold, --strict, --debuginfod, "
				  "--memory and -q go with it");
	if (o->asked != 0 && o->output == NULL)
		argp_error(state, "--diff --report writes diff.html into a directory, which -o names");
	output_abandon_status = EXIT_TROUBLE;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct command_line *line = state->input;
	switch (key) {
	case ARGP_KEY_INIT: line->threshold = -1; break;
	case OPTION_DIFF: command_set(line, compare, state); break;
	case OPTION_THRESHOLD: line->threshold = parse_threshold(value, state); break;
	case ARGP_KEY_END: check(line, state); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp diff_argp = {.options = diff_options, .parser = parse_option};
