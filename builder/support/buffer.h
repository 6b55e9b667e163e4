/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text that grows at its end, for outputs of millions of lines: nothing here prints by a format. One thread.
 *
 * A line is put together in one of two ways. buffer_put and its relatives make the room that they need. Where the longest
 * line is known, its room is made once by buffer_room, and the functions that begin with `text_` write into it and
 * return the end of the text so far.
 */
#ifndef OTTER_BUILDER_SUPPORT_BUFFER_H
#define OTTER_BUILDER_SUPPORT_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
	char *bytes;
	size_t n, capacity;
};

#define TEXT_DECIMAL_MAX 20 /* digits of a 64-bit number */
#define TEXT_HEX_MAX     16

/* The capacity becomes at least n + n_more. */
void buffer_grow(struct buffer *buffer, size_t n_more);
void buffer_free(struct buffer *buffer);

/* The end of the text, with room for n bytes after it. */
static inline char *buffer_room(struct buffer *buffer, size_t n)
{
	if (n > buffer->capacity - buffer->n)
		buffer_grow(buffer, n);
	return buffer->bytes + buffer->n;
}

/* The text ends here now. */
static inline void buffer_end_at(struct buffer *buffer, const char *end)
{
	buffer->n = (size_t)(end - buffer->bytes);
}

static inline void buffer_put(struct buffer *buffer, const char *bytes, size_t n)
{
	if (n == 0) /* the buffer may have no memory yet */
		return;
	memcpy(buffer_room(buffer, n), bytes, n);
	buffer->n += n;
}

static inline void buffer_put_text(struct buffer *buffer, const char *text)
{
	buffer_put(buffer, text, strlen(text));
}

/* A number in as many digits as it has, and in hexadecimal ones, at least n_digits of them (16 at most). */
char *text_decimal(char *at, uint64_t number);
char *text_hex(char *at, uint64_t number, unsigned n_digits);

static inline char *text_put(char *at, const char *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return at + n;
}

static inline void buffer_put_decimal(struct buffer *buffer, uint64_t number)
{
	buffer_end_at(buffer, text_decimal(buffer_room(buffer, TEXT_DECIMAL_MAX), number));
}

static inline void buffer_put_hex(struct buffer *buffer, uint64_t number)
{
	buffer_end_at(buffer, text_hex(buffer_room(buffer, TEXT_HEX_MAX), number, 1));
}

#endif
