/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds packed segments: in the files drain.pseg and NNNNN.pseg, and in packing buffers (docs/format.md, section 5). One
 * comes after the other, at multiples of PACK_ALIGN; after a damaged one, they continue at the next valid header.
 * Checksums are compared here, once; after that, unpacking cannot fail. Runs on the thread that opens the dump.
 */
#include "builder/dump/reader_private.h"
#include "builder/support/memory.h"
#include "common/pack.h"

#include <stdlib.h>
#include <string.h>

/* On a page fault, the kernel maps the aligned block of this size around the page. */
#define AROUND_BYTES 65536
/* The file is dropped from memory each time that this many more bytes were read. */
#define RELEASE_BYTES (1 << 20)

struct packed_file {
	struct reader *reader;
	const char *path;
	const unsigned char *bytes;
	size_t n_bytes;
	uint32_t stream; /* or STREAM_ANY */
	bool is_buffer;
};

#define HEADERS_BYTES (sizeof(struct segment_header) + sizeof(struct pack_header))

bool reader_is_packed(const char *name, const char *suffix, uint32_t *stream)
{
	*stream = STREAM_ANY;
	size_t n = strlen("drain");
	return (strncmp(name, "drain", n) == 0 && strcmp(name + n, suffix) == 0) || reader_file_number(name, suffix, stream);
}

static bool is_valid(const struct segment_header *h)
{
	return h->magic == SEGMENT_MAGIC && h->sequence != 0 && h->stream <= ID_STREAM_MAX && h->checksum == segment_checksum(h);
}

/* May a segment of this stream be in the file? */
static bool is_of_file(const struct packed_file *file, uint32_t stream)
{
	return file->stream == STREAM_ANY ? stream <= ID_STREAM_MAX : stream == file->stream;
}

size_t reader_packed_bytes(const unsigned char *at, size_t n_bytes, uint32_t segment_bytes)
{
	const struct segment_header *h = (const struct segment_header *)(const void *)at;
	const struct pack_header *pack = (const struct pack_header *)(const void *)(h + 1);
	uint32_t used;
	bool is_sealed;
	if (n_bytes < HEADERS_BYTES || !is_valid(h) || reader_closed(h->closed, segment_bytes, &used, &is_sealed) != CLOSED_WELL)
		return 0;
	size_t n = packed_bytes(h, pack);
	/* The zeros at its end may be missing. */
	bool is_there = n != 0 && HEADERS_BYTES + pack->n_bytes <= n_bytes;
	return is_there && packed_checksum(h, pack, pack + 1) == pack->checksum ? n : 0;
}

/* What may be dropped from memory together with the segment: what was mapped around it, within the mapping. */
static void note_around(const struct packed_file *file, struct segment_copy *copy, size_t n_bytes)
{
	uintptr_t begin = (uintptr_t)file->bytes + copy->at, end = begin + n_bytes;
	size_t before = begin % AROUND_BYTES, after = -end % AROUND_BYTES;
	size_t rest = file->n_bytes > copy->at + n_bytes ? file->n_bytes - copy->at - n_bytes : 0;
	copy->n_before = (uint32_t)(before < copy->at ? before : copy->at);
	copy->n_after = (uint32_t)(after < rest ? after : rest);
}

/* Adds the segment whose headers are here, and which is valid. */
static void add(struct packed_file *file, const unsigned char *bytes, size_t at, size_t n_bytes, bool is_heap)
{
	const struct segment_header *h = (const struct segment_header *)(const void *)bytes;
	const struct pack_header *pack = (const struct pack_header *)(const void *)(h + 1);
	struct segment_copy copy = {.header = *h,
				    .pack = pack,
				    .n_records = pack->n_records,
				    .source = SOURCE_PACKED,
				    .is_heap = is_heap,
				    .mapped = file->bytes,
				    .file = -1,
				    .at = at};
	copy.is_sealed = (low32(h->closed) & SEGMENT_SEALED) != 0;
	if (!is_heap)
		note_around(file, &copy, n_bytes);
	reader_add_copy(file->reader, &copy);
}

/* The bytes of the valid segment at `at`; 0: none. */
static size_t valid_bytes(const struct packed_file *file, size_t at)
{
	const struct segment_header *h = (const struct segment_header *)(const void *)(file->bytes + at);
	size_t n = reader_packed_bytes(file->bytes + at, file->n_bytes - at, file->reader->dump->meta.segment_bytes);
	return n != 0 && is_of_file(file, h->stream) ? n : 0;
}

