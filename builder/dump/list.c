/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the listing, guided by the event table (common/events.def): the names of a kind's fields, and how they are
 * printed, are looked up once for each kind and not for each record. Called by run.c for --list; one thread.
 */
#include "builder/dump/list.h"
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
	const char *names[SET_MAX]; /* by value or bit */
};

struct kind_plan {
	bool is_ready;
	const char *name; /* NULL: unknown kind */
	unsigned n_fields;
	struct field_plan *fields;
};

/* No line is longer: a line has a few fields, one of them with the names of twelve flags at most. */
#define LINE_BYTES_MAX 2048
#define BUFFER_BYTES   (1 << 16)

struct list {
	const struct dump *dump;
	FILE *out;
	struct kind_plan kinds[EVENT_KIND_LIMIT];
	size_t n_bytes;
	char bytes[BUFFER_BYTES];
};

static void put(struct list *l, const char *text, size_t n)
{
	memcpy(l->bytes + l->n_bytes, text, n);
	l->n_bytes += n;
}

static void put_text(struct list *l, const char *text)
{
	put(l, text, strlen(text));
}

static void put_number(struct list *l, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof digits;
	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	put(l, digits + at, sizeof digits - at);
}

static void put_hex(struct list *l, uint64_t value)
{
	put_text(l, "0x");
	put_number(l, value, 16);
}

static void put_id(struct list *l, uint64_t id)
{
	if (id == 0) {
		put_text(l, "0");
		return;
	}
	put_number(l, id_stream(id), 10);
	put_text(l, ":");
	put_number(l, id_counter(id), 10);
}

/*
 * An operation's id comes from the recorder (stream and counter), or from the runtime, which counts from 1 without a
 * stream.
 */
static void put_operation(struct list *l, uint64_t id)
{
	if (id_counter(id) == 0)
		put_number(l, id, 10);
	else
		put_id(l, id);
}

static void put_device(struct list *l, uint64_t value)
{
	if (event_device_number(value) < 0)
		put_text(l, "-");
	put_number(l, (uint64_t)llabs(event_device_number(value)), 10);
}

static void put_flags(struct list *l, const struct field_plan *plan, uint64_t value)
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

static void put_value(struct list *l, const struct field_plan *plan, uint64_t value)
{
	switch (plan->form) {
	case FORM_UINT: put_number(l, value, 10); break;
	case FORM_ADDRESS: put_hex(l, value); break;
	case FORM_EIGHTH: put_hex(l, value * 8); break;
	case FORM_TICKS: put_number(l, dump_ns(l->dump, value), 10); break;
	case FORM_MONOTONIC: put_number(l, dump_monotonic_ns(l->dump, value), 10); break;
	case FORM_ID: put_id(l, value); break;
	case FORM_OPERATION: put_operation(l, value); break;
	case FORM_DEVICE: put_device(l, value); break;
	case FORM_FLAGS: put_flags(l, plan, value); break;
	case FORM_ENUM:
		if (value < SET_MAX && plan->names[value] != NULL)
			put_text(l, plan->names[value]);
		else
			put_number(l, value, 10);
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
	plan->is_ready = true;
	if (info == NULL)
		return;
	const struct event_field *fields = event_fields(kind, &plan->n_fields);
	plan->fields = memory_zeroed(plan->n_fields, sizeof *plan->fields, "the listing");
	for (unsigned i = 0; i < plan->n_fields; i++) {
		struct field_plan *p = &plan->fields[i];
		p->field = &fields[i];
		p->form = form_of(fields[i].type);
		for (unsigned value = 0; value < SET_MAX; value++)
			if (p->form == FORM_FLAGS)
				p->names[value] = event_flag_name(fields[i].type, value);
			else if (p->form == FORM_ENUM)
				p->names[value] = event_enum_name(fields[i].type, value);
	}
	plan->name = info->name;
}

/* Writes the payload of a text record like a C string, with \xHH for anything but printable ASCII. */
static void put_payload(struct list *l, const struct record *record)
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
			put_number(l, c >> 4, 16);
			put_number(l, c & 0xf, 16);
		}
	}
	put_text(l, "\"");
}

static void put_unknown(struct list *l, const struct record *record)
{
	put_text(l, "kind_");
	put_number(l, record_kind(record), 10);
	put_text(l, " time=");
	put_hex(l, record->time);
	put_text(l, " head=");
	put_hex(l, record->head);
	put_text(l, " a=");
	put_hex(l, record->a);
	put_text(l, " b=");
	put_hex(l, record->b);
}

static void put_known(struct list *l, const struct kind_plan *plan, const struct record *record, uint32_t stream)
{
	put_text(l, plan->name);
	for (unsigned i = 0; i < plan->n_fields; i++) {
		const struct field_plan *p = &plan->fields[i];
		put_text(l, " ");
		put_text(l, p->field->name);
		put_text(l, "=");
		put_value(l, p, event_field_get(p->field, record, stream));
	}
	if (record_kind(record) == EVENT_text)
		put_payload(l, record);
}

static void put_record(struct list *l, uint32_t stream, const struct segment *segment, const struct record *record)
{
	struct kind_plan *plan = &l->kinds[record_kind(record)];
	if (!plan->is_ready)
		prepare(plan, record_kind(record));
	put_number(l, stream, 10);
	put_text(l, " ");
	put_number(l, segment->header->sequence, 10);
	put_text(l, ".");
	put_number(l, segment->n_skipped + (uint64_t)(record - segment->records), 10);
	put_text(l, " ");
	if (record_is_continuation(record))
		put_text(l, "+");
	else
		put_number(l, dump_ns(l->dump, record->time), 10);
	put_text(l, " ");
	if (plan->name == NULL)
		put_unknown(l, record);
	else
		put_known(l, plan, record, stream);
	put_text(l, "\n");
}

static int flush(struct list *l)
{
	size_t n = fwrite(l->bytes, 1, l->n_bytes, l->out);
	bool is_written = n == l->n_bytes;
	l->n_bytes = 0;
	return is_written ? 0 : error("--list: cannot write: %s", strerror(errno));
}

static int put_stream(struct list *l, const struct stream *stream)
{
	for (size_t i = 0; i < stream->n_segments; i++) {
		const struct segment *segment = &stream->segments[i];
		if (segment->is_after_gap) {
			put_number(l, stream->number, 10);
			put_text(l, " gap\n");
		}
		for (uint32_t k = 0; k < segment->n_records; k++) {
			if (l->n_bytes > BUFFER_BYTES - LINE_BYTES_MAX && flush(l) != 0)
				return -1;
			put_record(l, stream->number, segment, &segment->records[k]);
		}
		segment_release(segment);
	}
	return flush(l);
}

int list_dump(const struct dump *dump, FILE *out)
{
	struct list *l = memory_zeroed(1, sizeof *l, "the listing");
	l->dump = dump;
	l->out = out;
	int result = 0;
	for (size_t i = 0; i < dump->n_streams + dump->n_samples + (dump->switches != NULL) && result == 0; i++)
		result = put_stream(l, &dump->streams[i]);
	for (unsigned kind = 0; kind < EVENT_KIND_LIMIT; kind++)
		free(l->kinds[kind].fields);
	free(l);
	if (result == 0 && fflush(out) != 0)
		result = error("--list: cannot write: %s", strerror(errno));
	return result;
}
