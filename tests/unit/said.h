/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Catches what the code under test prints on stderr, for tests of the text of messages.
 */
#ifndef OTTER_TESTS_SAID_H
#define OTTER_TESTS_SAID_H

#include <stdio.h>

struct said {
	FILE *log;
	int before; /* a duplicate of the original stderr */
};

/* From now on, stderr is caught. */
struct said said_begin(void);

/* Ends this: `text`, which has room for n_bytes, gets what was printed. */
void said_end(struct said said, char *text, size_t n_bytes);

/* Fails unless `text` contains `part`. */
void said_assert(const char *text, const char *part);

#endif
