/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the segments in rings: those that no file has yet, because the process still runs or was killed. The ring's
 * position decides what is published; a slot of the ring is used only if its header's sequence is not larger than the
 * position's. If the process still runs, the position is loaded first (acquire), then each segment is copied and its header
 * checked again (docs/format.md, section 3). Runs on the thread that opens the dump.
 */
#include "builder/dump/reader_private.h"
#include "builder/support/array.h"
#include "common/rings.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often the ring of a running process is read until one segment at least could be copied. */
#define LIVE_TRIES 10

struct ring {
	struct reader *reader;
	const char *path;
	const unsigned char *bytes;
	size_t n_bytes;
	uint32_t stream;
	uint32_t segment_bytes;
	uint32_t n_segments;
	bool has_position;
	uint64_t sequence; /* of the segment that the position is in */
	uint32_t offset;   /* of the position in that segment, in bytes */
};

const struct ring_facts *reader_ring_facts(const struct reader *r, uint32_t stream)
{
	for (size_t i = 0; i < r->n_rings; i++)
		if (r->rings[i].stream == stream)
			return &r->rings[i];
	return NULL;
}

static const struct segment_header *ring_header(const struct ring *ring, uint32_t slot)
{
	return (const struct segment_header *)(ring->bytes + RING_CONTROL_BYTES + (size_t)slot * ring->segment_bytes);
}

/* How many bytes of the segment `sequence` are published, header included; 0: none. Sets *is_sealed. */
static uint32_t published_bytes(const struct ring *ring, const struct segment_header *h, uint64_t sequence, bool *is_sealed)
{
	uint32_t used;
	enum closed_state state =
		reader_closed(__atomic_load_n(&h->closed, __ATOMIC_RELAXED), ring->segment_bytes, &used, is_sealed);
	if (state == CLOSED_DAMAGED && !ring->reader->is_live)
		reader_damage(ring->reader, "header_damaged",
			      "%s: segment %llu: found %016llx as `closed`, expected a length and its complement", ring->path,
			      (unsigned long long)sequence, (unsigned long long)h->closed);
	if (!ring->has_position || sequence < ring->sequence)
		return state == CLOSED_WELL ? used : ring->has_position ? ring->segment_bytes : 0;
	if (sequence > ring->sequence)
		return 0;
	if (state == CLOSED_WELL && used > ring->offset)
		*is_sealed = false; /* `closed` is ahead of the position, which alone says what is published */
	return ring->offset;
}

/* Takes the segment in a slot of the ring, if one is there. */
static void take_segment(struct ring *ring, uint32_t slot)
{
	const struct segment_header *h = ring_header(ring, slot);
	uint64_t at = RING_CONTROL_BYTES + (uint64_t)slot * ring->segment_bytes;
	if (at + sizeof *h > ring->n_bytes)
		return;
	struct reader *r = ring->reader;
	/*
	 * A2's first look, pairs with O2 in the recorder: if this is the new sequence, the rest of the new header is
	 * there.
	 */
	uint64_t sequence = __atomic_load_n(&h->sequence, __ATOMIC_ACQUIRE);
	if (r->is_live ? sequence == 0 || h->magic != SEGMENT_MAGIC || h->stream != ring->stream
		       : !reader_check_header(r, h, ring->stream, ring->path, at))
		return;
	struct segment_copy copy = {
		.header = *h, .records = (const struct record *)(h + 1), .source = SOURCE_RING, .mapped = h, .file = -1, .at = at};
	uint32_t used = published_bytes(ring, h, sequence, &copy.is_sealed);
	if (used < sizeof *h)
		return;
	uint32_t present = used < ring->n_bytes - at ? used : (uint32_t)(ring->n_bytes - at);
	copy.n_records = (present - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record);
	copy.n_cut = (used - (uint32_t)sizeof *h) / (uint32_t)sizeof(struct record) - copy.n_records;
	if (!r->is_live || reader_copy_live(r, &copy, h, sequence))
		reader_add_copy(r, &copy);
}

/*
 * Reads the control page. False: this is not a ring of this dump, or it was not set up yet. If the page is damaged, the
 * ring has no position, and its shape is taken from meta and from the file's size.
 */
static bool read_control(struct ring *ring, const struct ring_control *c, uint32_t number)
{
	struct reader *r = ring->reader;
	/* A1, pairs with R1 in the recorder: all records below this position are there once it has been loaded. */
	uint64_t position = __atomic_load_n(&c->position, __ATOMIC_ACQUIRE);
	ring->stream = number;
	if (c->magic == 0)
		return false; /* the process ended before it had set the ring up */
	if (c->magic != RING_MAGIC || c->checksum != ring_checksum(c) || c->segment_bytes < SEGMENT_BYTES_MIN ||
	    c->segment_bytes > SEGMENT_BYTES_MAX || (c->segment_bytes & (c->segment_bytes - 1)) != 0) {
		reader_damage(r, "ring_damaged",
			      "%s: found a control page with magic %016llx and checksum %08x, expected %016llx and %08x: "
			      "only closed segments are taken",
			      ring->path, (unsigned long long)c->magic, c->checksum, (unsigned long long)RING_MAGIC,
			      ring_checksum(c));
		ring->segment_bytes = r->dump->meta.segment_bytes;
		ring->n_segments = (uint32_t)((ring->n_bytes - RING_CONTROL_BYTES) / ring->segment_bytes);
		return true;
	}
	long pid = r->dump->meta.pid; /* 0: not known, because meta was cut */
	if (c->stream != number || (pid != 0 && c->pid != (uint64_t)pid)) {
		reader_damage(r, "foreign_ring",
			      "%s: found the ring of stream %u of process %llu, expected stream %u of process %ld", ring->path,
			      c->stream, (unsigned long long)c->pid, number, pid);
		return false;
	}
	ring->segment_bytes = c->segment_bytes;
	ring->n_segments = c->n_segments;
	uint64_t present = (ring->n_bytes - RING_CONTROL_BYTES + ring->segment_bytes - 1) / ring->segment_bytes;
	if (c->n_segments > present || RING_CONTROL_BYTES + (uint64_t)c->n_segments * ring->segment_bytes > ring->n_bytes) {
		reader_damage(r, "ring_cut", "%s: found %zu bytes, expected %llu", ring->path, ring->n_bytes,
			      (unsigned long long)(RING_CONTROL_BYTES + (uint64_t)c->n_segments * ring->segment_bytes));
		if (c->n_segments > present)
			ring->n_segments = (uint32_t)present;
	}
	ring->has_position = true;
	ring->sequence = position / ring->segment_bytes;
	ring->offset = (uint32_t)(position % ring->segment_bytes);
	return true;
}

