/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events on their way to the visitors. Where one stream has so many records that other threads would wait for the thread
 * that replays it, its events go through a pipe: the replay writes them into blocks, and another thread reads these, and
 * calls the visitors in the same order. A pipe needs no thread of its own. While no other thread has time for it, the
 * thread that replays empties it itself when it is full. So threads that have nothing else to do can help at any time.
 *
 * A stream has a pipe only where it waits for no other stream (hand.h), as visitors come after the replay then. Made by
 * run.c and used by schedule.c; visitors see no difference.
 */
#ifndef OTTER_BUILDER_REPLAY_PIPE_H
#define OTTER_BUILDER_REPLAY_PIPE_H

#include "builder/replay/state.h"

struct pipes {
	const struct model *model;
	const struct call *calls[REPLAY_FUNCTIONS]; /* as in struct replay: the visitors at the ends of the pipes */
	struct call own[REPLAY_FUNCTIONS][2];       /* lists for struct replay that lead to the pipes */
	struct pipe **of;                           /* by row of dump.streams; NULL: the stream has none */
	size_t n_streams, n;
};

/*
 * Makes pipes for the streams that are worth it on so many threads, and leads the replay's calls to them; NULL: there are
 * none. To be freed by pipes_free(). The other functions do nothing for NULL.
 */
struct pipes *pipes_begin(struct replay *r, size_t n_threads);
void pipes_free(struct pipes *pipes);

/* Helps with the pipe of a stream that is replayed now, until that is over. False: each has a helper, or is over. */
bool pipes_help(const struct pipes *pipes);

/* The stream is over, or has failed: returns when the visitors have had all of its events. 0, or -1. */
int pipes_end(const struct pipes *pipes, uint32_t stream);

#endif
