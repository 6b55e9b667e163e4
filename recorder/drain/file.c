/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "recorder/compiler.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

#define SLOTS     256 /* files that may be in use at once */
#define CHILD_FDS 1024

static struct file *slots[SLOTS];
static struct file unusable;        /* in a child: marks a slot that must not be used again */
static char paths[SLOTS][PATH_MAX]; /* only pages that were used take memory */

/* Takes a slot. Its path is empty: a path has no content while its slot is free. */
static bool enter(struct file *file)
{
	unsigned start = (unsigned)(file->owner >> 12);
	for (unsigned i = 0; i < SLOTS; i++) {
		struct file *none = NULL;
		file->slot = (start + i) % SLOTS;
		file->path = paths[file->slot];
		/* N2: The flag saying that the slot is free is read before its path is used. Pairs with N1 in leave. */
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
	/* N1: The last use of the path is ordered before the flag saying that the slot is free. Pairs with N2 in enter. */
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

/* Returns 0, or the negative errno. */
static int identify(const char *path, struct directory_id *id)
{
	struct stat status;
	int result = sys_stat(path, &status);
	if (result != 0 || !S_ISDIR(status.st_mode))
		return result ? result : -ENOTDIR;
	*id = (struct directory_id){status.st_dev, status.st_ino};
	return 0;
}

bool directory_identify(const char *path, struct directory_id *id)
{
	return identify(path, id) == 0;
}

bool directory_is_in_memory(const char *path)
{
	struct statfs fs;
	return sys_statfs(path, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

int file_name(struct file *file, const struct session *session, const struct directory *dir, uint32_t number, const char *suffix)
{
	file->fd = -1;
	file->owner = stream_self();
	file->mapping = NULL;
	file->dir = dir;
	signal_fence();
	if (!enter(file))
		return loss_cause_io_error | FILE_LATER;
	signal_fence();
	size_t length = strlen(dir->path);
	if (session->is_of_parent || dir->path[0] != '/' || length + 1 + 10 + strlen(suffix) + 1 > PATH_MAX)
		return loss_cause_io_error;
	memcpy(file->path + 1, dir->path + 1, length - 1);
	char *end = file->path + length;
	if (number != FILE_NO_NUMBER) {
		*end++ = '/';
		end = text_decimal(end, number, 5);
	}
	strcpy(end, suffix);
	signal_fence();
	/* This is one instruction: a handler of this thread that forks runs before it, and has made the path useless,
	 * or after it. */
	__atomic_fetch_add(&file->path[0], '/', __ATOMIC_RELAXED);
	return 0;
}

int file_check_directory(const struct file *file)
{
	struct directory_id id;
	int result = identify(file->dir->path, &id);
	if (result != 0)
		return file_cause(-result);
	return id.device == file->dir->id.device && id.inode == file->dir->id.inode ? 0 : loss_cause_io_error;
}

int file_open(struct file *file, int flags)
{
	int cause = file_check_directory(file);
	return cause ? cause : file_open_checked(file, flags);
}

int file_open_checked(struct file *file, int flags)
{
	int fd;
	unsigned n = 0;
	do
		fd = sys_open(file->path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	while (fd == -EINTR && ++n < FILE_INTERRUPTED_MAX);
	file->fd = fd < 0 ? -1 : fd;
	return fd < 0 ? file_cause(-fd) : 0;
}

int file_write_all(int fd, const unsigned char *bytes, size_t n_bytes, off_t offset)
{
	unsigned n_interrupted = 0;
	while (n_bytes) {
		ssize_t n = offset < 0 ? sys_write(fd, bytes, n_bytes) : sys_pwrite(fd, bytes, n_bytes, offset);
		if (n == -EINTR && ++n_interrupted < FILE_INTERRUPTED_MAX)
			continue;
		if (n <= 0)
			return n < 0 ? file_cause((int)-n) : loss_cause_io_error;
		bytes += n;
		n_bytes -= (size_t)n;
		if (offset >= 0)
			offset += n;
	}
	return 0;
}

void file_remove(const struct file *file)
{
	if (file_check_directory(file) == 0)
		sys_unlink(file->path);
}

void file_close(struct file *file)
{
	int fd = file->fd;
	file->fd = -1; /* a child that is forked from here on continues with close() */
	signal_fence();
	if (fd >= 0)
		sys_close(fd);
	signal_fence();
	leave(file);
}

/* ---- In a forked child ---- */

/* Replaces a descriptor by one that cannot be written to. The interrupted code can only close it. */
static void make_inert(int fd)
{
	int inert = sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
	if (inert >= 0 && inert != fd) {
		sys_dup3(inert, fd, O_CLOEXEC);
		sys_close(inert);
	} else if (inert < 0) {
		sys_close(fd);
	}
}

/* For a file that is open, and whose descriptor has not been noted yet. */
static void find_open(const struct file *file)
{
	static char target[PATH_MAX]; /* a child has one thread */
	char link[32] = "/proc/self/fd/";
	for (unsigned fd = 0; fd < CHILD_FDS; fd++) {
		*text_decimal(link + sizeof "/proc/self/fd/" - 1, fd, 1) = '\0';
		ssize_t n = sys_readlink(link, target, sizeof target);
		if (n > 0 && (size_t)n == strlen(file->path) && memcmp(target, file->path, (size_t)n) == 0)
			make_inert((int)fd);
	}
}

void file_replace_mapping(void *memory, size_t n_bytes)
{
	(void)sys_mmap(memory, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
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
		file_replace_mapping(file->mapping, file->mapping_bytes);
}

bool file_forget_all(void)
{
	bool has_own = false;
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i] == &unusable)
			continue;
		if (slots[i] && slots[i]->owner == stream_self()) {
			forget(slots[i]);
			slots[i] = &unusable; /* the interrupted thread still uses its path, which no other file may get */
			has_own = true;
		} else {
			slots[i] = NULL; /* a file of a thread that the child does not have */
			paths[i][0] = '\0';
		}
	}
	return has_own;
}
