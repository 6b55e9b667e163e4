/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Temporary directory, rename, and careful replacement.
 */
#include "builder/support/output.h"
#include "builder/support/diag.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything that the builder writes into an output directory, and what versions before 0.2.0 called the archive. */
static const char *const own_files[] = {"traces.otf2",         "traces.def",    "traces",      "graph.dot", "constructs.csv", "nodes.csv",
					"edges.csv",           "exclusive.csv", "samples.csv", "units.csv", "states.csv",
					"state_intervals.csv", "summary.json"};
static const char *const former_files[] = {"trace.otf2", "trace.def", "trace"};

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof own_files / sizeof own_files[0]; i++)
		if (strcmp(name, own_files[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof former_files / sizeof former_files[0]; i++)
		if (strcmp(name, former_files[i]) == 0)
			return true;
	return false;
}

/* The directory that is being filled: for output_abandon, which nobody can hand anything. */
static char *_Atomic unfinished;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static int remove_tree(const char *path)
{
	return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* May this existing directory be replaced? */
static int check_replaceable(const char *path)
{
	struct stat status;
	if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return error("%s: exists and is not a directory; it is left alone", path);
	DIR *dir = opendir(path);
	if (dir == NULL)
		return error("%s: cannot be read: %s", path, strerror(errno));
	int rc = 0;
	for (const struct dirent *entry; rc == 0 && (entry = readdir(dir)) != NULL;)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_own(entry->d_name))
			rc = error("%s: holds '%s', which otter-build did not write; --force replaces only its own output", path,
				   entry->d_name);
	closedir(dir);
	return rc;
}

int output_open(struct output *output, const char *path, bool is_forced)
{
	*output = (struct output){strdup(path), NULL, is_forced};
	struct stat status;
	if (output->path == NULL)
		return error("out of memory");
	size_t end = strlen(output->path);
	while (end > 1 && output->path[end - 1] == '/')
		output->path[--end] = '\0';
	if (lstat(output->path, &status) == 0) {
		if (!is_forced)
			return error("%s: exists already (--force replaces it, -o names another place)", output->path);
		if (check_replaceable(output->path) != 0)
			return -1;
	}
	if (asprintf(&output->temporary, "%s.tmp-%ld", output->path, (long)getpid()) < 0) {
		output->temporary = NULL;
		return error("out of memory");
	}
	if (mkdir(output->temporary, 0777) != 0) {
		int rc = error("%s: cannot be made: %s", output->temporary, strerror(errno));
		free(output->temporary);
		output->temporary = NULL;
		return rc;
	}
	unfinished = output->temporary;
	return 0;
}

int output_commit(struct output *output)
{
	char *old = NULL;
	struct stat status;
	if (lstat(output->path, &status) == 0) {
		if (!output->is_forced || check_replaceable(output->path) != 0)
			return error("%s: appeared meanwhile; the new output was not put there", output->path);
		if (asprintf(&old, "%s.old-%ld", output->path, (long)getpid()) < 0)
			return error("out of memory");
		if (rename(output->path, old) != 0) {
			free(old);
			return error("%s: cannot be moved away: %s", output->path, strerror(errno));
		}
	}
	int rc = 0;
	if (rename(output->temporary, output->path) != 0) {
		rc = error("%s: cannot be renamed to %s: %s", output->temporary, output->path, strerror(errno));
		if (old != NULL)
			rename(old, output->path);
	} else {
		unfinished = NULL;
		free(output->temporary);
		output->temporary = NULL;
		if (old != NULL && remove_tree(old) != 0)
			warning("%s: the old output could not be removed: %s", old, strerror(errno));
	}
	free(old);
	return rc;
}

void output_abandon(void)
{
	const char *path = atomic_exchange(&unfinished, NULL);
	if (path != NULL)
		remove_tree(path);
}

void output_close(struct output *output)
{
	unfinished = NULL;
	if (output->temporary != NULL)
		remove_tree(output->temporary);
	free(output->temporary);
	free(output->path);
	*output = (struct output){0};
}
