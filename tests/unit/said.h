/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is said on stderr meanwhile, for tests that ask what a message says.
 */
#ifndef OTTER_TESTS_SAID_H
#define OTTER_TESTS_SAID_H

#include <stdio.h>

struct said {
	FILE *log;
	int before; /* where stderr went */
};

struct said said_begin(void);

/* What was said since then; `text` has room for n_bytes. */
void said_end(struct said said, char *text, size_t n_bytes);

/* Fails where `part` was not said. */
void said_assert(const char *text, const char *part);

#endif
