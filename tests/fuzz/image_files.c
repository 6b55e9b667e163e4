/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a dump, as docs/format.md has them, out of the streams of an image; and what is broken in them as a whole.
 */
#include "tests/fuzz/image.h"
#include "builder/support/array.h"
#include "common/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_SLOTS 4

static struct image_file *find_file(struct image *image, const char *name)
{
	for (size_t i = 0; i < image->n_files; i++)
		if (strcmp(image->files[i].name, name) == 0)
			return &image->files[i];
	if (image->n_files == IMAGE_FILES)
		return NULL;
	struct image_file *file = &image->files[image->n_files++];
	snprintf(file->name, sizeof file->name, "%s", name);
	file->n_bytes = 0;
	return file;
}

static unsigned char *grow(struct image_file *file, size_t n_bytes)
{
	array_reserve(file->bytes, n_bytes + 1, file->capacity);
	if (n_bytes > file->n_bytes)
		memset(file->bytes + file->n_bytes, 0, n_bytes - file->n_bytes);
	file->n_bytes = n_bytes;
	return file->bytes;
}

static uint32_t used_bytes(const struct image_stream *s, size_t i)
{
	struct segment_header h;
	memcpy(&h, s->segments[i], sizeof h);
	uint32_t used = low32(h.closed) & ~SEGMENT_SEALED;
	if (i + 1 == s->n_segments)
		used = s->used_bytes;
	return used >= sizeof h && used <= IMAGE_SEGMENT_BYTES ? used : IMAGE_SEGMENT_BYTES;
}

