/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packs one file of segments: see pack_file.h. A file in which anything is damaged is left alone, because what cannot be
 * read cannot be packed, and the bytes around it may help to repair it.
 */
#include "builder/dump/pack_file.h"
#include "builder/dump/reader_private.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "common/pack.h"
#include "builder/support/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory. */
struct file_image {
	const char *path;
	const unsigned char *bytes;
	size_t n_bytes;
	struct stat st;
};

/* Where a packed segment is. */
struct packed_entry {
	uint32_t stream;
	uint64_t sequence;
	size_t at;
};

struct packed {
	struct file_image image;
	struct packed_entry *entries; /* by stream and sequence */
	size_t n, capacity;
};

/* 0, also if the file is absent, which then has no bytes; -1 with the error printed. */
static int image_open(struct file_image *image, const char *path)
{
	*image = (struct file_image){.path = path};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), rc = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : error("%s: %s", path, strerror(errno));
	if (fstat(fd, &image->st) != 0 || !S_ISREG(image->st.st_mode)) {
		rc = error("%s: is no regular file", path);
	} else if (image->st.st_size > 0) {
		void *bytes = mmap(NULL, (size_t)image->st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (bytes == MAP_FAILED)
			rc = error("%s: %s", path, strerror(errno));
		else
			*image = (struct file_image){path, bytes, (size_t)image->st.st_size, image->st};
	}
	close(fd);
	return rc;
}

static void image_close(struct file_image *image)
{
	if (image->n_bytes > 0)
		munmap((void *)(uintptr_t)image->bytes, image->n_bytes);
	image->n_bytes = 0;
}

static const struct segment_header *header_at(const struct file_image *image, size_t at)
{
	return (const struct segment_header *)(const void *)(image->bytes + at);
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
	return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/*
 * Is there a segment in the middle of a place? Then the size of segments is not known from meta, and what is between
 * places would be lost.
 */
static bool has_more(const struct file_image *image, size_t at, size_t n)
{
	for (size_t k = SEGMENT_BYTES_MIN; k + sizeof(struct segment_header) <= n; k += SEGMENT_BYTES_MIN)
		if (header_at(image, at + k)->magic == SEGMENT_MAGIC &&
		    header_at(image, at + k)->checksum == segment_checksum(header_at(image, at + k)))
			return true;
	return false;
}

enum place { PLACE_EMPTY, PLACE_SEGMENT, PLACE_DAMAGED };

/* What is at a place of a file of segments. */
static enum place look_at(const struct file_image *image, size_t at, uint32_t segment_bytes)
{
	size_t n = image->n_bytes - at < segment_bytes ? image->n_bytes - at : segment_bytes;
	const struct segment_header *h = header_at(image, at);
	uint32_t used;
	bool is_sealed;
	if (n < sizeof *h || (h->magic == 0 && h->sequence == 0))
		return is_zero(image->bytes + at, n) && n >= sizeof *h ? PLACE_EMPTY : PLACE_DAMAGED;
	if (h->magic != SEGMENT_MAGIC || h->sequence == 0 || h->stream > ID_STREAM_MAX || h->checksum != segment_checksum(h) ||
	    reader_closed(h->closed, segment_bytes, &used, &is_sealed) != CLOSED_WELL || used > n || has_more(image, at, n))
		return PLACE_DAMAGED;
	uint32_t n_records = (used - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record);
	return reader_trim((const struct record *)(h + 1), n_records) == n_records ? PLACE_SEGMENT : PLACE_DAMAGED;
}

static int compare_entries(const void *left, const void *right)
{
	const struct packed_entry *a = left, *b = right;
	return cmp(a->stream, b->stream) ?: cmp(a->sequence, b->sequence);
}

/* Opens a file of packed segments, and finds those that are valid. 0, or -1 with the error printed. */
static int packed_open(struct packed *packed, const char *path, uint32_t segment_bytes)
{
	*packed = (struct packed){0};
	if (image_open(&packed->image, path) != 0)
		return -1;
	const struct file_image *image = &packed->image;
	for (size_t at = 0, n; at < image->n_bytes; at += n) {
		n = reader_packed_bytes(image->bytes + at, image->n_bytes - at, segment_bytes);
		if (n == 0) {
			n = PACK_ALIGN;
			continue;
		}
		const struct segment_header *h = header_at(image, at);
		array_push(packed->entries, packed->n, packed->capacity, (struct packed_entry){h->stream, h->sequence, at});
	}
	sort_array(packed->entries, packed->n, compare_entries);
	return 0;
}

static void packed_close(struct packed *packed)
{
	image_close(&packed->image);
	free(packed->entries);
}

/* Is the segment among the packed ones, and the same in every record? `records` has room for those of one segment. */
static bool has(const struct packed *packed, const struct segment_header *h, struct record *records)
{
	uint32_t n = ((low32(h->closed) & ~SEGMENT_SEALED) - (uint32_t)sizeof *h) / (uint32_t)sizeof *records;
	struct packed_entry key = {.stream = h->stream, .sequence = h->sequence};
	const struct packed_entry *entry =
		packed->n == 0 ? NULL : bsearch(&key, packed->entries, packed->n, sizeof key, compare_entries);
	if (entry == NULL)
		return false;
	while (entry > packed->entries && compare_entries(&entry[-1], &key) == 0)
		entry--;
	for (; entry < packed->entries + packed->n && compare_entries(entry, &key) == 0; entry++) {
		const struct segment_header *there = header_at(&packed->image, entry->at);
		const struct pack_header *pack = (const struct pack_header *)(there + 1);
		if (memcmp(there, h, sizeof *h) == 0 && unpack_records(pack, pack + 1, records, n) == n &&
		    memcmp(records, h + 1, n * sizeof *records) == 0)
			return true;
	}
	return false;
}

/* Writes what `before` has, and then the segments that it lacks. */
static bool write_segments(FILE *out, const struct file_image *from, const struct packed *before, uint32_t segment_bytes)
{
	static const unsigned char zeros[PACK_ALIGN];
	uint32_t n_records = segment_bytes / (uint32_t)sizeof(struct record);
	struct record *records = memory_get(n_records, sizeof *records, "the records of a segment");
	struct pack_memory *memory = memory_get(1, sizeof *memory, "packing");
	unsigned char *room = memory_get(PACKED_BYTES_MAX(n_records), 1, "a packed segment");
	size_t n_before = before->image.n_bytes;
	bool is_good = fwrite(before->image.bytes, 1, n_before, out) == n_before &&
		       fwrite(zeros, 1, -n_before % PACK_ALIGN, out) == -n_before % PACK_ALIGN;
	for (size_t at = 0; is_good && at < from->n_bytes; at += segment_bytes) {
		const struct segment_header *h = header_at(from, at);
		if (look_at(from, at, segment_bytes) == PLACE_SEGMENT && !has(before, h, records)) {
			size_t n = pack_segment(memory, h, room);
			is_good = fwrite(room, 1, n, out) == n;
		}
		reader_release(h, from->n_bytes - at < segment_bytes ? from->n_bytes - at : segment_bytes);
	}
	free(room);
	free(memory);
	free(records);
	return is_good;
}

/* Writes the new file onto the disk. 0, or -1 with the error printed. */
static int write_file(const char *to, const struct file_image *from, const struct packed *before, uint32_t segment_bytes)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out == NULL) {
		int why = errno;
		if (fd >= 0)
			close(fd);
		return error("%s: cannot be written: %s", to, strerror(why));
	}
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	/* Owner and mode as of the file that it replaces; only root may set all of them if another user owns the dump. */
	bool is_good =
		fchmod(fd, from->st.st_mode & 07777) == 0 && (fchown(fd, from->st.st_uid, from->st.st_gid) == 0 || errno == EPERM);
	is_good = is_good && write_segments(out, from, before, segment_bytes) && fflush(out) == 0 && fsync(fd) == 0;
	int why = errno;
	if (fclose(out) != 0 && is_good) {
		is_good = false;
		why = errno;
	}
	return is_good ? 0 : error("%s: could not be written whole: %s", to, strerror(why));
}

