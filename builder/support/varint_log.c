/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of records in chunks: see varint_log.h, also for the callers.
 */
#include "builder/support/varint_log.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define CHUNK_BYTES ((size_t)1 << 16)

char *log_begin(struct log *log, size_t n_bytes)
{
	if (log->bytes.n == 0) {
		array_push(log->chunks, log->n_chunks, log->capacity,
			   (struct log_chunk){log->ticks, log->begin_ticks, log->n_records == 0, 0, 0});
		log->value = 0;
	}
	return buffer_room(&log->bytes, n_bytes);
}

int log_end(struct log *log, struct spill *spill, const char *end, uint64_t begin_ticks, uint64_t ticks)
{
	buffer_end_at(&log->bytes, end);
	log->begin_ticks = begin_ticks;
	log->ticks = ticks;
	log->n_records++;
	if (log->bytes.n < CHUNK_BYTES)
		return 0;
	struct log_chunk *chunk = &log->chunks[log->n_chunks - 1];
	chunk->n_bytes = log->bytes.n;
	chunk->place = spill_put(spill, log->bytes.bytes, log->bytes.n);
	log->bytes.n = 0;
	return chunk->place < 0 ? -1 : 0;
}

const unsigned char *log_read(const struct log *log, const struct spill *spill, size_t chunk, struct buffer *room,
			      const unsigned char **end)
{
	const struct log_chunk *c = &log->chunks[chunk];
	const char *bytes = log->bytes.bytes;
	size_t n = c->n_bytes != 0 ? c->n_bytes : log->bytes.n;
	if (c->n_bytes != 0) {
		room->n = 0;
		bytes = buffer_room(room, n);
		if (spill_get(spill, c->place, room->bytes, n) != 0)
			return NULL;
	}
	*end = (const unsigned char *)bytes + n;
	return (const unsigned char *)bytes;
}

void log_free(struct log *log)
{
	buffer_free(&log->bytes);
	free(log->chunks);
	*log = (struct log){.chunks = NULL};
}
