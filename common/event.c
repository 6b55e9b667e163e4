/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The event table at run time: made from events.def, and searched by kind. It never changes; any thread may read it.
 */
#include "common/event.h"

#include <string.h>

const struct event_info event_infos[] = {
#define EVENT(number, name, group, callback, doc) {number, #name, #group, #callback, doc},
#include "common/events.def"
};

/* Fields follow their event in events.def, so that one event's fields are neighbours here. */
static const struct event_field fields[] = {
#define FIELD(event, name, slot, type, unit, doc) {EVENT_##event, #name, SLOT_##slot, #type, #unit, doc},
#include "common/events.def"
};

const struct event_note event_implicits[] = {
#define IMPLICIT(event, argument, doc) {EVENT_##event, #argument, doc},
#include "common/events.def"
};

const struct event_note event_continuations[] = {
#define CONTINUED(event, by, doc) {EVENT_##event, #by, doc},
#include "common/events.def"
};

struct set_name {
	const char *set;
	uint64_t value; /* of an enumeration; in a flag set, the bit's number */
	const char *name;
};

static const struct set_name enum_names[] = {
#define ENUM(set, value, name) {#set, value, #name},
#include "common/events.def"
};

static const struct set_name flag_names[] = {
#define FLAG(set, bit, name) {#set, bit, #name},
#include "common/events.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const unsigned n_event_infos = COUNT(event_infos);
const unsigned n_event_implicits = COUNT(event_implicits);
const unsigned n_event_continuations = COUNT(event_continuations);

const struct event_info *event_info(unsigned kind)
{
	for (size_t i = 0; i < COUNT(event_infos); i++)
		if (event_infos[i].number == kind)
			return &event_infos[i];
	return NULL;
}

const struct event_field *event_fields(unsigned kind, unsigned *n_fields)
{
	size_t first = 0;
	while (first < COUNT(fields) && fields[first].event != kind)
		first++;
	size_t end = first;
	while (end < COUNT(fields) && fields[end].event == kind)
		end++;
	*n_fields = (unsigned)(end - first);
	return end > first ? &fields[first] : NULL;
}

static uint64_t slot_get(enum event_slot slot, const struct record *r)
{
	switch (slot) {
	case SLOT_TIME: return r->time;
	case SLOT_FLAGS: return record_flags(r);
	case SLOT_FLAGS_LO4: return record_flags(r) & 0xf;
	case SLOT_FLAGS_HI8: return record_flags(r) >> 4;
	case SLOT_FLAGS_B_HI8: return record_create_flags(r);
	case SLOT_VALUE: return record_value(r);
	case SLOT_VALUE_LO32: return low32(record_value(r));
	case SLOT_VALUE_HI12: return high32(record_value(r));
	case SLOT_A: return r->a;
	case SLOT_A_LO: return low32(r->a);
	case SLOT_A_HI: return high32(r->a);
	case SLOT_B: return r->b;
	case SLOT_B_LO: return low32(r->b);
	case SLOT_B_HI: return high32(r->b);
	case SLOT_B_LO56: return record_create_codeptr(r);
	}
	return 0;
}

uint64_t event_field_get(const struct event_field *field, const struct record *record, uint32_t stream)
{
	uint64_t value = slot_get(field->slot, record);
	int is_own = strcmp(field->type, "OWN_TASK") == 0 || strcmp(field->type, "OWN_REGION") == 0;
	return is_own && value != 0 ? id_make(stream, value) : value;
}

static const char *name_in(const struct set_name *names, size_t n_names, const char *set, uint64_t value)
{
	for (size_t i = 0; i < n_names; i++)
		if (names[i].value == value && strcmp(names[i].set, set) == 0)
			return names[i].name;
	return NULL;
}

const char *event_enum_name(const char *set, uint64_t value)
{
	return name_in(enum_names, COUNT(enum_names), set, value);
}

const char *event_flag_name(const char *set, unsigned bit)
{
	return name_in(flag_names, COUNT(flag_names), set, bit);
}

int event_type_is_flags(const char *type)
{
	for (size_t i = 0; i < COUNT(flag_names); i++)
		if (strcmp(flag_names[i].set, type) == 0)
			return 1;
	return 0;
}
