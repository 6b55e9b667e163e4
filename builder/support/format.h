/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of time and labels for people: on the screen, in tables and pictures. Any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_FORMAT_H
#define OTTER_BUILDER_SUPPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

struct formatted {
	char text[360]; /* of at most 85 columns, with characters of four bytes */
};

/* "1.23 ms": three digits and a unit. A mean may lie between two nanoseconds. */
struct formatted format_mean_ns(double ns);
static inline struct formatted format_ns(uint64_t ns)
{
	return format_mean_ns((double)ns);
}

/* A text without control characters, in at most `width` columns of a terminal, 85 at most: its middle is left out. */
struct formatted format_fit(const char *text, size_t width);
/* The same with blanks up to the width. */
struct formatted format_column(const char *text, size_t width);

/* The end of a word of which there are n. */
static inline const char *format_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
