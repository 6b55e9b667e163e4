/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the devices if the runtime announced none: a forked child's runtime has the devices of its parent, and the
 * beginning of a recording may be missing. The operations tell which numbers are devices' and which is the host's:
 * memory is allocated on devices and never on the host. Called by gather/target.c after all streams have been walked;
 * one thread.
 */
#include "builder/gather/walk.h"

/* Bits: how operations use a number. */
enum role {
	ROLE_NAMED = 1,  /* in a place where a device or the host may be */
	ROLE_DEVICE = 2, /* in a place where only a device can be, such as the destination of an allocation */
	ROLE_HOST = 4    /* in the other place of such an operation: the host, or another device */
};

/*
 * Notes a role of a number; negative ones are no devices. 0, or -1 when memory is out; so do the functions below that
 * return int.
 */
static int note(struct map *roles, int32_t number, unsigned role)
{
	if (number < 0)
		return 0;
	uint32_t *noted = map_put(roles, (uint64_t)number + 1);
	if (noted == NULL)
		return -1;
	*noted |= role;
	return 0;
}

static int note_operation(struct map *roles, const struct operation *o)
{
	if (o->type == OPERATION_TARGET)
		return note(roles, o->device, ROLE_NAMED);
	if (o->type != OPERATION_DATA)
		return 0;
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
	default: break; /* memset, disassociate, transfers without a direction: runtimes differ in what they call the source */
	}
	return note(roles, o->src_device, src) != 0 ? -1 : note(roles, o->dest_device, dest);
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

static int add(struct model *m, const struct map *roles, int32_t number)
{
	if (!is_device(roles, number) || model_device(m, number) != NULL)
		return 0;
	return gather_add_device(m, (struct device){.number = number, .type = "", .begin_ticks = m->first_ticks});
}

int gather_unannounced_devices(struct model *m)
{
	struct map roles = {0};
	int rc = 0;
	if (m->n_devices > 0)
		return 0;
	for (uint32_t i = 1; i < m->n_operations && rc == 0; i++)
		rc = note_operation(&roles, &m->operations[i]);
	for (uint32_t i = 1; i < m->n_operations && rc == 0; i++) {
		const struct operation *o = &m->operations[i];
		if (o->type == OPERATION_TARGET)
			rc = add(m, &roles, o->device);
		else if (o->type == OPERATION_DATA)
			rc = add(m, &roles, o->src_device) != 0 ? -1 : add(m, &roles, o->dest_device);
	}
	map_free(&roles);
	return rc;
}