/* Appends a segment packed, if it is closed; else as it is, where none must be. */
static void put_packed(struct image_file *file, const struct image_stream *s, size_t i)
{
	static struct pack_memory memory;
	size_t at = (file->n_bytes + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN;
	struct segment_header h;
	memcpy(&h, s->segments[i], sizeof h);
	uint32_t used = low32(h.closed) & ~SEGMENT_SEALED;
	bool is_closed =
		h.closed == segment_closed(low32(h.closed)) && used >= sizeof h && used <= IMAGE_SEGMENT_BYTES && used % 32 == 0;
	unsigned char *to = grow(file, at + PACKED_BYTES_MAX(IMAGE_SEGMENT_BYTES / 32)) + at;
	size_t n = is_closed ? pack_segment(&memory, (const struct segment_header *)(const void *)s->segments[i], to)
			     : used_bytes(s, i);
	if (!is_closed)
		memcpy(to, s->segments[i], n);
	file->n_bytes = at + n;
}

/* The first n segments behind what the file has. */
static void put_segments(struct image *image, const struct image_stream *s, size_t n, const char *suffix)
{
	char name[24];
	bool is_drain = *suffix == '\0';
	suffix = s->is_packed ? s->is_in_buffer ? "pbuf" : "pseg" : is_drain ? "seg" : suffix;
	if (is_drain)
		snprintf(name, sizeof name, "drain.%s", suffix);
	else
		snprintf(name, sizeof name, "%05u.%s", s->number, suffix);
	struct image_file *file = n > 0 ? find_file(image, name) : NULL;
	for (size_t i = 0; i < n && file != NULL; i++) {
		if (s->is_packed) {
			put_packed(file, s, i);
			continue;
		}
		size_t at = (file->n_bytes + IMAGE_SEGMENT_BYTES - 1) / IMAGE_SEGMENT_BYTES * IMAGE_SEGMENT_BYTES;
		uint32_t used = used_bytes(s, i);
		memcpy(grow(file, at + used) + at, s->segments[i], used);
	}
}

/* What a step did to the control stands; the rest is as it must be. */
static struct ring_control control_of(const struct image_stream *s)
{
	struct segment_header h;
	memcpy(&h, s->segments[s->n_segments - 1], sizeof h);
	uint64_t sequence = s->sequence, position = sequence * IMAGE_SEGMENT_BYTES + s->used_bytes;
	struct ring_control c = {
		.magic = RING_MAGIC,
		.major = FORMAT_PLAIN_MAJOR,
		.minor = FORMAT_PLAIN_MINOR,
		.stream = s->number,
		.n_segments = RING_SLOTS,
		.segment_bytes = IMAGE_SEGMENT_BYTES,
		.pid = IMAGE_PID,
		.position = h.closed == 0 ? position : (sequence + 1) * IMAGE_SEGMENT_BYTES,
		.n_tasks = s->n_tasks,
		.n_regions = s->n_regions,
	};
	const struct ring_control *poked = &s->control;
	if (s->has_control) {
		c.magic = poked->magic != 0 ? poked->magic : c.magic;
		c.major = poked->major != 0 ? poked->major : c.major;
		c.minor = poked->minor != 0 ? poked->minor : c.minor;
		c.stream = poked->stream != 0 ? poked->stream : c.stream;
		c.n_segments = poked->n_segments != 0 ? poked->n_segments : c.n_segments;
		c.segment_bytes = poked->segment_bytes != 0 ? poked->segment_bytes : c.segment_bytes;
		c.pid = poked->pid != 0 ? poked->pid : c.pid;
		c.position = poked->position != 0 ? poked->position : c.position;
		memcpy(c.lost, poked->lost, sizeof c.lost);
		c.stalled_ticks = poked->stalled_ticks;
	}
	c.checksum = ring_checksum(&c) ^ s->is_control_damaged;
	return c;
}

static void put_ring(struct image *image, const struct image_stream *s)
{
	char name[24];
	snprintf(name, sizeof name, "%05u.ring", s->number);
	struct image_file *file = find_file(image, name);
	if (file == NULL)
		return;
	struct ring_control control = control_of(s);
	unsigned char *bytes = grow(file, RING_CONTROL_BYTES + RING_SLOTS * IMAGE_SEGMENT_BYTES);
	memcpy(bytes, &control, sizeof control);
	size_t first = s->n_segments > RING_SLOTS ? s->n_segments - RING_SLOTS : 0;
	for (size_t i = first; i < s->n_segments; i++)
		memcpy(bytes + RING_CONTROL_BYTES + (i % RING_SLOTS) * IMAGE_SEGMENT_BYTES, s->segments[i], IMAGE_SEGMENT_BYTES);
}

static void put_stream(struct image *image, struct image_stream *s)
{
	size_t n = s->n_segments, in_ring = n < RING_SLOTS ? n : RING_SLOTS;
	if (!s->is_live) {
		struct segment_header *h = image_last_header(s);
		if (h->closed == 0)
			h->closed = segment_closed(s->used_bytes | SEGMENT_SEALED);
		else if (h->closed == segment_closed(s->used_bytes))
			h->closed = segment_closed(s->used_bytes | SEGMENT_SEALED);
	}
	switch (s->place) {
	case IN_STREAM_FILE: put_segments(image, s, n, "seg"); break;
	case IN_DRAIN_FILE: put_segments(image, s, n, ""); break;
	case IN_RING: put_segments(image, s, n - in_ring, "seg"); break;
	case IN_RING_AND_FILE: put_segments(image, s, n, "seg"); break;
	case IN_DSEG_FILE: put_segments(image, s, n, "dseg"); break;
	default:
		put_segments(image, s, n, "seg");
		put_segments(image, s, n, "");
		break;
	}
	if ((s->place == IN_RING || s->place == IN_RING_AND_FILE) && !s->is_without_ring)
		put_ring(image, s);
}

/* Gives what is packed the checksums of its bytes. */
static void seal_packed(struct image_file *file)
{
	for (size_t at = 0; at + sizeof(struct segment_header) + sizeof(struct pack_header) <= file->n_bytes; at += PACK_ALIGN) {
		unsigned char *bytes = file->bytes + at;
		struct segment_header h;
		struct pack_header pack;
		memcpy(&h, bytes, sizeof h);
		memcpy(&pack, bytes + sizeof h, sizeof pack);
		if (h.magic != SEGMENT_MAGIC || pack.magic != PACK_MAGIC ||
		    pack.n_bytes > file->n_bytes - at - sizeof h - sizeof pack)
			continue;
		h.checksum = segment_checksum(&h);
		pack.checksum = packed_checksum(&h, &pack, bytes + sizeof h + sizeof pack);
		memcpy(bytes, &h, sizeof h);
		memcpy(bytes + sizeof h, &pack, sizeof pack);
	}
}

static void patch(struct image *image, const struct unit *u)
{
	struct image_file *file = &image->files[u->value % image->n_files];
	size_t at = (size_t)u->b * 256 + u->a;
	if (u->op == STEP_FLIP) {
		if (at < file->n_bytes)
			file->bytes[at] ^= u->flags;
		if (u->extra & 1)
			seal_packed(file);
		return;
	}
	if (u->extra & 1)
		at *= IMAGE_SEGMENT_BYTES;
	if (at < file->n_bytes)
		file->n_bytes = at;
}

void image_write(struct image *image)
{
	char text[IMAGE_META_BYTES];
	for (size_t i = 0; i < IMAGE_STREAMS; i++)
		if (image->streams[i].n_segments > 0)
			put_stream(image, &image->streams[i]);
	size_t n = image_meta(image, text, sizeof text);
	struct image_file *meta = find_file(image, "meta");
	if (meta != NULL)
		memcpy(grow(meta, n), text, n);
	for (size_t i = 0; i < image->n_patches; i++)
		patch(image, &image->patches[i]);
}
