/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills the table of devices, model.devices: from the records that announce devices, or, if the runtime announced none,
 * from the operations that use them. One thread.
 */
#include "builder/devices/gather.h"
#include "builder/support/array.h"

#include <string.h>

/*
 * No machine has more devices. Damaged records may announce any number, and must not make the searches slower and
 * slower.
 */
#define DEVICES_MAX 1024

/* Adds a row, unless there are too many. */
static void add_device(struct model *m, struct device device)
{
	if (m->n_devices < DEVICES_MAX)
		array_push(m->devices, m->n_devices, m->devices_capacity, device);
}

/* ---- Devices that are announced ---- */

void device_table_add(struct device_gather *d, const struct record *r)
{
	d->n_type_left = 0;
	if (d->m->n_devices == DEVICES_MAX)
		return;
	int32_t number = (int32_t)event_device_number(record_value(r));
	add_device(d->m, (struct device){.number = number, .type = "", .begin_ticks = r->time});
	d->n_type = 0;
	d->n_type_left = low32(r->b) < sizeof d->type ? low32(r->b) : (uint32_t)sizeof d->type - 1;
}

/* Takes a part of the type of the device that was announced last. */
void device_table_text(struct device_gather *d, const struct record *r)
{
	uint64_t words[3] = {r->time, r->a, r->b};
	uint32_t n = record_flags(r) < sizeof words ? record_flags(r) : (uint32_t)sizeof words;
	if (d->n_type_left == 0)
		return;
	n = n < d->n_type_left ? n : d->n_type_left;
	memcpy(d->type + d->n_type, words, n);
	d->n_type += n;
	d->n_type_left -= n;
	if (d->n_type_left > 0)
		return;
	d->type[d->n_type] = '\0';
	d->m->devices[d->m->n_devices - 1].type = model_keep(d->m, d->type);
}

void device_table_end(struct device_gather *d, const struct record *r)
{
	for (size_t i = d->m->n_devices; i > 0; i--)
		if (d->m->devices[i - 1].number == event_device_number(record_value(r))) {
			d->m->devices[i - 1].end_ticks = r->time;
			return;
		}
}

/* ---- Devices that are not announced ----
 *
 * A forked child's runtime has the devices of its parent, and the beginning of a recording may be missing. The
 * operations show which numbers are devices and which is the host: memory is allocated on devices and never on the host.
 */

/* Bits: how operations use a number. */
enum role {
	ROLE_NAMED = 1,  /* in a place where a device or the host may be */
	ROLE_DEVICE = 2, /* in a place where only a device can be, such as the destination of an allocation */
	ROLE_HOST = 4    /* in the other place of such an operation: the host, or another device */
};

/* Notes a role of a number; negative ones are no devices. */
static void note(struct map *roles, int32_t number, unsigned role)
{
	if (number >= 0)
		*map_put(roles, (uint64_t)number + 1) |= role;
}

static void note_operation(struct map *roles, const struct operation *o)
{
	if (o->type == OPERATION_TARGET)
		note(roles, o->device, ROLE_NAMED);
	if (o->type != OPERATION_DATA)
		return;
	unsigned src = ROLE_NAMED, dest = ROLE_NAMED;
	switch (o->kind) {
	case target_data_op_alloc:
	case target_data_op_associate:
	case target_data_op_transfer_to_device:
		src = ROLE_HOST;
		dest = ROLE_DEVICE;
		break;
	case target_data_op_delete:
	case target_data_op_transfer_from_device:
		src = ROLE_DEVICE;
		dest = ROLE_HOST;
		break;
	default: break; /* memset, disassociate, transfers without a direction: runtimes do not agree which is the source */
	}
	note(roles, o->src_device, src);
	note(roles, o->dest_device, dest);
}

/*
 * Is this a device? The host's number never has ROLE_DEVICE, but always ROLE_HOST; a device may have both, in copies
 * between devices.
 */
static bool is_device(const struct map *roles, int32_t number)
{
	const uint32_t *noted = number >= 0 ? map_get(roles, (uint64_t)number + 1) : NULL;
	return noted != NULL && ((*noted & ROLE_DEVICE) || !(*noted & ROLE_HOST));
}

static void add_if_device(struct model *m, const struct map *roles, int32_t number)
{
	if (is_device(roles, number) && model_device(m, number) == NULL)
		add_device(m, (struct device){.number = number, .type = "", .begin_ticks = m->first_ticks});
}

void device_table_complete(struct model *m)
{
	struct map roles = {0};
	if (m->n_devices > 0)
		return;
	for (uint32_t i = 1; i < m->n_operations; i++)
		note_operation(&roles, &m->operations[i]);
	for (uint32_t i = 1; i < m->n_operations; i++) {
		const struct operation *o = &m->operations[i];
		if (o->type == OPERATION_TARGET)
			add_if_device(m, &roles, o->device);
		if (o->type != OPERATION_DATA)
			continue;
		add_if_device(m, &roles, o->src_device);
		add_if_device(m, &roles, o->dest_device);
	}
	map_free(&roles);
}
