/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of the recorder: a session in a directory of its own, and a reader of its dump that uses only
 * common/format.h (the builder's reader is another program, with tests of its own).
 */
#ifndef OTTER_TESTS_RECORDER_DUMP_H
#define OTTER_TESTS_RECORDER_DUMP_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/event.h"
#include "common/format.h"
#include "common/pack.h"
#include "recorder/session/session_life.h"

#define DUMP_SEGMENTS_MAX 65536

/* One copy of a segment. */
struct dump_segment {
	struct segment_header header;
	const struct record *records;
	size_t n_records;
	bool is_sealed;
	bool is_in_ring;
	bool is_drained; /* it is in the drain thread's file */
	bool is_packed;
};

struct dump {
	struct dump_segment segments[DUMP_SEGMENTS_MAX];
	size_t n_segments;
	size_t n_rings;
};

static char dump_parent[64];

/* Begins a session with these variables: name, value, ..., NULL. All others have their defaults, but context switches
 * are recorded only where the test asks for them: their stream has a ring and the drain thread reads it. */
__attribute__((unused, sentinel)) static struct session *dump_begin(const char *name, ...)
{
	va_list list;
	strcpy(dump_parent, "/tmp/otter-test-XXXXXX");
	if (!mkdtemp(dump_parent))
		return NULL;
	setenv("OTTER_DIR", dump_parent, 1);
	setenv("OTTER_EVENTS", "-switch", 0);
	va_start(list, name);
	for (; name; name = va_arg(list, const char *))
		setenv(name, va_arg(list, const char *), 1);
	va_end(list);
	return session_begin() ? session_get() : NULL;
}

static int dump_remove_file(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

/* Without a shell: some tests make a thousand dumps. */
__attribute__((unused)) static void dump_remove(void)
{
	if (nftw(dump_parent, dump_remove_file, 16, FTW_DEPTH | FTW_PHYS) != 0)
		fprintf(stderr, "could not remove %s\n", dump_parent);
}

static void *dump_read_file(const char *dir, const char *name, size_t *n_bytes)
{
	char path[4096 + 256];
	struct stat status;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &status) != 0)
		return NULL;
	char *bytes = malloc((size_t)status.st_size + 1);
	for (*n_bytes = 0; *n_bytes < (size_t)status.st_size;) {
		ssize_t n = read(fd, bytes + *n_bytes, (size_t)status.st_size - *n_bytes);
		if (n <= 0)
			break;
		*n_bytes += (size_t)n;
	}
	bytes[*n_bytes] = '\0';
	close(fd);
	return bytes;
}

/* Returns the text of meta. */
__attribute__((unused)) static char *dump_meta(const char *dir)
{
	size_t n_bytes;
	return dump_read_file(dir, "meta", &n_bytes);
}

/* Adds a segment at `bytes`, of which `n_bytes` are there. `used_if_open`: how much is used according to the position,
 * if it is not closed. */
static void dump_add(struct dump *dump, const unsigned char *bytes, size_t n_bytes, size_t used_if_open, struct dump_segment from)
{
	struct dump_segment *segment = &dump->segments[dump->n_segments];
	*segment = from;
	if (n_bytes < sizeof segment->header)
		return;
	memcpy(&segment->header, bytes, sizeof segment->header);
	const struct segment_header *header = &segment->header;
	if (header->magic != SEGMENT_MAGIC || header->sequence == 0 || header->checksum != segment_checksum(header))
		return;
	uint32_t low = (uint32_t)header->closed;
	size_t used = used_if_open;
	if (header->closed && (uint32_t)(header->closed >> 32) == (uint32_t)~low) {
		used = low & ~SEGMENT_SEALED;
		segment->is_sealed = low & SEGMENT_SEALED;
	}
	if (used > n_bytes)
		used = n_bytes;
	if (used < sizeof *header || dump->n_segments == DUMP_SEGMENTS_MAX - 1)
		return;
	segment->records = (const struct record *)(bytes + sizeof *header);
	segment->n_records = (used - sizeof *header) / sizeof(struct record);
	dump->n_segments++;
}

static void dump_add_ring(struct dump *dump, const unsigned char *bytes, size_t n_bytes)
{
	const struct ring_control *control = (const struct ring_control *)bytes;
	if (n_bytes < sizeof *control || control->magic != RING_MAGIC || control->checksum != ring_checksum(control))
		return;
	dump->n_rings++;
	uint64_t sequence = control->position / control->segment_bytes;
	size_t offset = control->position % control->segment_bytes;
	for (uint32_t i = 0; i < control->n_segments; i++) {
		const unsigned char *at = bytes + sizeof *control + (size_t)i * control->segment_bytes;
		const struct segment_header *header = (const struct segment_header *)at;
		if (header->sequence > sequence || (header->sequence == sequence && offset == 0))
			continue;
		dump_add(dump, at, control->segment_bytes, header->sequence == sequence ? offset : control->segment_bytes,
			 (struct dump_segment){.is_in_ring = true});
	}
}

