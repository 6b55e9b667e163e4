/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the temporary directory, renames it, and removes what must not stay.
 */
#include "builder/support/output.h"
#include "builder/support/diag.h"
#include "builder/support/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The temporary directory that exists, for output_abandon, and the lock that keeps the two apart: the thread that holds
 * it decides whether the directory is committed or removed.
 */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* memory may be out while it is held */
static char *unfinished;

static int remove_entry(int parent, const char *name, dev_t device);

/* Removes what is in an open directory. True: something was there, and is gone. */
static bool remove_contents(int fd, dev_t device)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct dirent64))));
	bool has_removed = false;
	ssize_t n_bytes;
	lseek(fd, 0, SEEK_SET);
	while ((n_bytes = getdents64(fd, buffer, sizeof buffer)) > 0)
		for (ssize_t at = 0; at < n_bytes;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(buffer + at);
			at += entry->d_reclen;
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				has_removed |= remove_entry(fd, entry->d_name, device) == 0;
		}
	return has_removed;
}

/* Takes no memory, as it may be out. Does not follow links, and leaves other file systems alone. 0, or -1. */
static int remove_entry(int parent, const char *name, dev_t device)
{
	struct stat status;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return unlinkat(parent, name, 0);
	bool is_here = fstat(fd, &status) == 0 && status.st_dev == device;
	while (is_here && remove_contents(fd, device)) /* a directory that changes is read again */
		continue;
	close(fd);
	return is_here ? unlinkat(parent, name, AT_REMOVEDIR) : -1;
}

static int remove_tree(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 ? remove_entry(AT_FDCWD, path, status.st_dev) : -1;
}

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

int output_open(struct output *output, const char *path, bool is_forced, bool (*is_own)(const char *name))
{
	static bool is_at_exit;
	*output = (struct output){text_copy(path), NULL, is_forced, is_own};
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
	char *temporary = text_format("%s.tmp-%ld", output->path, (long)getpid());
	pthread_mutex_lock(&lock);
	int rc = mkdir(temporary, 0777) == 0 ? 0 : error("%s: cannot be made: %s", temporary, strerror(errno));
	unfinished = output->temporary = rc == 0 ? temporary : NULL;
	pthread_mutex_unlock(&lock);
	if (rc != 0)
		free(temporary);
	return rc;
}

/*
 * The temporary directory becomes the final one, in whose place there may be an old one, which gets the name `old`
 * before.
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
	unfinished = NULL;
	if (has_old && remove_tree(old) != 0)
		warning("%s: the old output could not be removed: %s", old, strerror(errno));
	return 0;
}

int output_commit(struct output *output)
{
	char *old = text_format("%s.old-%ld", output->path, (long)getpid());
	pthread_mutex_lock(&lock);
	int rc = replace(output, old);
	pthread_mutex_unlock(&lock);
	free(old);
	if (rc == 0) {
		free(output->temporary);
		output->temporary = NULL;
	}
	return rc;
}

void output_hold(void)
{
	pthread_mutex_lock(&lock);
}

void output_release(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * Other threads make files while some are removed: it is over when the directory is gone. They cannot make any without
 * it.
 */
void output_abandon(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; unfinished != NULL && i < 1000; i++) {
		remove_tree(unfinished);
		if (access(unfinished, F_OK) != 0)
			break;
		usleep(1000);
	}
}

void output_close(struct output *output)
{
	pthread_mutex_lock(&lock);
	unfinished = NULL;
	if (output->temporary != NULL)
		remove_tree(output->temporary);
	pthread_mutex_unlock(&lock);
	free(output->temporary);
	free(output->path);
	*output = (struct output){0};
}
