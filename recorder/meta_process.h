/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What meta says of the process itself: which one it is, where it runs, and how it was started. Called by meta.c, once a
 * session, on the thread that begins it.
 */
#ifndef OTTER_RECORDER_META_PROCESS_H
#define OTTER_RECORDER_META_PROCESS_H

#include <stdbool.h>

struct config;
struct text;

/* Puts the process's ids, its host, run and rank, its program and directory. */
void meta_put_process(struct text *text, const struct config *config);

/* Puts the arguments. Returns false if there are more than fit. */
bool meta_put_arguments(struct text *text);

/* Puts the variables of the environment that runtimes and the recorder read. */
void meta_put_environment(struct text *text);

#endif
