/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of lines: each thread formats the next block into its place of a ring, and one of those that have just done so
 * writes what is next in order. The others format further blocks; they wait, without spinning, only while the ring is full.
 */
#include "builder/support/blocks.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>

#define PLACES_PER_THREAD 3

struct written_block {
	struct buffer text;
	bool is_ready; /* formatted, and not yet written */
};

/* The lock protects everything but the texts. */
struct blocks {
	pthread_mutex_t lock;
	pthread_cond_t has_place;
	FILE *out;
	size_t n, n_begun, n_written;
	bool is_writing;
	int why; /* errno of a failure, else 0 */
	struct written_block *ring;
	size_t n_places;
};

/* The number of the next block to format, n: none. */
static size_t next_block(struct blocks *b)
{
	while (b->n_begun < b->n && b->why == 0 && b->n_begun - b->n_written >= b->n_places)
		pthread_cond_wait(&b->has_place, &b->lock);
	return b->n_begun < b->n && b->why == 0 ? b->n_begun++ : b->n;
}

static void write_ready(struct blocks *b)
{
	struct written_block *place;
	if (b->is_writing)
		return;
	b->is_writing = true;
	while ((place = &b->ring[b->n_written % b->n_places])->is_ready && b->why == 0) {
		pthread_mutex_unlock(&b->lock);
		bool is_bad = place->text.n > 0 && fwrite_unlocked(place->text.bytes, 1, place->text.n, b->out) != place->text.n;
		int why = errno != 0 ? errno : EIO;
		pthread_mutex_lock(&b->lock);
		place->is_ready = false;
		b->n_written++;
		b->why = is_bad ? why : 0;
		pthread_cond_broadcast(&b->has_place);
	}
	b->is_writing = false;
}

int blocks_write(FILE *out, size_t n_blocks, blocks_format *format, void *self)
{
	size_t n_threads = n_blocks < (size_t)omp_get_max_threads() ? n_blocks : (size_t)omp_get_max_threads();
	struct blocks b = {.lock = PTHREAD_MUTEX_INITIALIZER,
			   .has_place = PTHREAD_COND_INITIALIZER,
			   .out = out,
			   .n = n_blocks,
			   .n_places = n_threads * PLACES_PER_THREAD};
	if (n_blocks == 0)
		return 0;
	b.ring = memory_zeroed(b.n_places, sizeof *b.ring, "text");
#pragma omp parallel num_threads(n_threads) if (n_threads > 1)
	{
		size_t block;
		pthread_mutex_lock(&b.lock);
		while ((block = next_block(&b)) < n_blocks) {
			struct written_block *place = &b.ring[block % b.n_places];
			pthread_mutex_unlock(&b.lock);
			place->text.n = 0;
			format(self, block, &place->text);
			pthread_mutex_lock(&b.lock);
			place->is_ready = true;
			write_ready(&b);
		}
		pthread_mutex_unlock(&b.lock);
	}
	for (size_t i = 0; i < b.n_places; i++)
		buffer_free(&b.ring[i].text);
	free(b.ring);
	errno = b.why;
	return b.why == 0 ? 0 : -1;
}
