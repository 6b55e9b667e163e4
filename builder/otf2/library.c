/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the archive with OTF2, and gives the library its memory. OTF2 takes 128 MiB before it writes anything out,
 * unless it gets memory in chunks: here a writer has two, and writes them out when they are full. OTF2 itself never
 * writes a BufferFlush; those in the archive are the recorder's. otf2.c opens the archive; OTF2 requests memory on any
 * thread that writes a location.
 */
#include "builder/otf2/otf2.h"
#include "builder/support/memory.h"
#include "builder/support/memory_limit.h"
#include "builder/support/text.h"

#include <otf2/OTF2_Pthread_Locks.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define FILES_MAX   1024
#define CHUNK_BYTES (256 << 10) /* the least that OTF2 takes; more is no faster and costs readers memory */

#define CHUNKS 2

/* The chunks of one writer. */
struct pool {
	unsigned n_used, n_chunks;
	void *chunks[CHUNKS];
	uint64_t chunk_bytes;
	bool has_file;       /* it is one of those that may keep their file open */
	struct more *latest; /* further chunks, where it is not */
};

/* A further chunk: mapped from a file without a name, so that memory stays bounded, and no file is kept open. */
struct more {
	struct more *before;
	void *chunk;
	uint64_t n_bytes;
};

/*
 * Chunks of closed writers, for the writers that are opened next. If they were freed, what a process leaves in the heap
 * would lie where its writers' chunks were, and the next process's chunks would no longer fit there.
 */
struct spare_chunk {
	struct spare_chunk *next; /* the rest of the chunk has no meaning */
};

static void *take_chunk(struct archive *a, uint64_t n_bytes)
{
	void *chunk = NULL;
	pthread_mutex_lock(&a->spare_lock);
	if (n_bytes == CHUNK_BYTES && a->spare_chunks != NULL) {
		chunk = a->spare_chunks;
		a->spare_chunks = a->spare_chunks->next;
	}
	pthread_mutex_unlock(&a->spare_lock);
	return chunk != NULL ? chunk : memory_get(n_bytes, 1, "OTF2");
}

static void give_chunk(struct archive *a, void *chunk, uint64_t n_bytes)
{
	struct spare_chunk *spare = chunk;
	if (n_bytes != CHUNK_BYTES) {
		free(chunk);
		return;
	}
	pthread_mutex_lock(&a->spare_lock);
	spare->next = a->spare_chunks;
	a->spare_chunks = spare;
	pthread_mutex_unlock(&a->spare_lock);
}

static OTF2_FlushType pre_flush(void *self, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final)
{
	(void)self;
	(void)type;
	(void)location;
	(void)caller;
	(void)is_final;
	return OTF2_FLUSH;
}

/* May one more writer have its file open? The atomics are relaxed, as only the count itself is shared. */
static bool take_file(struct archive *a)
{
	if (__atomic_fetch_add(&a->n_files, 1, __ATOMIC_RELAXED) < a->max_files)
		return true;
	__atomic_fetch_sub(&a->n_files, 1, __ATOMIC_RELAXED);
	return false;
}

static void *add_more(const struct archive *a, struct pool *pool, uint64_t n_bytes)
{
	void *chunk = memory_map_file(a->path, n_bytes, NULL);
	if (chunk == NULL)
		return NULL;
	struct more *more = memory_get(1, sizeof *more, "OTF2");
	*more = (struct more){pool->latest, chunk, n_bytes};
	pool->latest = more;
	return chunk;
}

/* Returns NULL if the chunks have to be written out, for which OTF2 opens the writer's file, and keeps it open. */
static void *chunk_allocate(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t chunk_bytes)
{
	struct archive *a = self;
	(void)location;
	struct pool *pool = *buffer;
	if (pool == NULL)
		*buffer = pool = memory_zeroed(1, sizeof *pool, "OTF2");
	if (pool->n_used == CHUNKS) {
		if (type == OTF2_FILETYPE_EVENTS && !pool->has_file)
			pool->has_file = take_file(a);
		return type != OTF2_FILETYPE_EVENTS || pool->has_file ? NULL : add_more(a, pool, chunk_bytes);
	}
	if (pool->n_used == pool->n_chunks)
		pool->chunks[pool->n_chunks++] = take_chunk(a, pool->chunk_bytes = chunk_bytes);
	return pool->chunks[pool->n_used++];
}

static void chunk_free_all(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool is_final)
{
	struct archive *a = self;
	(void)type;
	(void)location;
	struct pool *pool = *buffer;
	if (pool == NULL)
		return;
	pool->n_used = 0;
	while (pool->latest != NULL) {
		struct more *more = pool->latest;
		pool->latest = more->before;
		munmap(more->chunk, more->n_bytes);
		free(more);
	}
	if (!is_final)
		return;
	if (pool->has_file)
		__atomic_fetch_sub(&a->n_files, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < pool->n_chunks; i++)
		give_chunk(a, pool->chunks[i], pool->chunk_bytes);
	free(pool);
	*buffer = NULL;
}

/* A definition must fit into one chunk, and the group of all locations is one. */
static uint64_t def_chunk_bytes(const struct archive *a)
{
	uint64_t bytes = CHUNK_BYTES;
	while (bytes < (uint64_t)a->n_locations * 10 + 4096 && bytes < OTF2_CHUNK_SIZE_MAX)
		bytes *= 2;
	return bytes;
}

/*
 * A writer keeps its file open from the first time that its chunks are full. Where many locations are written at once
 * not all may do so: half of the files that this process may open are for them.
 */
static void limit_files(struct archive *a)
{
	struct rlimit limit;
	a->max_files = 16;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	a->max_files = limit.rlim_cur / 2 < FILES_MAX ? (unsigned)(limit.rlim_cur / 2) : FILES_MAX;
}

int library_open(struct archive *a, const char *dir)
{
	static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
	static const OTF2_MemoryCallbacks memory = {chunk_allocate, chunk_free_all};
	limit_files(a);
	pthread_mutex_init(&a->spare_lock, NULL);
	a->otf2 = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, def_chunk_bytes(a), OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	if (a->otf2 == NULL)
		return archive_failed(a, OTF2_ERROR_INVALID, "creating the archive");
	if (archive_check(a, OTF2_Archive_SetFlushCallbacks(a->otf2, &flush, NULL), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_SetMemoryCallbacks(a->otf2, &memory, a), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Pthread_Archive_SetLockingCallbacks(a->otf2, NULL), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->otf2), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_OpenEvtFiles(a->otf2), "creating the event files") != 0 ||
	    archive_check(a, OTF2_Archive_OpenDefFiles(a->otf2), "creating the definition files") != 0) {
		OTF2_Archive_Close(a->otf2);
		return -1;
	}
	return 0;
}

void library_free(struct archive *a)
{
	while (a->spare_chunks != NULL) {
		struct spare_chunk *spare = a->spare_chunks;
		a->spare_chunks = spare->next;
		free(spare);
	}
	pthread_mutex_destroy(&a->spare_lock);
}
