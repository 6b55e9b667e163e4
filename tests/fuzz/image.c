/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From units to records in segments. What the fields of a record are comes from the event table, so that kinds which are new there
 * come out of the fuzzer at once.
 */
#include "tests/fuzz/image.h"

#include <stdlib.h>
#include <string.h>

#define INTERESTING 0xc0 /* bytes from here on stand for one of these */

static const uint64_t interesting[] = {
	UINT64_MAX,
	UINT64_MAX - 1,
	UINT64_C(1) << 63,
	(UINT64_C(1) << 63) - 1,
	(UINT64_C(1) << 63) + 1,
	UINT64_C(1) << 62,
	UINT64_C(1) << 56,
	UINT64_C(1) << 48,
	RECORD_VALUE_MAX,
	RECORD_VALUE_MAX - 1,
	UINT64_C(1) << 43,
	UINT64_C(1) << 40,
	UINT64_C(1) << 33,
	(UINT64_C(1) << 32) + 1,
	UINT64_C(1) << 32,
	UINT32_MAX,
	UINT32_MAX - 1,
	UINT64_C(1) << 31,
	INT32_MAX,
	UINT64_C(1) << 24,
	UINT64_C(1) << 20,
	ID_STREAM_MAX,
	65537,
	65536,
	65535,
	4097,
	4096,
	256,
	255,
	128,
	0,
	IMAGE_PID,
};

static uint64_t interesting_number(uint8_t byte)
{
	return interesting[(byte - INTERESTING) % (sizeof interesting / sizeof interesting[0])];
}

uint64_t image_number(uint8_t byte)
{
	return byte < INTERESTING ? byte : interesting_number(byte);
}

/* The lowest counters stay what they are while units are repeated: roots, regions around everything. */
static uint64_t counter(const struct image *image, uint8_t byte)
{
	uint64_t number = byte >> 2;
	return number < 8 ? number : number + image->offset;
}

uint64_t image_id(const struct image *image, uint8_t byte)
{
	if (byte >= INTERESTING)
		return interesting_number(byte);
	return byte < 4 ? 0 : id_make(image->streams[byte & 3].number, counter(image, byte));
}

/* In the program, in the runtime, in no map; by the maps of image_meta.c. */
uint64_t image_address(uint8_t byte)
{
	if (byte >= INTERESTING)
		return interesting_number(byte);
	return byte == 0 ? 0 : byte < 0x80 ? UINT64_C(0x401000) + 16u * byte : byte < 0xb0 ? UINT64_C(0x7f0000001000) + byte : byte;
}

/* ---- Segments ---- */

struct segment_header *image_last_header(struct image_stream *s)
{
	return s->n_segments > 0 ? (struct segment_header *)(void *)s->segments[s->n_segments - 1] : NULL;
}

void image_close_segment(struct image_stream *s, uint32_t flags)
{
	struct segment_header *h = image_last_header(s);
	if (h != NULL && h->closed == 0)
		h->closed = segment_closed(s->used_bytes | flags);
}

struct segment_header *image_open_segment(struct image *image, struct image_stream *s)
{
	if (image->n_pool == IMAGE_SEGMENTS)
		return NULL;
	image_close_segment(s, 0);
	unsigned char *bytes = image->pool[image->n_pool++];
	memset(bytes, 0, IMAGE_SEGMENT_BYTES);
	s->segments[s->n_segments++] = bytes;
	s->used_bytes = sizeof(struct segment_header);
	struct segment_header *h = image_last_header(s);
	*h = (struct segment_header){
		.magic = SEGMENT_MAGIC,
		.sequence = ++s->sequence,
		.stream = s->number,
		.ticks = image->now,
		.monotonic_ns = image->now,
		.realtime_ns = UINT64_C(1700000000000000000) + image->now,
		.tid = 1000 + s->number,
		.n_tasks = s->n_tasks,
		.n_regions = s->n_regions,
		.n_records = s->n_records,
	};
	h->checksum = segment_checksum(h);
	return h;
}

/* ---- Records ---- */

enum form_kind { FORM_NUMBER, FORM_ID, FORM_OWN, FORM_ADDRESS, FORM_TICKS, FORM_SET };

