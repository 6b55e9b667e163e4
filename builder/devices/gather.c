/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The gather hooks of devices: operations and devices from the host's records, activities from those that devices made.
 * They become rows in the order of streams. One thread.
 */
#include "builder/devices/gather.h"
#include "builder/devices/devices.h"

#include <stdlib.h>

bool devices_gathers(unsigned kind)
{
	return (kind >= EVENT_target_begin && kind <= EVENT_target_submit) || kind == EVENT_device_initialize ||
	       kind == EVENT_device_finalize || (kind >= EVENT_device_trace && kind <= EVENT_device_other);
}

void *devices_gather_begin(struct model *m)
{
	struct device_gather *d = memory_zeroed(1, sizeof *d, "the devices");
	d->m = m;
	return d;
}

void devices_gather_stream(void *self, struct gather_stream *stream)
{
	struct device_gather *d = self;
	d->stream = stream;
	d->operation = 0;
	d->n_type_left = 0;
	map_free(&d->open_targets);
	d->m->operation_base[stream->stream] = d->m->n_operations != 0 ? d->m->n_operations : 1;
}

void devices_gather_record(void *self, const struct record *record)
{
	device_operation_record(self, record);
	device_activity_record(self, record);
}

void devices_gather_task_end(void *self, uint32_t task)
{
	struct device_gather *d = self;
	if (d->open_targets.n_used > 0)
		map_remove(&d->open_targets, task);
}

void devices_gather_end(void *self)
{
	struct device_gather *d = self;
	device_operations_settle(d->m);
	device_activities_settle(d);
	device_operations_settle_around(d->m);
	model_name_kernels(d->m);
	map_free(&d->open_targets);
	map_free(&d->name_rows);
	free(d->readings);
	free(d->names);
	free(d);
}
