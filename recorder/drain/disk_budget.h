/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of the dump's file system a run takes. A disk is not filled by default: some of it is left free, and a run
 * takes at most half of what was free at its start. All of its processes compare the free space with that half, so that
 * they share it; each also counts the bytes that it writes itself, as some file systems report free space late, or
 * never. The launcher notes the start of a run for all processes. Any thread takes room here before it writes.
 */
#ifndef OTTER_RECORDER_DISK_BUDGET_H
#define OTTER_RECORDER_DISK_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;
struct statfs;

/* A twentieth of the file system is left free, but not less than the first and not more than the second of these. With
 * OTTER_LIMIT the first is left free. */
#define BUDGET_LEFT_MIN (UINT64_C(16) << 20)
#define BUDGET_LEFT_MAX (UINT64_C(1) << 30)

#define BUDGET_START_BYTES 320 /* of budget_put_start's text */

struct disk_budget {
	uint64_t start_bytes; /* free at the run's start; 0: not known */
	uint64_t left_bytes;  /* what is left free */
	uint64_t most_bytes;  /* the most that this process writes; 0: no limit */
	bool is_ext4;
	bool is_served; /* the file system is another machine's, or a program's: it may not answer */
	/* Any thread may write the following. */
	bool is_half_taken;    /* recording stopped for this reason */
	int64_t granted_bytes; /* that may be written until until_ns before the free space is read again */
	uint64_t until_ns;
};

/* Returns the free space of a file system for ordinary users, in bytes. */
uint64_t budget_free(const struct statfs *fs);

/* Returns how much of it is left free by default. */
uint64_t budget_left(const struct statfs *fs);

/* Finds out how much the session may take. Its directory exists, on the file system `fs` (f_blocks 0: it is not known); nothing has been written yet. For a flight recorder
 * without OTTER_LIMIT it lowers the session's limit to that. */
void budget_begin(struct session *session, const struct statfs *fs);

/* Takes room for `bytes` more in an open file of the dump. Returns 0, or the loss_cause why they must not be written.
 * It reads the free space once for a thousandth of it, and again after a second. Once recording has ended or stopped,
 * rings are written and then removed, which is allowed as long as the disk is not full. */
int budget_take(struct session *session, int fd, uint64_t bytes);

/* Is there room for `bytes` more in an open file of the dump? It reads the free space. */
bool budget_has(const struct session *session, int fd, uint64_t bytes);

/* The same for an open ring, which may be on another file system. */
bool budget_has_for_ring(const struct session *session, int fd, uint64_t bytes);

/* Puts the value of OTTER_FREE: the bytes that are free now in the directory, and its file system.
 * False: they are not known. */
bool budget_put_start(char text[BUDGET_START_BYTES], const char *dir);

#endif