/* The packed segments of a file, or those that are whole of a packing buffer. */
static void dump_add_packed(struct dump *dump, const unsigned char *bytes, size_t n_bytes, struct dump_segment from)
{
	struct segment_header header;
	struct pack_header pack;
	size_t n_packed = 0;
	for (size_t at = 0; at + sizeof header + sizeof pack <= n_bytes; at += n_packed ? n_packed : PACK_ALIGN) {
		memcpy(&header, bytes + at, sizeof header);
		memcpy(&pack, bytes + at + sizeof header, sizeof pack);
		const unsigned char *payload = bytes + at + sizeof header + sizeof pack;
		n_packed = header.magic == SEGMENT_MAGIC && header.sequence && header.checksum == segment_checksum(&header)
				   ? packed_bytes(&header, &pack)
				   : 0;
		if (n_packed > n_bytes - at || (n_packed && packed_checksum(&header, &pack, payload) != pack.checksum))
			n_packed = 0;
		if (n_packed == 0 || dump->n_segments == DUMP_SEGMENTS_MAX - 1)
			continue;
		struct dump_segment *segment = &dump->segments[dump->n_segments];
		struct record *records = calloc(pack.n_records + 1, sizeof *records);
		*segment = from;
		segment->header = header;
		segment->records = records;
		segment->n_records = pack.n_records;
		segment->is_sealed = (uint32_t)header.closed & SEGMENT_SEALED;
		segment->is_packed = true;
		if (unpack_records(&pack, payload, records, pack.n_records) == pack.n_records)
			dump->n_segments++;
	}
}

/* All copies of all segments, in any order. */
__attribute__((unused)) static struct dump *dump_open(const char *path, uint32_t segment_bytes)
{
	struct dump *dump = calloc(1, sizeof *dump);
	DIR *dir = opendir(path);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		size_t n_bytes;
		const char *suffix = strrchr(entry->d_name, '.');
		bool is_ring = suffix && strcmp(suffix, ".ring") == 0;
		bool is_seg = suffix && (strcmp(suffix, ".seg") == 0 || strcmp(suffix, ".dseg") == 0);
		bool is_packed = suffix && (strcmp(suffix, ".pseg") == 0 || strcmp(suffix, ".pbuf") == 0);
		const unsigned char *bytes = is_ring || is_seg || is_packed ? dump_read_file(path, entry->d_name, &n_bytes) : NULL;
		bool is_drained = strcmp(entry->d_name, "drain.seg") == 0 || strcmp(entry->d_name, "drain.pseg") == 0 ||
				  (suffix && strcmp(suffix, ".dseg") == 0);
		if (bytes && is_ring)
			dump_add_ring(dump, bytes, n_bytes);
		if (bytes && is_packed)
			dump_add_packed(
				dump, bytes, n_bytes,
				(struct dump_segment){.is_drained = is_drained, .is_in_ring = strcmp(suffix, ".pbuf") == 0});
		for (size_t at = 0; bytes && is_seg && at < n_bytes; at += segment_bytes) {
			size_t left = n_bytes - at;
			dump_add(dump, bytes + at, left < segment_bytes ? left : segment_bytes, 0,
				 (struct dump_segment){.is_drained = is_drained});
		}
	}
	if (dir)
		closedir(dir);
	return dump;
}

/* Returns the longest copy of a segment, or NULL. */
__attribute__((unused)) static const struct dump_segment *dump_segment(const struct dump *dump, uint32_t stream, uint64_t sequence)
{
	const struct dump_segment *best = NULL;
	for (size_t i = 0; i < dump->n_segments; i++) {
		const struct dump_segment *s = &dump->segments[i];
		if (s->header.stream != stream || s->header.sequence != sequence)
			continue;
		if (!best || s->n_records > best->n_records || (s->n_records == best->n_records && s->is_sealed))
			best = s;
	}
	return best;
}

/* Returns the records of a stream in their order, up to the first segment that is missing. */
__attribute__((unused)) static struct record *dump_records(const struct dump *dump, uint32_t stream, size_t *n_records)
{
	struct record *records = NULL;
	const struct dump_segment *segment;
	*n_records = 0;
	for (uint64_t sequence = 1; (segment = dump_segment(dump, stream, sequence)); sequence++) {
		records = realloc(records, (*n_records + segment->n_records + 1) * sizeof *records);
		memcpy(records + *n_records, segment->records, segment->n_records * sizeof *records);
		*n_records += segment->n_records;
	}
	return records;
}

#endif