/* How the bytes of a unit become the words of a record of one kind. */
struct form {
	bool is_ready;
	unsigned n_fields;
	struct {
		enum event_slot slot;
		enum form_kind form;
	} fields[8];
};

static const struct form *form_of(unsigned kind)
{
	static const struct {
		const char *type;
		enum form_kind form;
	} types[] = {{"UINT", FORM_NUMBER},    {"TASK", FORM_ID},         {"REGION", FORM_ID},  {"OWN_TASK", FORM_OWN},
		     {"OWN_REGION", FORM_OWN}, {"ADDRESS", FORM_ADDRESS}, {"TICKS", FORM_TICKS}};
	static struct form forms[EVENT_KIND_LIMIT];
	struct form *form = &forms[kind];
	if (form->is_ready)
		return form;
	form->is_ready = true;
	unsigned n = 0;
	const struct event_field *fields = event_fields(kind, &n);
	for (unsigned i = 0; i < n && i < 8; i++) {
		form->fields[i].slot = fields[i].slot;
		form->fields[i].form = FORM_SET;
		for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
			if (strcmp(fields[i].type, types[t].type) == 0)
				form->fields[i].form = types[t].form;
		form->n_fields = i + 1;
	}
	return form;
}

static uint64_t decode(const struct image *image, enum form_kind form, uint8_t byte)
{
	switch (form) {
	case FORM_ID: return image_id(image, byte);
	case FORM_OWN: return byte < INTERESTING ? counter(image, byte) : interesting_number(byte);
	case FORM_ADDRESS: return image_address(byte);
	case FORM_TICKS: return image->now + image_number(byte);
	default: return image_number(byte);
	}
}

static struct record make_record(const struct image *image, const struct unit *u, uint64_t time)
{
	const unsigned kind = image_kind(u->op);
	const struct form *form = form_of(kind);
	uint64_t a = image_number(u->a), b = image_number(u->b), value = image_number(u->value);
	unsigned flags = u->flags | (u->extra & 0xfu) << 8;
	for (unsigned i = 0; i < form->n_fields; i++) {
		enum form_kind how = form->fields[i].form;
		switch (form->fields[i].slot) {
		case SLOT_TIME: time = decode(image, how, u->time); break;
		case SLOT_FLAGS:
		case SLOT_FLAGS_LO4:
		case SLOT_FLAGS_HI8:
		case SLOT_FLAGS_B_HI8: break;
		case SLOT_VALUE: value = decode(image, how, u->value); break;
		case SLOT_VALUE_LO32: value = low32(decode(image, how, u->value)); break;
		case SLOT_VALUE_HI12: value |= (uint64_t)(u->extra >> 4) << 32; break;
		case SLOT_A: a = decode(image, how, u->a); break;
		case SLOT_A_LO: a = low32(decode(image, how, u->a)); break;
		case SLOT_A_HI: a |= (uint64_t)(u->extra >> 4) << 32; break;
		case SLOT_B: b = decode(image, how, u->b); break;
		case SLOT_B_LO: b = low32(decode(image, how, u->b)); break;
		case SLOT_B_LO56: /* above it are flags of OpenMP 6.0 */
			b = (decode(image, how, u->b) & UINT64_MAX >> 8) | (uint64_t)(u->extra >> 4) << 56;
			break;
		case SLOT_B_HI: b |= (uint64_t)(u->extra >> 4) << 32; break;
		}
	}
	return (struct record){time, record_head((enum event_kind)kind, flags, value), a, b};
}

/* As the recorder counts the ids that it gives; damaged ones it would not have given. */
static void count_ids(struct image_stream *s, const struct record *r)
{
	unsigned kind = record_kind(r);
	uint64_t value = record_value(r);
	if ((kind == EVENT_task_create || kind == EVENT_implicit_task_begin) && value > s->n_tasks && value < 1000000)
		s->n_tasks = value;
	if (kind == EVENT_parallel_begin && value > s->n_regions && value < 1000000)
		s->n_regions = value;
	if (kind == EVENT_implicit_task_begin && id_stream(r->a) == s->number && id_counter(r->a) > s->n_regions &&
	    id_counter(r->a) < 1000000)
		s->n_regions = id_counter(r->a);
}

