/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A row of records of one thread, each a few numbers in a few bytes, most of them in a spill file (spill_file.h). It is written
 * by the thread of its stream, in chunks; then chunks are read in any order, by several threads at once.
 */
#ifndef OTTER_BUILDER_SUPPORT_VARINT_LOG_H
#define OTTER_BUILDER_SUPPORT_VARINT_LOG_H

#include "builder/support/spill_file.h"
#include "builder/support/varint.h"

#include <stdbool.h>

struct log_chunk {
	uint64_t ticks, begin_ticks; /* of the record before it: when it was over, and when what it describes had begun */
	bool is_first;               /* there is no record before it */
	off_t place;                 /* of those in the spill file */
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

/*
 * log_begin() returns room for the next record, of n_bytes at most; log_end() gets the record's end in it, and its times.
 * log_end() returns 0, or -1 with the error printed.
 */
char *log_begin(struct log *log, size_t n_bytes);
int log_end(struct log *log, struct spill *spill, const char *end, uint64_t begin_ticks, uint64_t ticks);

/* The bytes of a chunk, those in the spill file in `room`. NULL after it printed the error. */
const unsigned char *log_read(const struct log *log, const struct spill *spill, size_t chunk, struct buffer *room,
			      const unsigned char **end);

void log_free(struct log *log);

#endif
