/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes lines of meta in memory of the caller. It uses neither malloc nor stdio, so that callbacks can use it, on any
 * thread. From the first line that does not fit, lines are left out, so that a block always consists of whole lines.
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
	size_t line_start; /* the begin of the line that is being made */
	bool is_full;
};

/* Begins a text in the caller's memory. */
void text_init(struct text *text, char *bytes, size_t capacity);

/* Pieces of a line. Each but the first is preceded by a space. */
void text_word(struct text *text, const char *word);   /* as it is */
void text_number(struct text *text, uint64_t number);  /* decimal */
void text_hex(struct text *text, uint64_t number);     /* without 0x */
void text_value(struct text *text, const char *value); /* escaped: the last field of a line */
void text_bytes_hex(struct text *text, const unsigned char *bytes, size_t n_bytes);
void text_end(struct text *text); /* ends the line */

/* Whole lines of the usual shapes. */
void text_line(struct text *text, const char *key, const char *value);
void text_line_number(struct text *text, const char *key, uint64_t number);

/* Puts a number in decimal at `out`, with at least `width` digits, and returns its end. No zero byte follows. */
char *text_decimal(char *out, uint64_t number, unsigned width);

#endif