/* Is each segment of the file in the new one? */
static bool is_same(const struct file_image *from, const struct packed *packed, uint32_t segment_bytes)
{
	struct record *records = memory_get(segment_bytes / sizeof(struct record), sizeof *records, "the records of a segment");
	bool is_same = true;
	for (size_t at = 0; is_same && at < from->n_bytes; at += segment_bytes) {
		if (look_at(from, at, segment_bytes) == PLACE_SEGMENT)
			is_same = has(packed, header_at(from, at), records);
		reader_release(from->bytes + at, from->n_bytes - at < segment_bytes ? from->n_bytes - at : segment_bytes);
	}
	free(records);
	return is_same;
}

static int write_and_compare(const struct file_image *from, const char *before, const char *to, uint32_t segment_bytes)
{
	struct packed packed;
	int rc = packed_open(&packed, before, segment_bytes);
	if (rc == 0)
		rc = write_file(to, from, &packed, segment_bytes);
	packed_close(&packed);
	if (rc != 0)
		return -1;
	rc = packed_open(&packed, to, segment_bytes);
	if (rc == 0 && !is_same(from, &packed, segment_bytes))
		rc = error("%s: what was read is not what was written", to);
	packed_close(&packed);
	return rc;
}

enum pack_result pack_file(const char *from, const char *before, const char *to, uint32_t segment_bytes)
{
	struct file_image image;
	if (image_open(&image, from) != 0)
		return PACK_FAILED;
	enum pack_result result = PACK_WRITTEN;
	for (size_t at = 0; at < image.n_bytes && result == PACK_WRITTEN; at += segment_bytes)
		if (look_at(&image, at, segment_bytes) == PLACE_DAMAGED)
			result = PACK_DAMAGED;
	if (result == PACK_WRITTEN && write_and_compare(&image, before, to, segment_bytes) != 0) {
		unlink(to);
		result = PACK_FAILED;
	}
	image_close(&image);
	return result;
}