/* Mostly a little later than the record before, in whatever stream; else earlier, or anything. */
static uint64_t next_time(struct image *image, uint8_t byte)
{
	if (byte < INTERESTING)
		return image->now += 10u * byte;
	return byte < 0xe0 ? image->now - 100u * (byte & 31u) : image->now + interesting_number(byte);
}

static void put_record(struct image *image, const struct unit *u)
{
	struct image_stream *s = &image->streams[u->where & 7];
	struct record r = make_record(image, u, next_time(image, u->time));
	const struct segment_header *h = image_last_header(s);
	bool is_full = h == NULL || h->closed != 0 || s->used_bytes == IMAGE_SEGMENT_BYTES;
	if (is_full && image_open_segment(image, s) == NULL)
		return;
	memcpy(s->segments[s->n_segments - 1] + s->used_bytes, &r, sizeof r);
	s->used_bytes += (uint32_t)sizeof r;
	s->n_records++;
	count_ids(s, &r);
	if (s->used_bytes == IMAGE_SEGMENT_BYTES)
		image_close_segment(s, 0);
}

static void put_records(struct image *image, const struct unit *u)
{
	uint64_t offset = image->offset;
	unsigned n = 1u << (u->where >> 4 < 11 ? u->where >> 4 : 0);
	for (unsigned i = 0; i < n && image->n_records_left > 0; i++) {
		put_record(image, u);
		image->offset++;
		image->n_records_left--;
	}
	image->offset = offset;
}

static void put_unit(struct image *image, const struct unit *u)
{
	if (u->op < STEP_FIRST)
		put_records(image, u);
	else
		image_step(image, u);
}

/* Those before `at` once more. Repetitions themselves are not repeated. */
static void repeat(struct image *image, const struct unit *units, size_t at)
{
	const struct unit *u = &units[at];
	size_t n = u->value < at ? u->value : at;
	for (unsigned i = 1; i <= u->a && image->n_records_left > 0; i++) {
		image->offset = (uint64_t)i * u->b;
		for (size_t k = at - n; k < at; k++)
			if (units[k].op != STEP_REPEAT)
				put_unit(image, &units[k]);
	}
	image->offset = 0;
}

static void reset(struct image *image)
{
	static const uint32_t numbers[IMAGE_STREAMS] = {0, 1, 2, 3, 17, ID_STREAM_SAMPLES, ID_STREAM_SAMPLES | 1, ID_STREAM_MAX};
	image->n_files = image->n_pool = image->n_patches = 0;
	image->level = GRAPH_TASK;
	image->is_live = image->is_killed = image->is_newest = false;
	image->runtime = image->clock = 0;
	image->max_nodes = 2000;
	image->now = 2000;
	image->offset = 0;
	image->n_records_left = IMAGE_RECORDS;
	image->meta_before[0] = image->meta_behind[0] = '\0';
	for (size_t i = 0; i < IMAGE_STREAMS; i++) {
		struct image_stream *s = &image->streams[i];
		s->number = numbers[i];
		s->n_segments = s->sequence = s->n_records = s->n_tasks = s->n_regions = 0;
		s->used_bytes = 0;
		s->place = IN_STREAM_FILE;
		if (s->has_control)
			memset(&s->control, 0, sizeof s->control);
		s->is_live = s->is_hidden = s->is_without_ring = s->is_packed = s->is_in_buffer = s->has_control =
			s->is_control_damaged = false;
	}
}

void image_make(struct image *image, const uint8_t *data, size_t n_bytes)
{
	reset(image);
	size_t n = n_bytes / sizeof(struct unit);
	struct unit *units = malloc((n + 1) * sizeof *units);
	if (units == NULL)
		abort();
	memcpy(units, data, n * sizeof *units);
	for (size_t i = 0; i < n && units[i].op != 0; i++)
		if (units[i].op == STEP_REPEAT)
			repeat(image, units, i);
		else
			put_unit(image, &units[i]);
	free(units);
	image->has_texts = (checksum(CHECKSUM_START, data, n_bytes) >> 8) % 32 == 0; /* they take longer than all the rest */
	image_write(image);
}
