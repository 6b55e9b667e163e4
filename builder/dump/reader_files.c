/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes segments out of the files of a dump: drain.seg, NNNNN.seg and NNNNN.dseg. A segment stands at each multiple of
 * segment_bytes; a file may end anywhere, and a place may never have been written.
 */
#include "builder/dump/reader_private.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct segment_file {
	const char *path;
	const unsigned char *bytes;
	size_t n_bytes;
	uint32_t stream; /* or STREAM_ANY */
	enum copy_source source;
};

/*
 * In the circular files of a live flight recorder a place may just be overwritten. What was complete when the ring was looked at
 * is safe, if it is copied and its header is still the same afterwards.
 */
static int take_changing(struct reader *r, struct segment_copy *copy, const struct segment_header *h, uint64_t sequence)
{
	const struct ring_facts *ring = reader_ring_facts(r, h->stream);
	if (ring != NULL && sequence >= ring->sequence)
		return 0;
	int taken = reader_copy_live(r, copy, h, sequence);
	return taken == 1 ? reader_add_copy(r, copy) : taken;
}

static int take_segment(struct reader *r, const struct segment_file *file, size_t at)
{
	const struct segment_header *h = (const struct segment_header *)(file->bytes + at);
	uint64_t sequence =
		__atomic_load_n(&h->sequence, __ATOMIC_ACQUIRE); /* A2, as in a ring: a circular file is written again */
	if (!reader_check_header(r, h, file->stream, file->path, at))
		return 0;
	uint32_t segment_bytes = r->dump->meta.segment_bytes;
	uint32_t present = file->n_bytes - at < segment_bytes ? (uint32_t)(file->n_bytes - at) : segment_bytes;
	struct segment_copy copy = {.header = *h, .records = (const struct record *)(h + 1), .source = file->source, .at = at};
	uint32_t used;
	enum closed_state state = reader_closed(h->closed, segment_bytes, &used, &copy.is_sealed);
	if (state == CLOSED_DAMAGED)
		reader_finding(r, "header_damaged", "%s at byte %zu: `closed` is %016llx, not a length and its complement",
			       file->path, at, (unsigned long long)h->closed);
	if (state != CLOSED_WELL)
		used = present; /* only used bytes are written */
	uint32_t promised = (used - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record);
	if (used > present)
		used = present;
	copy.n_records = reader_trim(copy.records, (used - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record));
	copy.n_cut = state == CLOSED_WELL ? promised - copy.n_records : 0;
	return r->is_live && r->is_newest ? take_changing(r, &copy, h, sequence) : reader_add_copy(r, &copy);
}

static int scan_file(struct reader *r, struct segment_file *file)
{
	const void *bytes;
	if (reader_map(r, file->path, &bytes, &file->n_bytes) != 0)
		return -1;
	file->bytes = bytes;
	size_t at = 0;
	for (; at < file->n_bytes && file->n_bytes - at >= sizeof(struct segment_header); at += r->dump->meta.segment_bytes) {
		if (take_segment(r, file, at) != 0)
			return -1;
		/* A fault maps more than the header: without this all of a large file would be in our memory. */
		size_t n_bytes =
			file->n_bytes - at < r->dump->meta.segment_bytes ? file->n_bytes - at : r->dump->meta.segment_bytes;
		reader_release(file->bytes + at, n_bytes);
	}
	if (at < file->n_bytes && !r->is_live)
		reader_finding(r, "file_cut", "%s at byte %zu: the file ends %zu bytes behind, expected a segment header of %zu",
			       file->path, at, file->n_bytes - at, sizeof(struct segment_header));
	return 0;
}

/* Is this name a file of segments, and of which stream? */
static bool is_segment_file(const char *name, struct segment_file *file)
{
	*file = (struct segment_file){.stream = STREAM_ANY, .source = SOURCE_DRAIN_FILE};
	if (strcmp(name, "drain.seg") == 0 || reader_file_number(name, ".dseg", &file->stream))
		return true;
	file->source = SOURCE_STREAM_FILE;
	return reader_file_number(name, ".seg", &file->stream);
}

int reader_scan_files(struct reader *r)
{
	DIR *d = opendir(r->dump->path);
	if (d == NULL)
		return error("%s: %s", r->dump->path, strerror(errno));
	int result = 0;
	const struct dirent *entry;
	while (result == 0 && (entry = readdir(d)) != NULL) {
		struct segment_file file;
		char path[4096];
		if (!is_segment_file(entry->d_name, &file))
			continue;
		if (snprintf(path, sizeof path, "%s/%s", r->dump->path, entry->d_name) >= (int)sizeof path)
			continue;
		file.path = path;
		result = scan_file(r, &file);
	}
	closedir(d);
	return result;
}
