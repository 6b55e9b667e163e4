/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of an input that are no records: what a dump may have gone through. See image.h.
 */
#include "tests/fuzz/image.h"

#include <stdio.h>
#include <string.h>

static void poke_header(struct image_stream *s, const struct unit *u)
{
	struct segment_header *h = image_last_header(s);
	if (h == NULL)
		return;
	uint64_t *const fields[] = {&h->ticks,     &h->monotonic_ns, &h->realtime_ns, &h->tid,      &h->n_tasks,
				    &h->n_regions, &h->n_lost,       &h->n_records,   &h->sequence, &h->magic,
				    &h->task,      &h->region,       &h->n_units};
	size_t n = sizeof fields / sizeof fields[0];
	size_t i = u->flags % (n + 1);
	if (i == n)
		h->stream = (uint32_t)image_number(u->a);
	else
		*fields[i] = i >= 10 ? (u->a < 0xc0 ? id_make(u->a & 3u, u->a >> 2) : image_number(u->a)) : image_number(u->a);
	/* What follows goes on from there. */
	if (fields[i % n] == &h->sequence)
		s->sequence = h->sequence;
	if (fields[i % n] == &h->n_records)
		s->n_records = h->n_records;
	h->checksum = segment_checksum(h) ^ (u->extra & 1);
}

static void poke_closed(struct image_stream *s, const struct unit *u)
{
	struct segment_header *h = image_last_header(s);
	if (h == NULL)
		return;
	uint32_t low = (uint32_t)image_number(u->a) * (u->extra & 2 ? 1 : (uint32_t)sizeof(struct record));
	if (u->extra & 4)
		low |= SEGMENT_SEALED;
	h->closed = u->extra & 1 ? image_number(u->a) : segment_closed(low);
}

static void poke_record(struct image_stream *s, const struct unit *u)
{
	if (s->n_segments == 0 || s->used_bytes < sizeof(struct segment_header) + sizeof(struct record))
		return;
	unsigned char *at = s->segments[s->n_segments - 1] + s->used_bytes - sizeof(struct record);
	uint64_t words[4];
	memcpy(words, at, sizeof words);
	uint64_t *word = &words[u->flags & 3];
	*word = u->extra & 1 ? *word ^ UINT64_C(1) << (u->b & 63) : image_number(u->a);
	memcpy(at, words, sizeof words);
}

static void poke_ring(struct image_stream *s, const struct unit *u)
{
	struct ring_control *c = &s->control;
	uint64_t number = image_number(u->a);
	s->has_control = true;
	switch (u->flags % 10) {
	case 0: c->magic = number; break;
	case 1: c->major = (uint32_t)number; break;
	case 2: c->minor = (uint32_t)number; break;
	case 3: c->stream = (uint32_t)number; break;
	case 4: c->n_segments = (uint32_t)number; break;
	case 5: c->segment_bytes = (uint32_t)number; break;
	case 6: c->pid = number; break;
	case 7: c->position = u->extra & 2 ? number : number * IMAGE_SEGMENT_BYTES + 32u * u->b; break;
	case 8: c->lost[u->b % LOSS_CAUSES] = number; break;
	default: c->stalled_ticks = number; break;
	}
	s->is_control_damaged = u->extra & 1;
}

static void swap_segments(struct image_stream *s)
{
	size_t n = s->n_segments;
	if (n < 2)
		return;
	image_close_segment(s, 0);
	unsigned char *last = s->segments[n - 1];
	s->segments[n - 1] = s->segments[n - 2];
	s->segments[n - 2] = last;
}

/* The same segment once more, behind it in this stream or another one: a new one opens for what follows. */
static void copy_segment(struct image *image, struct image_stream *from, struct image_stream *to, const struct unit *u)
{
	if (from->n_segments == 0)
		return;
	image_close_segment(from, 0);
	const unsigned char *original = from->segments[from->n_segments - 1];
	uint64_t sequence = to->sequence;
	if (image_open_segment(image, to) == NULL)
		return;
	to->sequence = sequence;
	unsigned char *copy = to->segments[to->n_segments - 1];
	memcpy(copy, original, IMAGE_SEGMENT_BYTES);
	to->used_bytes = from->used_bytes;
	if (u->extra & 1) {
		struct segment_header *h = image_last_header(to);
		h->ticks += 1 + u->a;
		h->checksum = segment_checksum(h);
	}
}

static void set_run(struct image *image, const struct unit *u)
{
	image->level = (enum graph_level)(u->flags % 3);
	image->runtime = u->value;
	image->clock = u->a;
	image->is_live = u->extra & 1;
	image->is_killed = u->extra & 2;
	image->is_newest = u->extra & 4;
	image->max_nodes = u->extra & 8 ? 3 : 2000;
}

static void add_meta(struct image *image, const struct unit *u)
{
	char line[512];
	image_meta_line(u, line, sizeof line);
	char *to = u->extra & 1 ? image->meta_before : image->meta_behind;
	if (strlen(to) + strlen(line) < IMAGE_META_BYTES / 4)
		strcat(to, line);
}

void image_step(struct image *image, const struct unit *u)
{
	struct image_stream *s = &image->streams[u->where & 7];
	switch (u->op) {
	case STEP_CLOSE: image_close_segment(s, 0); break;
	case STEP_GAP:
		image_close_segment(s, 0);
		s->sequence += image_number(u->value);
		s->n_records += image_number(u->a);
		break;
	case STEP_PLACE:
		s->place = (enum image_place)(u->flags % IMAGE_PLACES);
		s->is_packed = u->extra & 1;
		s->is_in_buffer = u->extra & 2;
		break;
	case STEP_HEADER: poke_header(s, u); break;
	case STEP_CLOSED: poke_closed(s, u); break;
	case STEP_POKE: poke_record(s, u); break;
	case STEP_META: add_meta(image, u); break;
	case STEP_RING: poke_ring(s, u); break;
	case STEP_SWAP: swap_segments(s); break;
	case STEP_DOUBLE: copy_segment(image, s, s, u); break;
	case STEP_FOREIGN: copy_segment(image, s, &image->streams[u->value & 7], u); break;
	case STEP_STATE:
		s->is_live = u->flags & 1;
		s->is_hidden = u->flags & 2;
		s->is_without_ring = u->flags & 4;
		break;
	case STEP_RUN: set_run(image, u); break;
	case STEP_FLIP:
	case STEP_CUT:
		if (image->n_patches < sizeof image->patches / sizeof image->patches[0])
			image->patches[image->n_patches++] = *u;
		break;
	default: break;
	}
}
