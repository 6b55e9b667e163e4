/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines that the recorder prints on the program's stderr, where OTTER_VERBOSE asks for them: it prints nothing else.
 * Called when a session begins and ends, on the thread that does it.
 */
#ifndef OTTER_RECORDER_MESSAGE_H
#define OTTER_RECORDER_MESSAGE_H

struct config;

/* Prints `what`, the name `dir` with control characters escaped, and `more` unless it is empty. Where nobody reads
 * stderr any more, the line is lost, and the program gets no SIGPIPE. */
void message(const struct config *config, const char *what, const char *dir, const char *more);

#endif
