/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines that the recorder prints on the program's stderr with OTTER_VERBOSE=1, on the thread that begins or ends
 * the session. The recorder prints nothing else.
 */
#ifndef OTTER_RECORDER_MESSAGE_H
#define OTTER_RECORDER_MESSAGE_H

struct config;

/* Prints `what`, the name `dir` with control characters escaped, and `more` unless it is empty. Where stderr is a pipe
 * without a reader, the line is lost, and the program gets no SIGPIPE. */
void message(const struct config *config, const char *what, const char *dir, const char *more);

#endif
