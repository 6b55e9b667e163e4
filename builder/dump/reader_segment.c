/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the steps of the reader share: it reports damage, maps files, checks the headers of segments, and keeps the segments
 * that were found. Runs on any thread.
 */
#include "builder/dump/reader_private.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "common/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Limits of the files that stay open: few, as a process may have 256 or even fewer. On the first page fault the kernel
 * maps READ_BYTES_MIN around the page, so a smaller file need not be read.
 */
#define READ_BYTES_MIN ((size_t)64 << 10)
#define OPEN_MAX_FILES 32
static unsigned n_open; /* of all dumps: used by the thread that opens and closes them */

/* Larger segments are mapped, not copied. */
#define READ_SEGMENT_MAX ((size_t)1 << 20)

void reader_damage(struct reader *r, const char *name, const char *format, ...)
{
	struct tally *tally = &r->dump->damage;
	uint64_t total = tally->n_rows;
	tally_add(tally, name, 1);
	if (tally->n_rows == total)
		return;
	char text[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	warning("%s [%s]", text, name);
}

void reader_keep(struct reader *r, void *address, size_t n_bytes, bool is_heap)
{
	array_append(r->mappings, r->n_mappings, (struct mapping){address, n_bytes, is_heap, -1});
}

bool reader_keep_file(struct reader *r, int file)
{
	struct mapping *latest = &r->mappings[r->n_mappings - 1];
	if (latest->n_bytes < READ_BYTES_MIN || n_open == OPEN_MAX_FILES)
		return false;
	n_open++;
	latest->file = file;
	return true;
}

void reader_release_mapping(const struct mapping *m)
{
	n_open -= m->file >= 0;
	if (m->file >= 0)
		close(m->file);
	if (m->is_heap)
		free(m->address);
	else
		munmap(m->address, m->n_bytes);
}

void reader_add_copy(struct reader *r, const struct segment_copy *copy)
{
	array_append(r->copies, r->n_copies, *copy);
}

void reader_map(struct reader *r, const char *path, const void **address, size_t *n_bytes)
{
	*address = NULL;
	*n_bytes = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		if (errno != ENOENT)
			reader_damage(r, "file_unreadable", "%s: cannot be opened (%s), expected a readable file", path,
				      strerror(errno));
		return;
	}
	struct stat st;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		reader_damage(r, "file_unreadable", "%s: found a directory or special file, expected a regular file", path);
	} else if (st.st_size > 0) {
		void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED) {
			reader_damage(r, "file_unreadable", "%s: cannot be mapped (%s), expected a readable file", path,
				      strerror(errno));
		} else {
			reader_keep(r, at, (size_t)st.st_size, false);
			*address = at;
			*n_bytes = (size_t)st.st_size;
			r->dump->n_bytes += *n_bytes;
		}
	}
	close(fd);
}

bool reader_file_number(const char *name, const char *suffix, uint32_t *number)
{
	size_t n = strspn(name, "0123456789");
	if (n < 5 || n > 9 || strcmp(name + n, suffix) != 0)
		return false;
	unsigned long value = strtoul(name, NULL, 10);
	*number = (uint32_t)value;
	return value <= ID_STREAM_MAX;
}

bool reader_check_header(struct reader *r, const struct segment_header *h, uint32_t stream, const char *path, uint64_t at)
{
	if (h->magic == 0 || h->sequence == 0)
		return false;
	if (h->magic == __builtin_bswap64(SEGMENT_MAGIC)) {
		reader_damage(r, "byte_order", "%s at byte %llu: found a segment in big-endian byte order, expected little-endian",
			      path, (unsigned long long)at);
	} else if (h->magic != SEGMENT_MAGIC) {
		reader_damage(r, "not_a_segment", "%s at byte %llu: found magic %016llx, expected a segment with magic %016llx",
			      path, (unsigned long long)at, (unsigned long long)h->magic, (unsigned long long)SEGMENT_MAGIC);
	} else if (h->checksum != segment_checksum(h)) {
		reader_damage(r, "header_damaged", "%s at byte %llu: found a segment header with checksum %08x, expected %08x",
			      path, (unsigned long long)at, h->checksum, segment_checksum(h));
	} else if (stream == STREAM_ANY ? h->stream > ID_STREAM_MAX : h->stream != stream) {
		reader_damage(r, "foreign_segment", "%s at byte %llu: found a segment of stream %u, expected stream %u", path,
			      (unsigned long long)at, h->stream, stream);
	} else {
		return true;
	}
	return false;
}

