/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass over the records of devices, stream after stream, and the steps that complete its tables. gather.c has the
 * hooks of the paradigm; each of the other files takes its own kinds of records. One thread.
 */
#ifndef OTTER_BUILDER_DEVICES_GATHER_H
#define OTTER_BUILDER_DEVICES_GATHER_H

#include "builder/gather/stream.h"
#include "builder/model/tables.h"
#include "builder/support/map.h"

/* A reading of a device's clock, between two readings of the host's. */
struct device_reading {
	int32_t device;
	uint64_t device_time; /* in the device's own units */
	uint64_t host_ns;     /* device_time as ompt_translate_time translated it; 0 unknown */
	uint64_t before_ticks, after_ticks;
};

struct device_gather {
	struct model *m;
	struct gather_stream *stream; /* of the stream that is read now */
	/* operations.c, of the stream: */
	uint32_t operation;      /* row that the last record, continuations aside, is about; 0 none */
	struct map open_targets; /* task -> row of its innermost open target region in model.operations, 0 none */
	/* table.c, of the stream: */
	char type[256];               /* of the device announced last */
	uint32_t n_type, n_type_left; /* characters of `type` so far, and still to come */
	/* activities.c: */
	uint32_t activity; /* row that continuation records belong to, 0 none */
	bool is_reading;   /* continuation records belong to the last reading */
	uint32_t n_text, n_text_left;
	char text[256];
	struct device_reading *readings;
	size_t n_readings, readings_capacity;
	struct map name_rows; /* hash -> index in names + 1 */
	const char **names;   /* names that devices gave to activities */
	size_t n_names, names_capacity;
};

/* ---- operations.c ---- */

/* A record or continuation record, which may be the host's about devices. */
void device_operation_record(struct device_gather *d, const struct record *r);
/* After the last stream: fills in devices, sizes of what was deleted, which allocations failed. */
void device_operations_settle(struct model *m);
/* After activities, too: fills in what the records did not say, from the target region around the operation. */
void device_operations_settle_around(struct model *m);

/* ---- activities.c ---- */

/* The same for records that devices made. */
void device_activity_record(struct device_gather *d, const struct record *r);
/* Gives activities their device, operation, time and queue. */
void device_activities_settle(struct device_gather *d);

/* ---- table.c ---- */

/* A record that announces a device, a continuation record with a part of its type, a record that ends it. */
void device_table_add(struct device_gather *d, const struct record *r);
void device_table_text(struct device_gather *d, const struct record *r);
void device_table_end(struct device_gather *d, const struct record *r);
/* If no device was announced: adds a row for each device that operations use. */
void device_table_complete(struct model *m);

/* ---- clocks.c, queues.c ---- */

/* Fills begin_ticks and end_ticks of all activities, from the n readings. */
void device_time_settle(struct model *m, struct device_reading *readings, size_t n);

/* Sorts the activities into queues. */
void device_queues_settle(struct model *m);

#endif
