/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lines of meta, built in memory of their own: no malloc, no stdio, so they can be built in a callback too. What does not fit is left out
 * from the first line that did not fit on, so that a block is always whole lines.
 */
#ifndef OTTER_RECORDER_TEXT_H
#define OTTER_RECORDER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes;
	size_t n_bytes;
	size_t capacity;
	size_t line_start; /* of the line under construction */
	bool is_full;
};

/* Over the caller's memory. */
void text_init(struct text *text, char *bytes, size_t capacity);

/* Pieces of a line. A space goes before every piece but the first. */
void text_word(struct text *text, const char *word);   /* as it is */
void text_number(struct text *text, uint64_t number);  /* decimal */
void text_hex(struct text *text, uint64_t number);     /* no 0x */
void text_value(struct text *text, const char *value); /* escaped: the last field of a line */
void text_bytes_hex(struct text *text, const unsigned char *bytes, size_t n_bytes);
void text_end(struct text *text); /* the line is complete */

/* Whole lines of the usual shapes. */
void text_line(struct text *text, const char *key, const char *value);
void text_line_number(struct text *text, const char *key, uint64_t number);

/* A number in decimal at `out`, at least `width` digits; returns the end. For file names. */
char *text_decimal(char *out, uint64_t number, unsigned width);

#endif
