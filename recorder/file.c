/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/compiler.h"
#include "recorder/output.h"
#include "recorder/session.h"
#include "recorder/stream.h"
#include "recorder/text.h"

#define SLOTS     256 /* threads that may be at a file at once; those beyond are not known to the handler of fork */
#define CHILD_FDS 1024

static struct file *slots[SLOTS];

static void enter(struct file *file)
{
	unsigned start = (unsigned)(file->owner >> 12);
	for (unsigned i = 0; i < SLOTS; i++) {
		struct file *none = NULL;
		file->slot = (start + i) % SLOTS;
		if (__atomic_compare_exchange_n(&slots[file->slot], &none, file, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

bool file_name(struct file *file, const struct session *session, const char *dir, uint32_t number, const char *suffix)
{
	file->path[0] = '\0';
	file->fd = -1;
	file->owner = stream_self();
	file->mapping = NULL;
	signal_fence();
	enter(file);
	signal_fence();
	size_t length = strlen(dir);
	if (session->is_of_parent || dir[0] != '/' || length + 1 + 10 + strlen(suffix) + 1 > PATH_MAX)
		return false;
	memcpy(file->path + 1, dir + 1, length - 1);
	char *end = file->path + length;
	if (number != FILE_NO_NUMBER) {
		*end++ = '/';
		end = text_decimal(end, number, 5);
	}
	strcpy(end, suffix);
	signal_fence();
	/* One instruction for a handler of this thread: it comes before, and has seen to it that nothing becomes of this, or behind. */
	__atomic_fetch_add(&file->path[0], '/', __ATOMIC_RELAXED);
	return true;
}

int file_open(struct file *file, int flags)
{
	int fd;
	unsigned n = 0;
	do
		fd = open(file->path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	while (fd < 0 && errno == EINTR && ++n < OUTPUT_INTERRUPTED_MAX);
	file->fd = fd;
	return fd < 0 ? output_cause(errno) : 0;
}

void file_close(struct file *file)
{
	struct file *self = file;
	int fd = file->fd;
	file->fd = -1; /* a child that finds it open closes it all the same */
	signal_fence();
	if (fd >= 0)
		close(fd);
	signal_fence();
	__atomic_compare_exchange_n(&slots[file->slot], &self, NULL, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- In a child ---- */

/* Whoever goes on with this number can write nothing, and closes it. */
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

/* Opened, and its number not yet noted. */
static void find_open(const struct file *file)
{
	char link[32] = "/proc/self/fd/", target[PATH_MAX];
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
	file->path[0] = (char)(is_whole ? 0 : -'/'); /* file_name() may still be about to add it */
	if (file->mapping)
		(void)mmap(file->mapping, file->mapping_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0);
}

bool file_forget_all(void)
{
	bool has_own = false;
	for (unsigned i = 0; i < SLOTS; i++) {
		if (slots[i] && slots[i]->owner == stream_self()) {
			forget(slots[i]);
			has_own = true;
		}
		slots[i] = NULL; /* those of other threads, which are not here */
	}
	return has_own;
}
