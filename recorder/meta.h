/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dump's text file: what was recorded, where, how, and everything the recorder has to say. Each function appends one block with one
 * write; none fails visibly, as there is nobody to tell.
 */
#ifndef OTTER_RECORDER_META_H
#define OTTER_RECORDER_META_H

#include <stdbool.h>

struct config;
struct session;
struct text;

/* Everything that is known when a session begins. False: it could not be written, and without it nothing can be read. */
bool meta_begin(struct session *session);

/* What the runtime is and which callbacks it takes: lines built by the tool, for this session and for those of forked children. */
void meta_runtime(struct session *session, const struct text *lines);

/* There is no dump to write this into: said on stderr, if OTTER_VERBOSE asks for words. */
void meta_refused(const struct config *config);

/* How is sampled: OTTER_SAMPLE as it is done, and the signal. */
void meta_sampling(struct session *session);

/* A sentence for people, in memory that stays. Where meta cannot be opened it comes at the end. */
void meta_note(struct session *session, const char *sentence);

/* Losses, streams, the clocks, how it ended. */
void meta_end(struct session *session, const char *how);

#endif
