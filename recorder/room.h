/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of the dump's file system a run takes. A disk is not filled by default: some of it is left to others, and a run takes
 * at most half of what was free at its start. All of its processes compare the free space with that half, so that it is
 * theirs together, whoever writes; each also counts what it writes itself, as some file systems tell late, or never.
 *
 * session_life.c begins it, output.c asks before it writes or reserves, on any thread that does; the launcher
 * notes the start of a run for all processes.
 */
#ifndef OTTER_RECORDER_ROOM_H
#define OTTER_RECORDER_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;
struct statfs;

/* What is left free is the smaller of a twentieth of the file system and the larger of these, and the smaller of these at
 * least. With OTTER_LIMIT it is the smaller of these. */
#define ROOM_LEFT_MIN (UINT64_C(16) << 20)
#define ROOM_LEFT_MAX (UINT64_C(1) << 30)

#define ROOM_START_BYTES 320 /* of room_put_start's text */

struct room {
	uint64_t start_bytes; /* free at the run's start; 0: the file system does not tell */
	uint64_t left_bytes;  /* so much is left free */
	uint64_t most_bytes;  /* this process writes no more; 0: no such limit */
	bool is_ext4;
	/* Any thread may write the following. */
	bool is_half_taken; /* recording stopped for that */
	int64_t granted;    /* so many bytes may be written without a look at the file system, */
	uint64_t until_ns;  /* until that time */
};

/* Free space of a file system for ordinary users, in bytes. */
uint64_t room_free(const struct statfs *fs);

/* What is left free of it by default. */
uint64_t room_left(const struct statfs *fs);

/* Finds out how much the session may take. Its directories exist; nothing has been written yet. For a flight recorder without
 * OTTER_LIMIT it changes the session's limit, which is not to be more than that. */
void room_begin(struct session *session);

/* Takes room for `bytes` more in an open file of the dump. Returns 0, or the loss_cause why they are not to be written. It
 * asks the file system once for a thousandth of what is there, and again after a second. Once recording has ended or stopped,
 * rings are written and then removed: that may be done as long as the disk is not full. */
int room_take(struct session *session, int fd, uint64_t bytes);

/* Is there room for `bytes` more in an open file of the dump? It asks the file system. */
bool room_has(const struct session *session, int fd, uint64_t bytes);

/* The same in an open ring, which may be on another file system. */
bool room_has_for_ring(const struct session *session, int fd, uint64_t bytes);

/* For OTTER_FREE: what is free now in `dir`, or where it will be made, and which file system that is. False: unknown. */
bool room_put_start(char text[ROOM_START_BYTES], const char *dir);

#endif
