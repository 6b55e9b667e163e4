/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES (1 << 20)

/* Does the link in the directory lead to this dump, or to a dump that is no longer there? */
static bool belongs_to(int rings, int dump)
{
	char target[PATH_MAX];
	struct stat wanted, found;
	ssize_t n = readlinkat(rings, RINGS_LINK, target, sizeof target - 1);
	if (n <= 0 || fstat(dump, &wanted) != 0)
		return false;
	target[n] = '\0';
	if (stat(target, &found) != 0)
		return errno == ENOENT;
	return found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
}

/* Is this a directory of the dump's, as its name says, that has no link? Its process was killed as it made the directory, or removed
 * it: then nothing is in it. */
static bool is_unfinished(int rings, int dump, const char *dump_path, const char *ring_dir)
{
	char target[1];
	struct stat of_rings, of_dump;
	const char *slash = strrchr(dump_path, '/'), *name = slash != NULL ? slash + 1 : dump_path;
	const char *ring_slash = strrchr(ring_dir, '/'), *ring_name = ring_slash != NULL ? ring_slash + 1 : ring_dir;
	size_t n = 0;
	if (readlinkat(rings, RINGS_LINK, target, sizeof target) >= 0 || errno != ENOENT)
		return false;
	while (name[n] != '\0' && name[n] == ring_name[n])
		n++;
	/* Each of the names may have a number at its end. */
	bool is_of_dump = strcmp(name, ring_name) == 0 || (name[n] == '-' && strcmp(ring_name + n, ".otter") == 0) ||
			  (ring_name[n] == '-' && strcmp(name + n, ".otter") == 0);
	return is_of_dump && fstat(rings, &of_rings) == 0 && fstat(dump, &of_dump) == 0 && of_rings.st_uid == of_dump.st_uid;
}

static bool is_of_a_ring(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot != NULL && (strcmp(dot, ".ring") == 0 || strcmp(dot, ".pbuf") == 0);
}

static bool copy_all(int from, int to)
{
	ssize_t n;
	do
		n = sendfile(to, from, NULL, BLOCK_BYTES);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n == 0;
}

/* Opens a new file under this name, in place of what a killed collector has left there. */
static int make_new(int dump, const char *name)
{
	unlinkat(dump, name, 0);
	return openat(dump, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Is it a file of the dump's owner? */
static bool is_of_owner(int file, int dump)
{
	struct stat of_file, of_dump;
	return fstat(file, &of_file) == 0 && fstat(dump, &of_dump) == 0 && S_ISREG(of_file.st_mode) &&
	       of_file.st_uid == of_dump.st_uid;
}

/* Copies a file under a temporary name, which becomes its own when the copy is whole, and removes it. Returns false if it is
 * still there. */
static bool move(int rings, int dump, const char *name)
{
	char temporary[NAME_MAX + 1];
	if (snprintf(temporary, sizeof temporary, "%s.new", name) >= (int)sizeof temporary)
		return false;
	int from = openat(rings, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (from < 0)
		return errno == ENOENT;
	int to = is_of_owner(from, dump) ? make_new(dump, temporary) : -1;
	bool is_whole = to >= 0 && copy_all(from, to);
	if (to >= 0)
		is_whole = close(to) == 0 && is_whole;
	close(from);
	is_whole = is_whole && renameat(dump, temporary, dump, name) == 0;
	if (is_whole)
		unlinkat(rings, name, 0);
	else if (to >= 0)
		unlinkat(dump, temporary, 0);
	return is_whole;
}

/* Moves all files of rings. Returns false if one of them is still there. */
static bool move_all(DIR *rings, int dump)
{
	bool is_empty = true;
	const struct dirent *entry;
	while ((entry = readdir(rings)) != NULL)
		if (is_of_a_ring(entry->d_name))
			is_empty &= move(dirfd(rings), dump, entry->d_name);
	return is_empty;
}

void rings_collect(const char *dump_path, const char *ring_dir)
{
	int fd = open(ring_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *rings = fd >= 0 ? fdopendir(fd) : NULL;
	int dump = rings != NULL ? open(dump_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	/* One collector at a time: a second one finds nothing left. */
	bool is_locked = dump >= 0 && flock(fd, LOCK_EX) == 0;
	if (is_locked && belongs_to(fd, dump) && move_all(rings, dump)) {
		unlinkat(fd, RINGS_LINK, 0);
		rmdir(ring_dir);
	} else if (is_locked && is_unfinished(fd, dump, dump_path, ring_dir)) {
		rmdir(ring_dir); /* fails where anything is in it */
	}
	if (dump >= 0)
		close(dump);
	if (rings != NULL)
		closedir(rings);
	else if (fd >= 0)
		close(fd);
}
