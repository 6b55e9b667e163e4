/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump's text file `meta`: what was recorded, where and how, and the recorder's notes for the user. Each function
 * appends one block with one write. Failures are not reported. Any thread may call these functions, but for
 * meta_begin() and meta_end(), which belong to the beginning and the end of a session.
 */
#ifndef OTTER_RECORDER_META_H
#define OTTER_RECORDER_META_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct session;
struct text;

#define META_NOTES_MAX 8

/* Part of struct session. */
struct meta_notes {
	uint32_t once;                         /* a bit for each enum meta_once whose note was written */
	const char *unwritten[META_NOTES_MAX]; /* meta could not be written: meta_end() tries again */
};

/* Writes everything that is known when a session begins. False: it could not be written, and without it the dump cannot
 * be read. */
bool meta_begin(struct session *session);

/* Writes where the rings are, if it is not what meta_begin() has written. */
void meta_rings(struct session *session);

enum meta_runtime { META_OPENMP, META_ARGOBOTS, META_RUNTIMES };

/* Writes the lines about a runtime and the callbacks that it takes, for this session and for those of forked children. */
void meta_runtime(struct session *session, enum meta_runtime runtime, const struct text *lines);

/* Writes how samples are taken: their rate, their clock and the signal. */
void meta_sampling(struct session *session);

/* Writes a note for the user. `sentence` must stay in memory: if meta cannot be opened, the note is written at the end. */
void meta_note(struct session *session, const char *sentence);

/* The same for what may happen to many threads: the first note of each kind is written. */
enum meta_once {
	META_ONCE_SAMPLES,  /* a thread cannot be sampled */
	META_ONCE_SWITCHES, /* a thread's context switches are not recorded */
	META_ONCE_PACKING,  /* a packing buffer cannot be made */
	META_ONCE_RING      /* a ring cannot be made; the loss_cause is added, as each cause has a note */
};
void meta_note_once(struct session *session, unsigned kind, const char *sentence);

/* Writes when and why recording was stopped, and a note like that of meta_note(). */
void meta_stopped(struct session *session, const char *sentence);

/* What the end of a session prints, where OTTER_VERBOSE requests it. */
struct meta_totals {
	uint64_t n_streams, n_records, n_lost;
};

/* Writes the losses, the streams, the clocks, and how the session ended. False: it could not. */
bool meta_end(struct session *session, const char *how, struct meta_totals *totals);

#endif