/*
 * Takes a segment from the buffer of a process that runs, which may be writing over it: as a copy that is valid, so that
 * nothing else has to be known. Its bytes, or 0.
 */
static size_t take_changing(struct packed_file *file, size_t at)
{
	struct segment_header h;
	struct pack_header pack;
	memcpy(&h, file->bytes + at, sizeof h);
	memcpy(&pack, file->bytes + at + sizeof h, sizeof pack);
	size_t n = is_valid(&h) && is_of_file(file, h.stream) ? packed_bytes(&h, &pack) : 0;
	if (n == 0 || n > file->n_bytes - at)
		return 0;
	unsigned char *bytes = memory_get(n, 1, "a copy of a packed segment");
	memcpy(bytes, file->bytes + at, n);
	if (reader_packed_bytes(bytes, n, file->reader->dump->meta.segment_bytes) != n || memcmp(bytes, &h, sizeof h) != 0) {
		free(bytes);
		return 0;
	}
	reader_keep(file->reader, bytes, n, true);
	add(file, bytes, at, n, true);
	return n;
}

/*
 * What is at `at` is not a valid segment. If it began as one, it may be a copy that a process was killed in: notes its
 * stream and sequence, as those of a damaged copy. Anything else that is not zeros is damage.
 */
static void note_damaged(struct packed_file *file, size_t at)
{
	struct segment_copy copy = {.source = SOURCE_PACKED_DAMAGED, .file = -1, .at = at};
	size_t n_there = file->n_bytes - at;
	memcpy(&copy.header, file->bytes + at, n_there < sizeof copy.header ? n_there : sizeof copy.header);
	const struct segment_header *h = &copy.header;
	if (n_there < offsetof(struct segment_header, closed))
		reader_damage(file->reader, "file_cut",
			      "%s at byte %zu: found the file's last %zu bytes, expected a packed segment", file->path, at,
			      n_there);
	else if (h->magic == SEGMENT_MAGIC && h->sequence != 0 && is_of_file(file, h->stream))
		reader_add_copy(file->reader, &copy);
	else
		reader_check_header(file->reader, h, file->stream, file->path, at);
}

/* Is the header at `at` valid? Then a segment begins there, whatever comes before it. */
static bool is_header(const struct packed_file *file, size_t at)
{
	const struct segment_header *h = (const struct segment_header *)(const void *)(file->bytes + at);
	return file->n_bytes - at >= sizeof *h && is_valid(h) && is_of_file(file, h->stream);
}

/* Are there nothing but zeros at `at`, up to the next place where a segment may begin? */
static bool is_never_written(const struct packed_file *file, size_t at)
{
	static const unsigned char zeros[PACK_ALIGN];
	size_t n = file->n_bytes - at;
	return memcmp(file->bytes + at, zeros, n < sizeof zeros ? n : sizeof zeros) == 0;
}

void reader_scan_packed(struct reader *r, const char *path, uint32_t stream, bool is_buffer)
{
	struct packed_file file = {.reader = r, .path = path, .stream = stream, .is_buffer = is_buffer};
	const void *bytes;
	reader_map(r, path, &bytes, &file.n_bytes);
	if (bytes == NULL)
		return;
	file.bytes = bytes;
	bool is_changing = is_buffer && r->is_live, may_be_damaged = !is_buffer && !r->is_live, is_searching = false;
	size_t n_released = 0;
	for (size_t at = 0, n; at < file.n_bytes; at += n) {
		if (is_changing)
			n = file.n_bytes - at >= HEADERS_BYTES ? take_changing(&file, at) : 0;
		else if ((n = valid_bytes(&file, at)) != 0)
			add(&file, file.bytes + at, at, n, false);
		if (n != 0) {
			is_searching = false;
		} else if (may_be_damaged && (is_searching ? is_header(&file, at) : !is_never_written(&file, at))) {
			note_damaged(&file, at);
			is_searching = true;
		}
		if (n == 0)
			n = PACK_ALIGN;
		if (at + n - n_released >= RELEASE_BYTES && at + n <= file.n_bytes) {
			reader_release(file.bytes + n_released, at + n - n_released);
			n_released = at;
		}
	}
	reader_release(file.bytes + n_released, file.n_bytes - n_released);
}
