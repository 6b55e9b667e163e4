/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of meta about the process itself: which one it is, where it runs, and how it was started. They are made
 * once a session, on the thread that begins it.
 */
#ifndef OTTER_RECORDER_META_PROCESS_H
#define OTTER_RECORDER_META_PROCESS_H

#include <stdbool.h>

struct config;
struct text;

/*
 * Puts the process's ids, its host, run and rank, its program and directory; and when it began, unless it has an earlier dump
 * (is_later), to which the time until then belongs.
 */
void meta_put_process(struct text *text, const struct config *config, bool is_later);

/* Puts the arguments. Returns false if there are more than fit. */
bool meta_put_arguments(struct text *text);

/* Puts the variables of the environment that runtimes and the recorder read. */
void meta_put_environment(struct text *text);

#endif
