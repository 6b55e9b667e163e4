/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of what the host did for devices (target regions, launches, operations on data and how much they moved), and of
 * what devices reported themselves: how much ran on each, and for how long by its own clock. Devices of several processes
 * with the same number are added up.
 */
#include "builder/devices/devices.h"
#include "builder/summary/summary.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define DATA_OPS 10 /* kinds of target_data_op, without _async; 0: others */

struct devices_summary {
	struct host_summary {
		uint64_t n_regions, n_submits, n_devices;
		uint64_t n_helpers; /* the runtime's hidden helper threads, which execute target tasks */
		struct {
			uint64_t n, n_bytes;
			uint64_t n_failed; /* how many of n failed; their bytes are not in n_bytes */
		} operations[DATA_OPS];
	} host;
	struct device_summary {
		int32_t number;
		char *type;
		uint64_t n_kernels, kernels_ns, n_data, n_transfers, transfers_ns, transferred_bytes, n_native, n_queues;
		uint64_t n_untimed; /* how many of all these have an unknown time */
	} * rows;                   /* by first appearance */
	size_t n, capacity;
};

/* ---- The host ---- */

static void collect_operations(struct host_summary *t, const struct model *m)
{
	t->n_devices += m->n_devices;
	for (uint32_t i = 1; i < m->n_operations; i++) {
		const struct operation *o = &m->operations[i];
		unsigned kind = o->kind < DATA_OPS ? o->kind : 0;
		t->n_regions += o->type == OPERATION_TARGET;
		t->n_submits += o->type == OPERATION_SUBMIT;
		if (o->type == OPERATION_DATA) {
			t->operations[kind].n++;
			t->operations[kind].n_bytes += o->has_failed ? 0 : o->n_bytes;
			t->operations[kind].n_failed += o->has_failed;
		}
	}
	for (size_t i = 0; i < m->dump->n_streams; i++)
		t->n_helpers += m->has_helper_thread[i];
}

static const char *operation_name(unsigned kind)
{
	const char *name = event_enum_name("target_data_op", kind);
	return name != NULL ? name : "unknown";
}

static void print_operations(const struct host_summary *t, FILE *out)
{
	uint64_t n_operations = 0;
	for (unsigned kind = 0; kind < DATA_OPS; kind++)
		n_operations += t->operations[kind].n;
	if (t->n_regions + t->n_submits + n_operations + t->n_devices == 0)
		return;
	fprintf(out, "%-10s%" PRIu64 " regions, %" PRIu64 " submits, %" PRIu64 " devices", "target", t->n_regions, t->n_submits,
		t->n_devices);
	for (unsigned kind = 0; kind < DATA_OPS; kind++) {
		if (t->operations[kind].n == 0)
			continue;
		fprintf(out, ", %" PRIu64 " %s (%" PRIu64 " bytes", t->operations[kind].n, operation_name(kind),
			t->operations[kind].n_bytes);
		if (t->operations[kind].n_failed != 0)
			fprintf(out, ", %" PRIu64 " failed", t->operations[kind].n_failed);
		fputc(')', out);
	}
	fputc('\n', out);
}

static json_t *json_operations(const struct host_summary *t)
{
	json_t *operations = json_object();
	for (unsigned kind = 0; kind < DATA_OPS; kind++)
		if (t->operations[kind].n != 0)
			json_object_set_new(operations, operation_name(kind),
					    json_pack("{s:I,s:I,s:I}", "count", (json_int_t)t->operations[kind].n, "bytes",
						      (json_int_t)t->operations[kind].n_bytes, "failed",
						      (json_int_t)t->operations[kind].n_failed));
	return json_pack("{s:I,s:I,s:I,s:I,s:o}", "regions", (json_int_t)t->n_regions, "submits", (json_int_t)t->n_submits,
			 "devices", (json_int_t)t->n_devices, "helper_threads", (json_int_t)t->n_helpers, "operations", operations);
}

/* ---- Devices ---- */

static struct device_summary *find(struct devices_summary *all, int32_t number)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->rows[i].number == number)
			return &all->rows[i];
	array_push(all->rows, all->n, all->capacity, (struct device_summary){.number = number, .type = text_copy("")});
	return &all->rows[all->n - 1];
}

