/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lengths of time and labels for people: on the screen, in tables and pictures. Any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_FORMAT_H
#define OTTER_BUILDER_SUPPORT_FORMAT_H

#include <stddef.h>
#include <stdint.h>

struct formatted {
	char text[64];
};

/* "1.23 ms": three digits and a unit. A mean may lie between two nanoseconds. */
struct formatted format_mean_ns(double ns);
static inline struct formatted format_ns(uint64_t ns)
{
	return format_mean_ns((double)ns);
}

/* A text without control characters, cut to a width of at most 60 columns; bytes of one character count as one each. */
struct formatted format_fit(const char *text, size_t width);

/* The end of a word of which there are n. */
static inline const char *format_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
