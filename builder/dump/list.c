/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the listing, guided by the event table (common/events.def): the names of a kind's fields, and how they are
 * printed, are looked up once for each kind and not for each record. Parts of it are formatted on several threads.
 */
#include "builder/dump/list.h"
#include "builder/support/array.h"
#include "builder/support/blocks.h"
#include "builder/support/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum field_form {
	FORM_UINT,
	FORM_ADDRESS,
	FORM_EIGHTH,
	FORM_TICKS,
	FORM_MONOTONIC,
	FORM_ID,
	FORM_OPERATION,
	FORM_DEVICE,
	FORM_FLAGS,
	FORM_ENUM
};

#define SET_MAX 64 /* the names of values and bits below this are looked up beforehand; today these are all */

struct field_plan {
	const struct event_field *field;
	enum field_form form;
	char *begin; /* " name=" */
	size_t n_begin;
	const char *names[SET_MAX]; /* by value or bit */
};

struct kind_plan {
	const char *name; /* NULL: unknown kind */
	unsigned n_fields;
	struct field_plan *fields;
};

/* The most records of a segment that one thread formats at a time. */
#define PART_RECORDS 8192

struct list_part {
	const struct stream *stream;
	const struct segment *segment;
	uint32_t first; /* of its records */
};

struct list {
	const struct dump *dump;
	struct kind_plan kinds[EVENT_KIND_LIMIT];
	struct list_part *parts; /* in the order of the listing */
	size_t n_parts;
};

/* The most bytes of a line: it has a few fields, one of them with the names of twelve flags. */
#define LINE_BYTES_MAX 2048

struct list_line {
	const struct dump *dump;
	char *at;
};

static void put(struct list_line *l, const char *text, size_t n)
{
	l->at = text_put(l->at, text, n);
}

static void put_text(struct list_line *l, const char *text)
{
	put(l, text, strlen(text));
}

static void put_number(struct list_line *l, uint64_t value)
{
	l->at = text_decimal(l->at, value);
}

static void put_hex(struct list_line *l, uint64_t value)
{
	put(l, "0x", 2);
	l->at = text_hex(l->at, value, 1);
}

static void put_id(struct list_line *l, uint64_t id)
{
	if (id == 0) {
		put(l, "0", 1);
		return;
	}
	put_number(l, id_stream(id));
	put(l, ":", 1);
	put_number(l, id_counter(id));
}

/*
 * An operation's id comes from the recorder (stream and counter), or from the runtime, which counts from 1 without a
 * stream.
 */
static void put_operation(struct list_line *l, uint64_t id)
{
	if (id_counter(id) == 0)
		put_number(l, id);
	else
		put_id(l, id);
}

static void put_device(struct list_line *l, uint64_t value)
{
	if (event_device_number(value) < 0)
		put_text(l, "-");
	put_number(l, (uint64_t)llabs(event_device_number(value)));
}

static void put_flags(struct list_line *l, const struct field_plan *plan, uint64_t value)
{
	const char *between = "";
	if (value == 0)
		put_text(l, "0");
	for (unsigned bit = 0; value != 0 && bit < SET_MAX; bit++) {
		uint64_t mask = UINT64_C(1) << bit;
		if ((value & mask) == 0 || plan->names[bit] == NULL)
			continue;
		put_text(l, between);
		put_text(l, plan->names[bit]);
		value &= ~mask;
		between = "|";
	}
	if (value != 0) {
		put_text(l, between);
		put_hex(l, value);
	}
}

static void put_value(struct list_line *l, const struct field_plan *plan, uint64_t value)
{
	switch (plan->form) {
	case FORM_UINT: put_number(l, value); break;
	case FORM_ADDRESS: put_hex(l, value); break;
	case FORM_EIGHTH: put_hex(l, value * 8); break;
	case FORM_TICKS: put_number(l, dump_ns(l->dump, value)); break;
	case FORM_MONOTONIC: put_number(l, dump_monotonic_ns(l->dump, value)); break;
	case FORM_ID: put_id(l, value); break;
	case FORM_OPERATION: put_operation(l, value); break;
	case FORM_DEVICE: put_device(l, value); break;
	case FORM_FLAGS: put_flags(l, plan, value); break;
	case FORM_ENUM:
		if (value < SET_MAX && plan->names[value] != NULL)
			put_text(l, plan->names[value]);
		else
			put_number(l, value);
	}
}

static enum field_form form_of(const char *type)
{
	static const struct {
		const char *type;
		enum field_form form;
	} plain[] = {{"UINT", FORM_UINT},           {"ADDRESS", FORM_ADDRESS}, {"EIGHTH", FORM_EIGHTH},
		     {"TICKS", FORM_TICKS},         {"TASK", FORM_ID},         {"REGION", FORM_ID},
		     {"OWN_TASK", FORM_ID},         {"OWN_REGION", FORM_ID},   {"OPERATION", FORM_OPERATION},
		     {"MONOTONIC", FORM_MONOTONIC}, {"DEVICE", FORM_DEVICE}};
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (strcmp(plain[i].type, type) == 0)
			return plain[i].form;
	return event_type_is_flags(type) ? FORM_FLAGS : FORM_ENUM;
}

