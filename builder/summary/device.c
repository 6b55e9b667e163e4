/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary of what devices reported of themselves: how much ran on each, and for how long by its own clock. Devices
 * of several processes with the same number are added up.
 */
#include "builder/support/array.h"
#include "builder/summary/summary.h"
#include "builder/support/text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct device_summary *find(struct device_summaries *all, int32_t number)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->rows[i].number == number)
			return &all->rows[i];
	array_reserve((void **)&all->rows, all->n + 1, &all->capacity, sizeof *all->rows);
	all->rows[all->n] = (struct device_summary){.number = number, .type = text_copy("")};
	return &all->rows[all->n++];
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

void summary_collect_devices(struct device_summaries *all, const struct model *m)
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

void summary_print_devices(const struct device_summaries *all, FILE *out)
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

json_t *summary_json_devices(const struct device_summaries *all)
{
	json_t *list = json_array();
	for (size_t i = 0; i < all->n; i++) {
		const struct device_summary *d = &all->rows[i];
		char *type = text_utf8(d->type);
		json_array_append_new(
			list, json_pack("{s:I,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "device", (json_int_t)d->number,  //
					"type", type,                                                                      //
					"kernels", (json_int_t)d->n_kernels, "kernels_ns", (json_int_t)d->kernels_ns,      //
					"data_operations", (json_int_t)d->n_data, "transfers", (json_int_t)d->n_transfers, //
					"transferred_bytes", (json_int_t)d->transferred_bytes,                             //
					"transfers_ns", (json_int_t)d->transfers_ns,                                       //
					"native", (json_int_t)d->n_native, "queues", (json_int_t)d->n_queues,              //
					"untimed", (json_int_t)d->n_untimed));
		free(type);
	}
	return list;
}

void summary_free_devices(struct device_summaries *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->rows[i].type);
	free(all->rows);
	*all = (struct device_summaries){0};
}
