/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the temporary directory, renames it, and removes what must not stay.
 */
#include "builder/support/output_private.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 3 /* of making a directory that another builder removes */

static int scratch_lock = -1;

/* May this existing directory be replaced? */
static int check_replaceable(const struct output *output)
{
	const char *path = output->path;
	struct stat status;
	if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return error("%s: exists and is not a directory; it is left alone", path);
	DIR *dir = opendir(path);
	if (dir == NULL)
		return error("%s: cannot be read: %s", path, strerror(errno));
	int rc = 0;
	for (const struct dirent *entry; rc == 0 && (entry = readdir(dir)) != NULL;)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !output->is_own(entry->d_name))
			rc = error("%s: holds '%s', which otter-build did not write; --force replaces only its own output", path,
				   entry->d_name);
	closedir(dir);
	return rc;
}

/* Makes the temporary directory and locks it: another builder that sees it without a lock may remove it, and then it is made anew. */
static int make_temporary(struct output *output)
{
	char *path = text_format("%s.tmp-%ld", output->path, (long)getpid());
	for (int i = 0; i < TRIES && output->lock < 0 && (i == 0 || errno == ENOENT); i++) {
		if (mkdir(path, 0777) != 0) {
			int rc = error("%s: cannot be made: %s", path, strerror(errno));
			free(path);
			return rc;
		}
		output->lock = output_lock(path);
	}
	output_unfinished = output->temporary = path;
	return 0;
}

/* Removes what killed builders have left beside the output: NAME.tmp-PID, or with ".old-" NAME.old-PID. */
static void remove_left(const struct output *output, const char *sort)
{
	char *prefix = text_format("%s%s", output->path, sort);
	output_remove_left(prefix, output->is_own);
	free(prefix);
}

int output_open(struct output *output, const char *path, bool is_forced, bool (*is_own)(const char *name))
{
	static bool is_at_exit;
	*output = (struct output){text_copy(path), NULL, -1, is_forced, is_own};
	struct stat status;
	size_t end = strlen(output->path);
	while (end > 1 && output->path[end - 1] == '/')
		output->path[--end] = '\0';
	if (lstat(output->path, &status) == 0) {
		if (!is_forced)
			return error("%s: exists already (--force replaces it, -o names another place)", output->path);
		if (check_replaceable(output) != 0)
			return -1;
	}
	/* Libraries may end the process, too: OpenMP's does where it gets no thread. */
	if (!is_at_exit && atexit(output_abandon) != 0)
		return error("%s: cannot be made: %s", output->path, strerror(errno));
	is_at_exit = true;
	remove_left(output, ".tmp-");
	output_hold();
	int rc = make_temporary(output);
	output_release();
	return rc;
}

/*
 * Renames the temporary directory to its final name. An old directory of that name is renamed to `old` before.
 */
static int replace(struct output *output, const char *old)
{
	struct stat status;
	bool has_old = lstat(output->path, &status) == 0;
	if (has_old) {
		if (!output->is_forced || check_replaceable(output) != 0)
			return error("%s: appeared meanwhile; the new output was not put there", output->path);
		if (rename(output->path, old) != 0)
			return error("%s: cannot be moved away: %s", output->path, strerror(errno));
	}
	if (rename(output->temporary, output->path) != 0) {
		error("%s: cannot be renamed to %s: %s", output->temporary, output->path, strerror(errno));
		if (has_old)
			rename(old, output->path);
		return -1;
	}
	output_unfinished = NULL;
	if (has_old && output_remove(old) != 0)
		warning("%s: the old output could not be removed: %s", old, strerror(errno));
	return 0;
}

int output_commit(struct output *output)
{
	char *old = text_format("%s.old-%ld", output->path, (long)getpid());
	output_hold();
	int rc = replace(output, old);
	output_release();
	free(old);
	if (rc == 0) {
		free(output->temporary);
		output->temporary = NULL;
		remove_left(output, ".old-"); /* not before: it may be the only output that there is */
	}
	return rc;
}

void output_close(struct output *output)
{
	output_hold();
	output_unfinished = NULL;
	if (output->temporary != NULL)
		output_remove(output->temporary);
	output_release();
	if (output->path != NULL && output->lock >= 0)
		close(output->lock);
	free(output->temporary);
	free(output->path);
	*output = (struct output){0};
}

const char *output_scratch(void)
{
	if (output_scratch_place != NULL)
		return output_scratch_place;
	const char *dir = getenv("TMPDIR");
	char *prefix = text_format("%s/otter-build-", dir != NULL && *dir != '\0' ? dir : "/var/tmp");
	char *path = text_format("%s%ld-XXXXXX", prefix, (long)getpid());
	output_remove_left(prefix, NULL);
	free(prefix);
	output_hold();
	if (mkdtemp(path) != NULL) {
		output_scratch_place = path;
		scratch_lock = output_lock(path);
	}
	output_release();
	if (output_scratch_place == NULL) {
		error("%s: cannot be made: %s", path, strerror(errno));
		free(path);
	}
	return output_scratch_place;
}

void output_scratch_end(void)
{
	output_hold();
	char *path = output_scratch_place;
	if (path != NULL && output_remove(path) != 0)
		warning("%s: could not be removed: %s", path, strerror(errno));
	output_scratch_place = NULL;
	if (scratch_lock >= 0)
		close(scratch_lock);
	scratch_lock = -1;
	output_release();
	free(path);
}
