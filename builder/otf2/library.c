/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the archive with OTF2, and gives the library its memory. OTF2 takes 128 MiB before it writes anything out,
 * unless it gets memory in chunks: here a writer has two, and writes them out when they are full. OTF2 itself never
 * writes a BufferFlush; those in the archive are the recorder's. Where streams are replayed one after the other, one
 * location is written at a time, so two chunks are all that is needed. Called by otf2.c, on its thread.
 */
#include "builder/otf2/library.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <sys/resource.h>

#define CHUNK_BYTES (256 << 10) /* the least that OTF2 takes; more is no faster and costs readers memory */

struct pool {
	unsigned n_used, n_chunks;
	void *chunks[2];
};

static OTF2_FlushType pre_flush(void *self, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool is_final)
{
	(void)self;
	(void)type;
	(void)location;
	(void)caller;
	(void)is_final;
	return OTF2_FLUSH;
}

static void *chunk_allocate(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, uint64_t chunk_bytes)
{
	(void)self;
	(void)type;
	(void)location;
	struct pool *pool = *buffer;
	if (pool == NULL)
		*buffer = pool = memory_zeroed(1, sizeof *pool, "OTF2");
	if (pool->n_used == sizeof pool->chunks / sizeof *pool->chunks)
		return NULL;
	if (pool->n_used == pool->n_chunks)
		pool->chunks[pool->n_chunks++] = memory_get(chunk_bytes, 1, "OTF2");
	return pool->chunks[pool->n_used++];
}

static void chunk_free_all(void *self, OTF2_FileType type, OTF2_LocationRef location, void **buffer, bool is_final)
{
	(void)self;
	(void)type;
	(void)location;
	struct pool *pool = *buffer;
	if (pool == NULL)
		return;
	pool->n_used = 0;
	if (!is_final)
		return;
	for (unsigned i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
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

/* Where streams are replayed together each location keeps a file open: raises the limit to what the system allows. */
static void allow_files(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int library_open(struct archive *a, const char *dir)
{
	static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
	static const OTF2_MemoryCallbacks memory = {chunk_allocate, chunk_free_all};
	allow_files();
	a->otf2 = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, def_chunk_bytes(a), OTF2_SUBSTRATE_POSIX,
				    OTF2_COMPRESSION_NONE);
	if (a->otf2 == NULL)
		return archive_failed(a, OTF2_ERROR_INVALID, "creating the archive");
	if (archive_check(a, OTF2_Archive_SetFlushCallbacks(a->otf2, &flush, NULL), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_SetMemoryCallbacks(a->otf2, &memory, NULL), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->otf2), "setting up the archive") != 0 ||
	    archive_check(a, OTF2_Archive_OpenEvtFiles(a->otf2), "creating the event files") != 0 ||
	    archive_check(a, OTF2_Archive_OpenDefFiles(a->otf2), "creating the definition files") != 0) {
		OTF2_Archive_Close(a->otf2);
		return -1;
	}
	return 0;
}
