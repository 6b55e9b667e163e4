/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of the dump, from its name to its closing. Any thread that writes the dump calls this. It uses little stack,
 * as the stack may be a user-level thread's: names of files are kept in memory of their own.
 *
 * The handler of fork knows every file in use. Signals wait while a thread uses files (guard.h), but signals that an
 * instruction raises do not, and a handler of one of these may fork. The child then continues in the middle of its
 * parent's work, and none of that may reach its parent's dump: names that are still to be used become empty, an open
 * descriptor is replaced by one that cannot be written to, and memory that is mapped from a file is replaced.
 */
#ifndef OTTER_RECORDER_FILE_H
#define OTTER_RECORDER_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct session;

/* The directory that a path led to when the dump was made. */
struct directory_id {
	uint64_t device, inode; /* of stat(2) */
};

/* A bit of a cause: there was no descriptor, no memory, or an interruption. A caller that can keep its bytes tries
 * again later. */
#define FILE_LATER 0x100

/* How often a call that was interrupted is tried again: it must end even if the program interrupts it for ever. */
#define FILE_INTERRUPTED_MAX 100

struct directory {
	char path[PATH_MAX]; /* absolute */
	struct directory_id id;
};

struct file {
	char *path;                  /* PATH_MAX bytes; its first byte is 0 until the path is complete. NULL: no slot was free */
	const struct directory *dir; /* one of the session's two, with which the path begins */
	int fd;                      /* -1: not open */
	uintptr_t owner;             /* stream_self() of the thread that uses it */
	unsigned slot;               /* its index in the table that the handler of fork reads */
	void *mapping;               /* the file's mapped memory, which a child replaces; NULL: none */
	size_t mapping_bytes;
};

/* Translates the errno of a call on a file into a loss_cause, with FILE_LATER where the next try may succeed. */
int file_cause(int error);

/* Fills in the identity of the directory at `path`. Returns false if there is none. */
bool directory_identify(const char *path, struct directory_id *id);

/* Is the directory on a tmpfs, whose files wait for no disk? */
bool directory_is_in_memory(const char *path);

/* Names the file `dir`/NNNNN`suffix`, or `dir``suffix` with FILE_NO_NUMBER. Returns 0, or the cause: the name is too
 * long, the session is another process's, or too many threads use files at this moment (FILE_LATER). file_close() has
 * to follow in any case. `dir` is the session's `dir` or `ring_dir`. */
int file_name(struct file *file, const struct session *session, const struct directory *dir, uint32_t number, const char *suffix);
#define FILE_NO_NUMBER UINT32_MAX

/* Calls open(2) with O_CLOEXEC and O_NOFOLLOW, and again where it was interrupted. Returns 0, or the cause. Where
 * another directory has taken the place of the dump's, also through a symbolic link, nothing is opened. (That is
 * checked just before the call: a directory that is exchanged between the two is not noticed.) */
int file_open(struct file *file, int flags);

/* The two halves of file_open(), for a thread that opens several files in one moment. The first one returns 0 if the file's
 * directory is the one in which the dump was made, or the cause. */
int file_check_directory(const struct file *file);
int file_open_checked(struct file *file, int flags);

/* Writes all of the bytes at the offset; -1: where the file's position is. */
int file_write_all(int fd, const unsigned char *bytes, size_t n_bytes, off_t offset);

/* Removes the file, unless another directory has taken the place of the dump's. */
void file_remove(const struct file *file);

/* Closes the file if it is open, and gives its slot back. */
void file_close(struct file *file);

/* Replaces memory that is mapped from a file, or that a child did not inherit, by empty private memory. */
void file_replace_mapping(void *memory, size_t n_bytes);

/* Called in a forked child: cuts all files off from the parent's dump. Returns true if the calling thread was using
 * one. */
bool file_forget_all(void);

#endif
