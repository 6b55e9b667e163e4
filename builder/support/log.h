/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A row of records of one thread, each a few numbers in a few bytes, most of them put aside (aside.h). It is written by the
 * thread of its stream, in chunks; then chunks are read in any order, by several threads at once. Used by slices.c and
 * read.c of builder/slices, and by mutex_log.c of the answer.
 */
#ifndef OTTER_BUILDER_SUPPORT_LOG_H
#define OTTER_BUILDER_SUPPORT_LOG_H

#include "builder/support/aside.h"
#include "builder/support/buffer.h"

#include <stdbool.h>

struct log_chunk {
	uint64_t ticks, begin_ticks; /* of the record before it: when it was over, and when what it is about had begun */
	bool is_first;               /* there is no record before it */
	off_t place;                 /* of those that were put aside */
	size_t n_bytes;              /* 0: it is still in `bytes` of the log */
};

struct log {
	struct buffer bytes;         /* of the last chunk */
	uint64_t ticks, begin_ticks; /* of the last record */
	uint64_t value;              /* of the last record; each chunk begins at 0 */
	size_t n_records;
	struct log_chunk *chunks;
	size_t n_chunks, capacity;
};

#define LOG_NUMBER_MAX 10 /* bytes of a number */

static inline char *log_number(char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (char)(number | 0x80);
	*at++ = (char)number;
	return at;
}

/* A number that may be smaller than the one before it. */
static inline char *log_change(char *at, uint64_t number, uint64_t before)
{
	uint64_t change = number - before;
	return log_number(at, change >> 63 ? ~(change << 1) : change << 1);
}

static inline uint64_t log_take_number(const unsigned char **at)
{
	uint64_t number = **at & 0x7f;
	for (unsigned shift = 7; *(*at)++ >= 0x80; shift += 7)
		number |= (uint64_t)(**at & 0x7f) << shift;
	return number;
}

static inline uint64_t log_take_change(const unsigned char **at, uint64_t before)
{
	uint64_t change = log_take_number(at);
	return before + (change & 1 ? ~(change >> 1) : change >> 1);
}

/* Room for the next record, of so many bytes at most; then where it ends, and when it was over. 0, or -1 with the error printed. */
char *log_begin(struct log *log, size_t n_bytes);
int log_end(struct log *log, struct aside *aside, const char *end, uint64_t begin_ticks, uint64_t ticks);

/* The bytes of a chunk, those that were put aside in `room`. NULL after it printed the error. */
const unsigned char *log_read(const struct log *log, const struct aside *aside, size_t chunk, struct buffer *room,
			      const unsigned char **end);

void log_free(struct log *log);

#endif
