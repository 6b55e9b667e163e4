/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes segments and text to the dump's files. No descriptor is kept: each write opens the file by its absolute path,
 * writes, and closes it. So the recorder's bytes never get into a file of the program, even if the program closes all
 * descriptors or replaces one. The drain thread and the owners of streams write segments; any thread may append to
 * meta.
 *
 * Functions that return int return 0, or the loss_cause that says why they failed, with FILE_LATER where the next try
 * may succeed.
 */
#ifndef OTTER_RECORDER_OUTPUT_H
#define OTTER_RECORDER_OUTPUT_H

#include <limits.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/format.h"
#include "recorder/compiler.h"

struct session;
struct stream;

/* The most room that is reserved at once for a file that grows. The rest of it stays with the file: giving blocks back
 * would wait for the disk where they are discarded, at the end of the process. */
#define AHEAD_BYTES (UINT64_C(4) * 1024 * 1024)

/* The state of a file of segments. Only the thread that writes the file uses it: the drain thread or a stream's owner. */
struct output_file {
	bool exists;
	uint64_t n_places; /* segments in the file, or pages of packed ones; not used for circular files */
	uint64_t reserved; /* bytes that the file system has reserved */
};

/* Part of struct session. */
struct output_totals {
	alignas(CACHE_LINE_BYTES) uint64_t n_bytes;       /* written, or about to be written */
	alignas(CACHE_LINE_BYTES) uint64_t n_overwritten; /* records that were overwritten, with OTTER_KEEP=newest */
};

/* Writes a full segment, and notes in `written` that it is in a file. The caller has taken it from the `full` ring. The drain
 * thread writes to drain.seg, or to the stream's circular NNNNN.dseg. The stream's owner writes to drain.seg where the drain
 * thread does not, else to NNNNN.seg. The segment itself stays as it is. */
int output_segment(struct stream *stream, uint32_t index, bool is_drain_thread);

/* The drain thread writes several segments of a stream, which it has taken in this order, as one piece if it can. It
 * subtracts from `*n` those that it could not write, which are the last ones; then it returns the cause. */
int output_batch(struct stream *stream, const uint32_t *indices, uint32_t *n);

/* The drain thread may wait where other threads may not: what cannot be written for lack of a descriptor or of memory is
 * tried again until it can be written, or until recording ends; then the sealing of the stream writes it. Waits for 10 ms;
 * false: it is not tried again. */
bool output_waits_to_retry(struct session *session);

/* Writes a closed part of a packing buffer: to drain.pseg, or to NNNNN.pseg. */
struct packer;
enum output_by {
	OUTPUT_BY_DRAIN, /* the drain thread, to drain.pseg */
	OUTPUT_BY_OWNER, /* the thread that packs */
	OUTPUT_SEALED    /* the thread that seals: it may exceed all limits, as the buffer is removed in exchange */
};
int output_part(struct session *session, struct packer *packer, uint32_t part, enum output_by by);

/* Writes a segment when its stream is sealed, to drain.seg, or to NNNNN.seg where another thread has that. It may exceed
 * OTTER_LIMIT and the default limit, as the ring is removed in exchange. */
int output_sealed(struct stream *stream, const struct segment_header *header, uint32_t used_bytes);

/* Returns the lowest sequence that still has a place in a file when the file has `last`: circular files keep the newest
 * only. */
uint64_t output_first_kept(const struct session *session, uint32_t number, uint64_t last);

/* Appends to meta, in one write. */
int output_meta(struct session *session, const char *bytes, size_t n_bytes);

/* Writes zeros into an open file: then these pages are in memory and the file system has reserved their room. */
int output_zeros(int fd, uint64_t offset, uint64_t bytes);

/* Makes a new, open file `bytes` long and reserves room for its `first` bytes, or for all of it (`*has_all`). On ext4
 * fallocate is not used: giving reserved blocks back takes milliseconds when the file is removed, and pages that were
 * never written cost nothing. */
int output_ring(const struct session *session, int fd, uint64_t bytes, uint64_t first, bool *has_all);

/* May a file grow to `bytes`? Compares with RLIMIT_FSIZE before the write, so that the program gets no SIGXFSZ. */
bool output_fits_limit(uint64_t bytes);

#endif
