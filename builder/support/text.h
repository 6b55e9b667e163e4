/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strings from a dump, quoted for a text format: nothing in them can end a field or a file early.
 */
#ifndef OTTER_BUILDER_SUPPORT_TEXT_H
#define OTTER_BUILDER_SUPPORT_TEXT_H

#include "builder/support/buffer.h"

/* Appends the inside of a DOT string between double quotes. */
void text_dot(struct buffer *out, const char *text);

/* Length of the valid UTF-8 sequence at `text` (1 for printable ASCII), or 0. Overlong forms and surrogates are not valid. */
size_t text_utf8_length(const char *text);

/*
 * Puts a copy into `out` that is valid UTF-8 without control characters: other bytes become \xHH. `out` has
 * TEXT_UTF8_BYTES of the text's bytes, its end included. Returns the length of the copy, its end not included.
 */
#define TEXT_UTF8_BYTES(n_bytes) ((n_bytes)*4)
size_t text_put_utf8(char *out, const char *text);

/* The same as a new text, which the caller frees (never NULL). */
char *text_utf8(const char *text);

/* The same as a string of JSON. */
struct json_t *text_json(const char *text);

#endif
