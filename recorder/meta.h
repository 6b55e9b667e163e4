/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump's text file `meta`: what was recorded, where and how, and everything the recorder has to tell people. Each
 * function appends one block with one write. Failures are not reported, as there is nobody to report to. Any thread may
 * call, but for meta_begin() and meta_end(), which belong to the beginning and the end of a session.
 */
#ifndef OTTER_RECORDER_META_H
#define OTTER_RECORDER_META_H

#include <stdbool.h>

struct config;
struct session;
struct text;

/* Writes everything that is known when a session begins. False: it could not be written, and without it nothing can be
 * read. */
bool meta_begin(struct session *session);

enum meta_runtime { META_OPENMP, META_ARGOBOTS, META_RUNTIMES };

/* Writes which runtime it is and which callbacks it takes: lines made by tool.c or abt_attach.c, for this session and
 * for those of forked children. */
void meta_runtime(struct session *session, enum meta_runtime runtime, const struct text *lines);

/* Writes how samples are taken: their rate, their clock and the signal. */
void meta_sampling(struct session *session);

/* Writes a note for people. `sentence` must stay in memory: where meta cannot be opened the note is written at the end. */
void meta_note(struct session *session, const char *sentence);

/* Writes when and why recording was stopped, and a note like that of meta_note(). */
void meta_stopped(struct session *session, const char *sentence);

/* Writes the losses, the streams, the clocks, and how the session ended. */
void meta_end(struct session *session, const char *how);

#endif