/*
 * Checks that the position lies in a segment that is in the ring, at the boundary of a record. No thread of the
 * recorder stores any other position, but a disk may damage it. The position of a ring that fails is not used. (If the
 * process still runs, the ring may have moved on; nothing is checked then.)
 */
static void check_position(struct ring *ring)
{
	if (!ring->has_position || ring->offset == 0 || ring->reader->is_live)
		return;
	if (ring->offset >= sizeof(struct segment_header) && ring->offset % sizeof(struct record) == 0)
		for (uint32_t i = 0; i < ring->n_segments; i++)
			if (RING_CONTROL_BYTES + (size_t)i * ring->segment_bytes + sizeof(struct segment_header) <= ring->n_bytes &&
			    ring_header(ring, i)->sequence == ring->sequence)
				return;
	reader_damage(ring->reader, "position_damaged",
		      "%s at byte 64: found a position at offset %u of segment %llu, expected one in the ring: "
		      "only closed segments are taken",
		      ring->path, ring->offset, (unsigned long long)ring->sequence);
	ring->has_position = false;
}

/* Adds what the control page says to r->rings. */
static void keep_facts(struct ring *ring, const struct ring_control *c)
{
	struct reader *r = ring->reader;
	struct ring_facts *facts = array_append_one(r->rings, r->n_rings);
	*facts = (struct ring_facts){.stream = ring->stream};
	if (c->checksum == ring_checksum(c)) {
		facts->sequence = ring->sequence;
		facts->stalled_ticks = c->stalled_ticks;
		memcpy(facts->lost, c->lost, sizeof facts->lost);
	}
}

static void scan_ring(struct reader *r, const char *path, uint32_t number)
{
	const void *bytes;
	struct ring ring = {.reader = r, .path = path};
	reader_map(r, path, &bytes, &ring.n_bytes);
	if (ring.n_bytes == 0)
		return; /* the process ended before it had set the ring up, or the stream was sealed meanwhile */
	ring.bytes = bytes;
	if (ring.n_bytes < RING_CONTROL_BYTES) {
		reader_damage(r, "ring_cut", "%s: found %zu bytes, expected at least a control page of %d", path, ring.n_bytes,
			      RING_CONTROL_BYTES);
		return;
	}
	/* A fast producer may have reused all its segments before we had copied one: then read the ring once more. */
	int n_tries = r->is_live ? LIVE_TRIES : 1;
	size_t n_before = r->n_copies;
	while (n_tries-- > 0 && r->n_copies == n_before) {
		if (!read_control(&ring, bytes, number))
			return;
		check_position(&ring);
		for (uint32_t i = 0; i < ring.n_segments; i++)
			take_segment(&ring, i);
	}
	keep_facts(&ring, bytes);
}

/* Reads the rings of a directory, or its packing buffers. */
static void scan_directory(struct reader *r, const char *dir, bool are_buffers)
{
	DIR *d = opendir(dir);
	if (d == NULL)
		return; /* no damage: the dump was copied from a machine that had the rings in a directory of their own */
	const struct dirent *entry;
	while ((entry = readdir(d)) != NULL) {
		uint32_t number;
		char path[4096];
		if (snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) >= (int)sizeof path)
			continue;
		if (are_buffers && reader_is_packed(entry->d_name, ".pbuf", &number))
			reader_scan_packed(r, path, number, true);
		if (!are_buffers && reader_file_number(entry->d_name, ".ring", &number) && reader_ring_facts(r, number) == NULL)
			scan_ring(r, path, number);
	}
	closedir(d);
}

void reader_scan_rings(struct reader *r)
{
	const char *ring_dir = r->dump->meta.ring_dir;
	/* Where they cannot be moved, as in a dump that may not be written to, they are read where they are. */
	if (*ring_dir != '\0' && !r->is_live)
		rings_collect(r->dump->path, ring_dir);
	/* All rings before all buffers: what leaves a ring of a running process meanwhile is in a buffer by then. */
	for (int are_buffers = 0; are_buffers < 2; are_buffers++) {
		if (*ring_dir != '\0' && strcmp(ring_dir, r->dump->path) != 0)
			scan_directory(r, ring_dir, are_buffers);
		scan_directory(r, r->dump->path, are_buffers);
	}
}
