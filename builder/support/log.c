/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of records in chunks: see log.h. Callers are there.
 */
#include "builder/support/log.h"
#include "builder/support/array.h"

#include <stdlib.h>

#define CHUNK_BYTES ((size_t)1 << 16)

char *log_begin(struct log *log, size_t n_bytes)
{
	if (log->bytes.n == 0) {
		array_reserve((void **)&log->chunks, log->n_chunks + 1, &log->capacity, sizeof *log->chunks);
		log->chunks[log->n_chunks++] = (struct log_chunk){log->ticks, log->begin_ticks, log->n_records == 0, 0, 0};
		log->value = 0;
	}
	return buffer_room(&log->bytes, n_bytes);
}

int log_end(struct log *log, struct aside *aside, const char *end, uint64_t begin_ticks, uint64_t ticks)
{
	buffer_end_at(&log->bytes, end);
	log->begin_ticks = begin_ticks;
	log->ticks = ticks;
	log->n_records++;
	if (log->bytes.n < CHUNK_BYTES)
		return 0;
	struct log_chunk *chunk = &log->chunks[log->n_chunks - 1];
	chunk->n_bytes = log->bytes.n;
	chunk->place = aside_put(aside, log->bytes.bytes, log->bytes.n);
	log->bytes.n = 0;
	return chunk->place < 0 ? -1 : 0;
}

const unsigned char *log_read(const struct log *log, const struct aside *aside, size_t chunk, struct buffer *room,
			      const unsigned char **end)
{
	const struct log_chunk *c = &log->chunks[chunk];
	const char *bytes = log->bytes.bytes;
	size_t n = c->n_bytes != 0 ? c->n_bytes : log->bytes.n;
	if (c->n_bytes != 0) {
		room->n = 0;
		bytes = buffer_room(room, n);
		if (aside_get(aside, c->place, room->bytes, n) != 0)
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
