/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of time and labels as tables on the screen show them. Called by what prints for people; any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_SHOWN_H
#define OTTER_BUILDER_SUPPORT_SHOWN_H

#include <stddef.h>

struct shown {
	char text[64];
};

/* "1.23 ms": three digits and a unit. */
struct shown shown_ns(double ns);

/* A text without control characters, cut to a width of at most 60 columns; bytes of one character count as one each. */
struct shown shown_fit(const char *text, size_t width);

#endif
