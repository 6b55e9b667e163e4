/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LEB128: an unsigned number in seven bits a byte, the lowest ones first; the highest bit of a byte says that another one
 * follows. A difference is put as a zigzag number (0, -1, 1, -2, ...), so that a small one is short in both directions.
 * The end of the bytes is not checked: only what this process wrote is read.
 */
#ifndef OTTER_BUILDER_SUPPORT_VARINT_H
#define OTTER_BUILDER_SUPPORT_VARINT_H

#include "builder/support/buffer.h"

#define VARINT_MAX ((size_t)10) /* bytes of a number of 64 bits */

/* Writes a number; returns where the bytes after it belong. */
static inline char *varint_put(char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (char)(number | 0x80);
	*at++ = (char)number;
	return at;
}

/* Reads a number, and moves *at past it. */
static inline uint64_t varint_take(const unsigned char **at)
{
	uint64_t number = **at & 0x7f;
	for (unsigned shift = 7; *(*at)++ >= 0x80; shift += 7)
		number |= (uint64_t)(**at & 0x7f) << shift;
	return number;
}

/* The difference between a number and one that the reader knows. */
static inline uint64_t varint_zigzag(uint64_t number, uint64_t known)
{
	uint64_t change = number - known;
	return change >> 63 ? ~(change << 1) : change << 1;
}

static inline char *varint_put_change(char *at, uint64_t number, uint64_t known)
{
	return varint_put(at, varint_zigzag(number, known));
}

static inline uint64_t varint_take_change(const unsigned char **at, uint64_t known)
{
	uint64_t change = varint_take(at);
	return known + (change & 1 ? ~(change >> 1) : change >> 1);
}

static inline void buffer_put_varint(struct buffer *buffer, uint64_t number)
{
	buffer_end_at(buffer, varint_put(buffer_room(buffer, VARINT_MAX), number));
}

#endif
