/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds operations by id, and devices by number. Called by gather, on one thread, and by replay, which only
 * reads, on several.
 */
#include "builder/model/tables.h"

/*
 * Keys of regions have this bit: a runtime that gives ids itself may use one number for a region and for an operation.
 */
#define TARGET_KEY (UINT64_C(1) << 63)

static uint32_t find(const struct model *m, uint64_t key)
{
	const uint32_t *row = map_get(&m->operation_rows, key);
	return row != NULL ? *row : 0;
}

uint32_t model_operation(const struct model *m, uint64_t id)
{
	return id != 0 ? find(m, id & ~TARGET_KEY) : 0;
}

uint32_t model_target(const struct model *m, uint64_t id)
{
	return id != 0 ? find(m, id | TARGET_KEY) : 0;
}

void model_name_operation(struct model *m, uint32_t row)
{
	const struct operation *o = &m->operations[row];
	*map_put(&m->operation_rows, o->type == OPERATION_TARGET ? o->id | TARGET_KEY : o->id & ~TARGET_KEY) = row;
}

void model_name_kernels(struct model *m)
{
	for (uint32_t i = 1; i < m->n_activities; i++) {
		struct activity *a = &m->activities[i];
		const struct operation *o = a->operation != 0 ? &m->operations[a->operation] : NULL;
		if (a->type != ACTIVITY_KERNEL || o == NULL || o->type != OPERATION_SUBMIT)
			continue;
		a->construct = model_construct(m, CONSTRUCT_KERNEL, m->constructs[o->construct].codeptr);
	}
}

const struct device *model_device(const struct model *m, int32_t number)
{
	for (size_t i = 0; i < m->n_devices; i++)
		if (m->devices[i].number == number)
			return &m->devices[i];
	return NULL;
}

/* If no device is known at all, nothing was done to any, and only the sign of the number tells. */
bool model_is_device(const struct model *m, int32_t number)
{
	return number >= 0 && (m->n_devices == 0 || model_device(m, number) != NULL);
}

int32_t model_normal_device(const struct model *m, int32_t number)
{
	return model_is_device(m, number) ? number : DEVICE_HOST;
}