enum closed_state reader_closed(uint64_t closed, uint32_t segment_bytes, uint32_t *used_bytes, bool *is_sealed)
{
	*used_bytes = 0;
	*is_sealed = false;
	if (closed == 0)
		return CLOSED_NOT;
	uint32_t low = low32(closed);
	uint32_t used = low & ~SEGMENT_SEALED;
	if (closed != segment_closed(low) || used < sizeof(struct segment_header) || used > segment_bytes ||
	    used % sizeof(struct record) != 0)
		return CLOSED_DAMAGED;
	*used_bytes = used;
	*is_sealed = (low & SEGMENT_SEALED) != 0;
	return CLOSED_WELL;
}

void reader_release(const void *address, size_t n_bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t begin = ((uintptr_t)address + page) & ~page, end = ((uintptr_t)address + n_bytes) & ~page;
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void segment_release(const struct segment *segment)
{
	if (segment->mapped == NULL)
		return;
	if (segment->pack != NULL) {
		size_t n_bytes = packed_bytes(segment->header, segment->pack);
		const char *at = (const char *)segment->pack - sizeof(struct segment_header);
		reader_release(at - segment->n_before, segment->n_before + n_bytes + segment->n_after);
		return;
	}
	const char *begin = (const char *)(segment->records - segment->n_skipped) - sizeof(struct segment_header);
	reader_release(begin, (size_t)((const char *)(segment->records + segment->n_records) - begin));
}

/* Makes room for n records, none of which is there. */
static void make_room(struct unpacked *room, size_t n)
{
	room->of = NULL;
	if (room->capacity >= n)
		return;
	free(room->records);
	room->capacity = n;
	room->records = memory_get(n, sizeof *room->records, "the records of a segment");
}

static const struct record *read_records(const struct segment *segment, struct unpacked *room)
{
	size_t n_bytes = segment->n_records * sizeof(struct record);
	off_t at = (const char *)segment->records - (const char *)segment->mapped;
	if (!room->has_reads || segment->mapped == NULL || segment->file < 0 || n_bytes > READ_SEGMENT_MAX)
		return segment->records;
	if (room->of == segment->records)
		return room->records;
	make_room(room, segment->n_records);
	if (pread(segment->file, room->records, n_bytes, at) != (ssize_t)n_bytes)
		return segment->records;
	room->of = segment->records;
	return room->records;
}

const struct record *segment_records(const struct segment *segment, struct unpacked *room)
{
	uint32_t n = segment->n_skipped + segment->n_records;
	if (segment->pack == NULL)
		return read_records(segment, room);
	if (n == 0)
		return NULL;
	if (room->of != segment->pack) {
		make_room(room, segment->pack->n_records > n ? segment->pack->n_records : n);
		uint32_t n_there = unpack_records(segment->pack, segment->pack + 1, room->records, n);
		for (; n_there < n; n_there++)
			room->records[n_there] = (struct record){0}; /* the bytes were changed, and the checksum with them */
		room->of = segment->pack;
	}
	return room->records + segment->n_skipped;
}

void unpacked_free(struct unpacked *room)
{
	free(room->records);
	*room = (struct unpacked){0};
}

const struct record *cursor_turn(struct cursor *c)
{
	const struct stream *s = c->stream;
	if (c->n_records > 0)
		segment_release(&s->segments[c->segment++]);
	while (c->segment < s->n_segments && s->segments[c->segment].n_records == 0)
		c->segment++;
	if (c->segment >= s->n_segments) {
		cursor_end(c);
		return NULL;
	}
	c->index = 0;
	c->n_records = s->segments[c->segment].n_records;
	c->records = segment_records(&s->segments[c->segment], &c->unpacked);
	return c->records;
}

uint32_t reader_trim(const struct record *records, uint32_t n)
{
	while (n > 0 && record_kind(&records[n - 1]) == 0)
		n--;
	return n;
}

bool reader_copy_live(struct reader *r, struct segment_copy *copy, const struct segment_header *from, uint64_t sequence)
{
	size_t n_bytes = sizeof(struct segment_header) + copy->n_records * sizeof(struct record);
	struct segment_header *header = memory_get(n_bytes, 1, "a copy of a segment");
	memcpy(header, from, n_bytes);
	/*
	 * A2, pairs with O1 in the recorder: a writer that reuses the place invalidates the header before it stores
	 * records. Load the sequence only after the records have been copied: if it has not changed, all that was
	 * copied is of this segment.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (header->sequence != sequence || __atomic_load_n(&from->sequence, __ATOMIC_RELAXED) != sequence ||
	    header->checksum != segment_checksum(header)) {
		free(header);
		return false;
	}
	copy->is_heap = true;
	copy->header = *header;
	copy->records = (const struct record *)(header + 1);
	reader_keep(r, header, n_bytes, true);
	return true;
}
