/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds and opens the dumps of a run, and leaves open those that are to be built: the processes of one run (runs.c), or
 * some of them (parts.h).
 */
#include "builder/run/job.h"
#include "builder/support/array.h"
#include "builder/support/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MANY_DUMPS 64 /* more are not all kept open: a second opening takes as long as building a small one */

static void add_path(struct job *job, char *path)
{
	array_push(job->paths, job->n_paths, job->paths_capacity, path);
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

/* Says what a file is that was given in place of a dump. -1. */
static int is_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash != NULL ? text_format("%.*s", (int)(slash - path), path) : text_copy(".");
	if (file_is_there(folder, "meta"))
		error("%s: is a file of a dump: give the directory, %s", path, folder);
	else
		error("%s: is a file: a dump is a directory that ends in .otter", path);
	free(folder);
	return -1;
}

int find_dumps(struct job *job, const char *path)
{
	if (file_is_there(path, "meta") || has_dump_name(path)) {
		add_path(job, text_copy(path));
		return 0;
	}
	struct dirent **entries;
	int n = scandir(path, &entries, is_dump_name, versionsort);
	if (n < 0)
		return errno == ENOTDIR ? is_file(path) : error("%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		add_path(job, text_format("%s/%s", path, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (n == 0 && file_is_there(path, "summary.json"))
		return error("%s: is an output of otter-build, and no dump: these end in .otter", path);
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

bool can_take_up(const struct dump *dump)
{
	return dump->is_complete && !dump->is_snapshot && dump->meta.is_ended && tally_total(&dump->damage) == 0;
}

int open_dumps(struct job *job)
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
		if (job->n_paths > MANY_DUMPS && can_take_up(dump))
			dump_put_down(dump);
	}
	return choose_run(job);
}
