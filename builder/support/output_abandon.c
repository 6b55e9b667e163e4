/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Removes the output directory that is not finished, on any thread and without memory: both a lack of memory and a
 * signal end the builder through here. So this file calls no other one.
 */
#include "builder/support/diag.h"
#include "builder/support/output_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The thread that holds the lock decides whether the directory is committed or removed. Recursive, because memory may be
 * out while it is held.
 */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
char *output_unfinished, *output_scratch_place;
int output_abandon_status = EXIT_FAILED;

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

int output_remove(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 ? remove_entry(AT_FDCWD, path, status.st_dev) : -1;
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
 * Other threads may make files while some are removed: the loop ends when the directory is gone. Without it they cannot
 * make any.
 */
static void remove_wholly(const char *path)
{
	for (int i = 0; path != NULL && i < 1000; i++) {
		output_remove(path);
		if (access(path, F_OK) != 0)
			break;
		usleep(1000);
	}
}

void output_abandon(void)
{
	pthread_mutex_lock(&lock);
	remove_wholly(output_unfinished);
	remove_wholly(output_scratch_place);
}
