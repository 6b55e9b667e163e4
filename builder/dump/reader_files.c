/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the segments in the files of a dump: drain.seg, NNNNN.seg and NNNNN.dseg, and lets reader_packed.c find those in
 * the packed ones. Places of segments are at multiples of segment_bytes; a file may end anywhere, and a place may never
 * have been written. Runs on the thread that opens the dump.
 */
#include "builder/dump/reader_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct segment_file {
	const char *path;
	int fd;          /* -1: segments are looked at in the mapping alone, as the file may be changing */
	bool is_open;    /* fd stays open with the mapping */
	bool is_touched; /* pages of the segment's mapping are in memory */
	const unsigned char *bytes;
	size_t n_bytes;
	uint32_t stream; /* or STREAM_ANY */
	enum copy_source source;
};

/*
 * Takes a segment from the circular file of a flight recorder that still runs, which may be overwriting this very
 * place. Only segments that were complete when the ring was read are taken, as copies, and only if the header is still
 * the same after the copy was made.
 */
static void take_changing(struct reader *r, struct segment_copy *copy, const struct segment_header *h, uint64_t sequence)
{
	const struct ring_facts *ring = reader_ring_facts(r, h->stream);
	if (ring != NULL && sequence >= ring->sequence)
		return;
	if (reader_copy_live(r, copy, h, sequence))
		reader_add_copy(r, copy);
}

static bool read_at(const struct segment_file *file, void *to, size_t n_bytes, size_t at)
{
	return file->fd >= 0 && pread(file->fd, to, n_bytes, (off_t)at) == (ssize_t)n_bytes;
}

/* How many bytes of the file system a segment of n_bytes uses: the rest of its place in the file is a hole. */
static uint32_t whole_blocks(uint32_t n_bytes)
{
	return (n_bytes + SEGMENT_BYTES_MIN - 1) / SEGMENT_BYTES_MIN * SEGMENT_BYTES_MIN;
}

/* Is a record in the last of n places? False also where that is not known without a look at the mapping. */
static bool has_last(const struct segment_file *file, size_t at, uint32_t n)
{
	struct record last;
	return n > 0 && read_at(file, &last, sizeof last, at + sizeof(struct segment_header) + (n - 1) * sizeof(struct record)) &&
	       record_kind(&last) != 0;
}

/*
 * Takes the segment at byte `at` of the file, if one is there. Looks at the mapping only where the file cannot be read, as
 * its pages would have to be mapped for that, and to be given back.
 */
static void take_segment(struct reader *r, struct segment_file *file, size_t at)
{
	struct segment_header read;
	bool is_read = read_at(file, &read, sizeof read, at);
	file->is_touched = !is_read;
	const struct segment_header *mapped = (const struct segment_header *)(file->bytes + at), *h = is_read ? &read : mapped;
	/*
	 * A2, pairs with O2 as in a ring: a circular file may be overwritten. The sequence is loaded before anything
	 * else.
	 */
	uint64_t sequence = __atomic_load_n(&h->sequence, __ATOMIC_ACQUIRE);
	if (!reader_check_header(r, h, file->stream, file->path, at))
		return;
	uint32_t segment_bytes = r->dump->meta.segment_bytes;
	uint32_t present = file->n_bytes - at < segment_bytes ? (uint32_t)(file->n_bytes - at) : segment_bytes;
	bool is_last = file->n_bytes - at <= segment_bytes;
	struct segment_copy copy = {.header = *h,
				    .records = (const struct record *)(mapped + 1),
				    .source = file->source,
				    .mapped = file->bytes,
				    .file = file->is_open ? file->fd : -1,
				    .at = at};
	uint32_t used;
	enum closed_state state = reader_closed(h->closed, segment_bytes, &used, &copy.is_sealed);
	if (state == CLOSED_DAMAGED)
		reader_damage(r, "header_damaged",
			      "%s at byte %zu: found %016llx as `closed`, expected a length and its complement", file->path, at,
			      (unsigned long long)h->closed);
	if (state != CLOSED_WELL)
		used = present; /* the best guess: a recorder writes only the used bytes of a segment */
	uint32_t promised = (used - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record);
	if (used > present)
		used = present;
	if (!is_last)
		r->dump->n_bytes -= segment_bytes - whole_blocks(used);
	copy.n_records = (used - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record);
	if (!is_read || !has_last(file, at, copy.n_records)) {
		file->is_touched = true;
		copy.n_records = reader_trim(copy.records, copy.n_records);
	}
	copy.n_cut = state == CLOSED_WELL ? promised - copy.n_records : 0;
	if (r->is_live && r->is_newest)
		take_changing(r, &copy, h, sequence);
	else
		reader_add_copy(r, &copy);
}

static void scan_file(struct reader *r, struct segment_file *file)
{
	const void *bytes;
	reader_map(r, file->path, &bytes, &file->n_bytes);
	file->bytes = bytes;
	file->fd = bytes != NULL && !r->is_live ? open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	file->is_open = file->fd >= 0 && reader_keep_file(r, file->fd);
	size_t at = 0;
	for (; at < file->n_bytes && file->n_bytes - at >= sizeof(struct segment_header); at += r->dump->meta.segment_bytes) {
		take_segment(r, file, at);
		/*
		 * The kernel maps pages around the one that is touched. Without this, looking at the headers would
		 * bring all of a large file into memory.
		 */
		size_t n_bytes =
			file->n_bytes - at < r->dump->meta.segment_bytes ? file->n_bytes - at : r->dump->meta.segment_bytes;
		if (file->is_touched)
			reader_release(file->bytes + at, n_bytes);
	}
	if (file->fd >= 0 && !file->is_open)
		close(file->fd);
	if (at < file->n_bytes && !r->is_live)
		reader_damage(r, "file_cut",
			      "%s at byte %zu: found the file's last %zu bytes, expected a segment header of %zu bytes", file->path,
			      at, file->n_bytes - at, sizeof(struct segment_header));
}

/* Is this the name of a file of segments? If so, sets the file's stream and source. */
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
	const struct dirent *entry;
	while ((entry = readdir(d)) != NULL) {
		struct segment_file file;
		char path[4096];
		bool is_packed = reader_is_packed(entry->d_name, ".pseg", &file.stream);
		if (!is_packed && !is_segment_file(entry->d_name, &file))
			continue;
		if (snprintf(path, sizeof path, "%s/%s", r->dump->path, entry->d_name) >= (int)sizeof path)
			continue;
		file.path = path;
		if (is_packed)
			reader_scan_packed(r, path, file.stream, false);
		else
			scan_file(r, &file);
	}
	closedir(d);
	return 0;
}
