/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/compiler.h"
#include "recorder/session.h"
#include "recorder/stream.h"
#include "recorder/text.h"

#define SLOTS     256 /* files that may be in use at once */
#define CHILD_FDS 1024

static struct file *slots[SLOTS];
static struct file nobodys;         /* in a child: marks a slot that must not be used again */
static char paths[SLOTS][PATH_MAX]; /* only pages that were used take memory */

/* Takes a slot. Its path is empty: a path has no content while its slot is free. */
static bool enter(struct file *file)
{
	unsigned start = (unsigned)(file->owner >> 12);
	for (unsigned i = 0; i < SLOTS; i++) {
		struct file *none = NULL;
		file->slot = (start + i) % SLOTS;
		file->path = paths[file->slot];
		/* N2: The slot's path is not used any more. Pairs with N1 in leave. */
		if (__atomic_compare_exchange_n(&slots[file->slot], &none, file, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	}
	file->path = NULL;
	return false;
}

static void leave(struct file *file)
{
	struct file *self = file;
	if (!file->path)
		return;
	/* In a forked child the slot may not be this file's any more. */
	if (__atomic_load_n(&slots[file->slot], __ATOMIC_RELAXED) == file)
		file->path[0] = '\0';
	/* N1: The path was used before the slot is free. Pairs with N2 in enter. */
	__atomic_compare_exchange_n(&slots[file->slot], &self, NULL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

int file_cause(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT: return loss_cause_no_space;
	case EFBIG: return loss_cause_limit;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
	case EINTR: return loss_cause_io_error | FILE_LATER;
	default: return loss_cause_io_error;
	}
}

bool directory_identify(const char *path, struct directory_id *id)
{
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
		return false;
	*id = (struct directory_id){status.st_dev, status.st_ino};
	return true;
}

int file_name(struct file *file, const struct session *session, const char *dir, uint32_t number, const char *suffix)
{
	file->fd = -1;
	file->owner = stream_self();
	file->mapping = NULL;
	file->dir = dir;
	file->dir_id = dir == session->ring_dir ? session->ring_dir_id : session->dir_id;
	signal_fence();
	if (!enter(file))
		return loss_cause_io_error | FILE_LATER;
	signal_fence();
	size_t length = strlen(dir);
	if (session->is_of_parent || dir[0] != '/' || length + 1 + 10 + strlen(suffix) + 1 > PATH_MAX)
		return loss_cause_io_error;
	memcpy(file->path + 1, dir + 1, length - 1);
	char *end = file->path + length;
	if (number != FILE_NO_NUMBER) {
		*end++ = '/';
		end = text_decimal(end, number, 5);
	}
	strcpy(end, suffix);
	signal_fence();
	/* This is one instruction, so a handler of this thread that forks comes before it, and has made the path
	 * useless, or after it. */
	__atomic_fetch_add(&file->path[0], '/', __ATOMIC_RELAXED);
	return 0;
}

/* Returns 0 if the file's directory is the one in which the dump was made, or the cause. */
static int check_directory(const struct file *file)
{
	struct directory_id id;
	if (!directory_identify(file->dir, &id))
		return file_cause(errno);
	return id.device == file->dir_id.device && id.inode == file->dir_id.inode ? 0 : loss_cause_io_error;
}

int file_open(struct file *file, int flags)
{
	int cause = check_directory(file);
	if (cause)
		return cause;
	int fd;
	unsigned n = 0;
	do
		fd = open(file->path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	while (fd < 0 && errno == EINTR && ++n < FILE_INTERRUPTED_MAX);
	file->fd = fd;
	return fd < 0 ? file_cause(errno) : 0;
}

void file_remove(const struct file *file)
{
	if (check_directory(file) == 0)
		unlink(file->path);
}

void file_close(struct file *file)
{
	int fd = file->fd;
	file->fd = -1; /* a child that is forked from here on goes on with close() */
	signal_fence();
	if (fd >= 0)
		close(fd);
	signal_fence();
	leave(file);
}

/* ---- In a forked child ---- */

/* Makes a descriptor one that nothing can be written to. What goes on with this number can only close it. */
static void make_inert(int fd)
{
	int inert = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (inert >= 0 && inert != fd) {
		dup3(inert, fd, O_CLOEXEC);
		close(inert);
	} else if (inert < 0) {
		close(fd);
	}
}

/* For a file that is open, but whose descriptor has not been noted yet. */
static void find_open(const struct file *file)
{
	static char target[PATH_MAX]; /* a child has one thread */
	char link[32] = "/proc/self/fd/";
	for (unsigned fd = 0; fd < CHILD_FDS; fd++) {
		*text_decimal(link + sizeof "/proc/self/fd/" - 1, fd, 1) = '\0';
		ssize_t n = readlink(link, target, sizeof target);
		if (n > 0 && (size_t)n == strlen(file->path) && memcmp(target, file->path, (size_t)n) == 0)
			make_inert((int)fd);
	}
}

static void forget(struct file *file)
{
	bool is_whole = file->path[0];
	if (file->fd >= 0)
		make_inert(file->fd);
	else if (is_whole)
		find_open(file);
	file->path[0] = (char)(is_whole ? 0 : -'/'); /* file_name() may still be about to add '/' */
	if (file->mapping)
		(void)mmap(file->mapping, file->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0);
}

bool file_forget_all(void)
{
	bool has_own = false;
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i] == &nobodys)
			continue;
		if (slots[i] && slots[i]->owner == stream_self()) {
			forget(slots[i]);
			slots[i] = &nobodys; /* the interrupted thread goes on with its path, which no other file may get */
			has_own = true;
		} else {
			slots[i] = NULL; /* a file of another thread, which the child does not have */
			paths[i][0] = '\0';
		}
	}
	return has_own;
}
