/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of the dump, from its name to its closing. What it takes of the stack is little, as that may be a user-level thread's: names are kept aside.
 *
 * Known to the handler of fork: signals wait while a thread has files at hand (guard.h), but not those that an instruction raises, and a handler
 * of one of these may fork. The child then goes on in the midst of its parent's work, and nothing of that may reach its parent's dump: names
 * that are still to be used become empty, an open descriptor becomes one that nothing can be written to, memory mapped of a file is replaced.
 */
#ifndef OTTER_RECORDER_FILE_H
#define OTTER_RECORDER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/* In a cause: no descriptor left, no memory, an interruption. Nothing is broken, and who can keep the bytes tries again. */
#define FILE_LATER 0x100

/* Times that a call may be interrupted: a thread that is interrupted for ever does not hold up the program. */
#define FILE_INTERRUPTED_MAX 100

struct file {
	char *path;      /* of PATH_MAX; its first byte is 0 until it is whole. NULL: there was no place for it */
	int fd;          /* -1: not open */
	uintptr_t owner; /* stream_self() */
	unsigned slot;   /* among those that the handler of fork knows */
	void *mapping;   /* of its content, to be replaced in a child; NULL: none */
	size_t mapping_bytes;
};

/* What an errno of a call on a file means: a loss_cause, with FILE_LATER where the next try may succeed. */
int file_cause(int error);

/* Names `dir`/NNNNN`suffix`, or `dir``suffix` where there is no number. 0, or the cause: too long, the session
 * is not this process's, or, as that passes, too many threads are at a file. Whatever is returned, file_close() has to follow. */
int file_name(struct file *file, const struct session *session, const char *dir, uint32_t number, const char *suffix);
#define FILE_NO_NUMBER UINT32_MAX

/* open(2) with O_CLOEXEC and O_NOFOLLOW, tried again where it was interrupted. 0, or the cause. */
int file_open(struct file *file, int flags);

/* Closes it, where it is open, and forgets it. */
void file_close(struct file *file);

/* In a forked child. True: the calling thread was in the midst of something. */
bool file_forget_all(void);

#endif