/* Looks up the names of a kind, of its fields and of their values. */
static void prepare(struct kind_plan *plan, unsigned kind)
{
	const struct event_info *info = event_info(kind);
	if (info == NULL)
		return;
	const struct event_field *fields = event_fields(kind, &plan->n_fields);
	plan->fields = memory_zeroed(plan->n_fields, sizeof *plan->fields, "the listing");
	for (unsigned i = 0; i < plan->n_fields; i++) {
		struct field_plan *p = &plan->fields[i];
		p->field = &fields[i];
		p->form = form_of(fields[i].type);
		p->begin = text_format(" %s=", fields[i].name);
		p->n_begin = strlen(p->begin);
		for (unsigned value = 0; value < SET_MAX; value++)
			if (p->form == FORM_FLAGS)
				p->names[value] = event_flag_name(fields[i].type, value);
			else if (p->form == FORM_ENUM)
				p->names[value] = event_enum_name(fields[i].type, value);
	}
	plan->name = info->name;
}

/* Writes the payload of a text record like a C string, with \xHH for anything but printable ASCII. */
static void put_payload(struct list_line *l, const struct record *record)
{
	char text[24];
	memcpy(text, &record->time, 8);
	memcpy(text + 8, &record->a, 8);
	memcpy(text + 16, &record->b, 8);
	unsigned n = record_flags(record) < sizeof text ? record_flags(record) : (unsigned)sizeof text;
	put_text(l, " text=\"");
	for (unsigned i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
			put(l, &text[i], 1);
		} else {
			put_text(l, "\\x");
			l->at = text_hex(l->at, c, 2);
		}
	}
	put_text(l, "\"");
}

static void put_unknown(struct list_line *l, const struct record *record)
{
	put_text(l, "kind_");
	put_number(l, record_kind(record));
	put_text(l, " time=");
	put_hex(l, record->time);
	put_text(l, " head=");
	put_hex(l, record->head);
	put_text(l, " a=");
	put_hex(l, record->a);
	put_text(l, " b=");
	put_hex(l, record->b);
}

static void put_known(struct list_line *l, const struct kind_plan *plan, const struct record *record, uint32_t stream)
{
	put_text(l, plan->name);
	for (unsigned i = 0; i < plan->n_fields; i++) {
		const struct field_plan *p = &plan->fields[i];
		put(l, p->begin, p->n_begin);
		put_value(l, p, event_field_get(p->field, record, stream));
	}
	if (record_kind(record) == EVENT_text)
		put_payload(l, record);
}

static void put_record(const struct list *list, struct list_line *l, uint32_t stream, const struct segment *segment, uint32_t index,
		       const struct record *record)
{
	const struct kind_plan *plan = &list->kinds[record_kind(record)];
	put_number(l, stream);
	put(l, " ", 1);
	put_number(l, segment->header->sequence);
	put(l, ".", 1);
	put_number(l, segment->n_skipped + (uint64_t)index);
	put(l, " ", 1);
	if (record_is_continuation(record))
		put(l, "+", 1);
	else
		put_number(l, dump_ns(l->dump, record->time));
	put(l, " ", 1);
	if (plan->name == NULL)
		put_unknown(l, record);
	else
		put_known(l, plan, record, stream);
	put(l, "\n", 1);
}

static void put_part(void *self, size_t number, struct buffer *text)
{
	const struct list *list = self;
	const struct list_part *part = &list->parts[number];
	const struct segment *segment = part->segment;
	struct list_line line = {list->dump, buffer_room(text, LINE_BYTES_MAX)};
	bool is_last = segment->n_records - part->first <= PART_RECORDS;
	uint32_t end = is_last ? segment->n_records : part->first + PART_RECORDS;
	if (segment->is_after_gap && part->first == 0) {
		put_number(&line, part->stream->number);
		put_text(&line, " gap\n");
	}
	struct unpacked room = {0};
	const struct record *records = segment_records(segment, &room);
	for (uint32_t k = part->first; k < end; k++) {
		buffer_end_at(text, line.at);
		line.at = buffer_room(text, LINE_BYTES_MAX);
		put_record(list, &line, part->stream->number, segment, k, &records[k]);
	}
	buffer_end_at(text, line.at);
	unpacked_free(&room);
	if (is_last)
		segment_release(segment);
}

static void find_parts(struct list *list)
{
	const struct dump *dump = list->dump;
	size_t capacity = 0;
	for (size_t i = 0; i < dump->n_streams + dump->n_samples + (dump->switches != NULL); i++)
		for (size_t k = 0; k < dump->streams[i].n_segments; k++) {
			const struct segment *segment = &dump->streams[i].segments[k];
			uint32_t first = 0;
			do {
				array_push(list->parts, list->n_parts, capacity,
					   (struct list_part){&dump->streams[i], segment, first});
				first += PART_RECORDS;
			} while (first < segment->n_records);
		}
}

int list_dump(const struct dump *dump, FILE *out)
{
	struct list *list = memory_zeroed(1, sizeof *list, "the listing");
	list->dump = dump;
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++)
		prepare(&list->kinds[kind], kind);
	find_parts(list);
	int result = 0;
	if (blocks_write(out, list->n_parts, put_part, list) != 0 || fflush(out) != 0)
		result = error("--list: cannot write: %s", strerror(errno));
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++) {
		for (unsigned i = 0; i < list->kinds[kind].n_fields && list->kinds[kind].fields != NULL; i++)
			free(list->kinds[kind].fields[i].begin);
		free(list->kinds[kind].fields);
	}
	free(list->parts);
	free(list);
	return result;
}