static void add(struct device_summary *d, const struct dump *dump, const struct activity *a)
{
	uint64_t ns = dump_duration_ns(dump, a->end_ticks - a->begin_ticks); /* both are 0 where they are unknown */
	d->n_kernels += a->type == ACTIVITY_KERNEL;
	d->kernels_ns += a->type == ACTIVITY_KERNEL ? ns : 0;
	d->n_native += a->type == ACTIVITY_NATIVE;
	d->n_untimed += a->begin_ticks == 0;
	if (a->type != ACTIVITY_DATA)
		return;
	d->n_data++;
	if (!operation_is_transfer(a->kind))
		return;
	d->n_transfers++;
	d->transfers_ns += ns;
	d->transferred_bytes += a->n_bytes;
}

static void collect_devices(struct devices_summary *all, const struct model *m)
{
	for (uint32_t i = 1; i < m->n_activities; i++) {
		const struct activity *a = &m->activities[i];
		struct device_summary *d = find(all, a->device);
		const struct device *known = model_device(m, a->device);
		if (known != NULL && strcmp(d->type, known->type) != 0) {
			free(d->type);
			d->type = text_copy(known->type);
		}
		add(d, m->dump, a);
	}
	for (uint32_t i = 0; i < m->n_queues; i++)
		find(all, m->queues[i].device)->n_queues++;
}

static void print_devices(const struct devices_summary *all, FILE *out)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct device_summary *d = &all->rows[i];
		fprintf(out,
			"%-10s%" PRId32 ": %" PRIu64 " kernels, %.6f s; %" PRIu64 " transfers, %" PRIu64 " bytes, %.6f s; %" PRIu64
			" queues",
			"device", d->number, d->n_kernels, (double)d->kernels_ns / 1e9, d->n_transfers, d->transferred_bytes,
			(double)d->transfers_ns / 1e9, d->n_queues);
		if (d->n_untimed != 0)
			fprintf(out, "; %" PRIu64 " activities at unknown times", d->n_untimed);
		fputc('\n', out);
	}
}

static json_t *json_devices(const struct devices_summary *all)
{
	json_t *list = json_array();
	for (size_t i = 0; i < all->n; i++) {
		const struct device_summary *d = &all->rows[i];
		json_array_append_new(
			list, json_pack("{s:I,s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "device", (json_int_t)d->number,  //
					"type", text_json(d->type),                                                        //
					"kernels", (json_int_t)d->n_kernels, "kernels_ns", (json_int_t)d->kernels_ns,      //
					"data_operations", (json_int_t)d->n_data, "transfers", (json_int_t)d->n_transfers, //
					"transferred_bytes", (json_int_t)d->transferred_bytes,                             //
					"transfers_ns", (json_int_t)d->transfers_ns,                                       //
					"native", (json_int_t)d->n_native, "queues", (json_int_t)d->n_queues,              //
					"untimed", (json_int_t)d->n_untimed));
	}
	return list;
}

/* ---- Both ---- */

static void *begin(void)
{
	return memory_zeroed(1, sizeof(struct devices_summary), "the summary");
}

static void collect(void *self, const struct model *m, const struct states *states)
{
	struct devices_summary *all = self;
	(void)states;
	collect_operations(&all->host, m);
	collect_devices(all, m);
}

static void print(const void *self, FILE *out)
{
	const struct devices_summary *all = self;
	print_operations(&all->host, out);
	print_devices(all, out);
}

static void json(const void *self, json_t *root)
{
	const struct devices_summary *all = self;
	json_object_set_new(root, "target", json_operations(&all->host));
	json_object_set_new(root, "devices", json_devices(all));
}

static void free_summary(void *self)
{
	struct devices_summary *all = self;
	for (size_t i = 0; i < all->n; i++)
		free(all->rows[i].type);
	free(all->rows);
	free(all);
}

const struct summary_hooks devices_summary = {
	.begin = begin, .collect = collect, .print = print, .json = json, .free = free_summary};
