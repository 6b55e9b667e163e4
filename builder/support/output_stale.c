/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Removes the directories that killed builders have left. Each builder locks its own (flock), so a directory with a free
 * lock has no builder, whatever its number means here. Where a file system has no locks nothing is removed. Its process must
 * be gone as well, as locks may hold on one host only.
 */
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/output_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int output_lock(const char *path)
{
	struct stat own, there;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	/* Was it removed between its making and the lock? */
	bool is_there =
		fstat(fd, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino && own.st_dev == there.st_dev;
	if (is_there)
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

/* The number of a process at the end of the name, or after it `-` and more. 0: none. */
static pid_t process_in(const char *text)
{
	char *end;
	errno = 0;
	long pid = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;
	return pid > 0 && pid <= INT_MAX && errno == 0 && (*end == '\0' || *end == '-') ? (pid_t)pid : 0;
}

/* Could the builder have written this: an output, or a file beside it that it needs meanwhile (otter.sqlite-journal)? */
static bool is_of_builder(const char *name, bool (*is_own)(const char *name))
{
	char stem[256];
	size_t n = strlen(name), last = strcspn(name, "-");
	/* A file without a name has one for a moment. */
	const char *nameless = strstr(name, NAMELESS_MARK);
	if (is_own(name) || (nameless != NULL && strlen(nameless) == sizeof NAMELESS_MARK - 1 + 6))
		return true;
	const char *dot = strrchr(name, '.');
	size_t cut = last < n ? last : dot != NULL ? (size_t)(dot - name) : n;
	if (cut >= sizeof stem)
		return false;
	memcpy(stem, name, cut);
	stem[cut] = '\0';
	return is_own(stem);
}

static bool holds_only_own(int fd, bool (*is_own)(const char *name))
{
	int copy = is_own != NULL ? openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	if (dir == NULL) {
		if (copy >= 0)
			close(copy);
		return is_own == NULL;
	}
	bool is_good = true;
	for (const struct dirent *entry; is_good && (entry = readdir(dir)) != NULL;)
		is_good =
			strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || is_of_builder(entry->d_name, is_own);
	closedir(dir);
	return is_good;
}

static void remove_if_left(const char *path, pid_t pid, bool (*is_own)(const char *name))
{
	struct stat status;
	int fd = kill(pid, 0) != 0 && errno == ESRCH ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    holds_only_own(fd, is_own))
		output_remove(path);
	close(fd);
}

void output_remove_left(const char *prefix, bool (*is_own)(const char *name))
{
	const char *slash = strrchr(prefix, '/'), *base = slash != NULL ? slash + 1 : prefix;
	char *folder = slash != NULL ? text_format("%.*s/", (int)(slash - prefix), prefix) : text_copy("./");
	DIR *dir = opendir(folder);
	for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		size_t n = strlen(base);
		pid_t pid = strncmp(entry->d_name, base, n) == 0 ? process_in(entry->d_name + n) : 0;
		if (pid == 0)
			continue;
		char *path = text_format("%s%s", folder, entry->d_name);
		remove_if_left(path, pid, is_own);
		free(path);
	}
	if (dir != NULL)
		closedir(dir);
	free(folder);
}
