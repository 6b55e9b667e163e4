/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The activities that devices reported, as rows of the page's time line: a row for each queue. Runs on one thread.
 */
#include "builder/devices/devices.h"
#include "builder/report/parts.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define QUEUES_ACTIVITIES 10000 /* the page shows at most this many of a run, the longest ones */

static int longest_first(const void *left, const void *right)
{
	return by_u64(right, left);
}

static uint64_t length_of(const struct activity *a)
{
	return a->end_ticks > a->begin_ticks ? a->end_ticks - a->begin_ticks : 0;
}

/* The length, in ticks, below which activities are left out. */
static uint64_t least_length(const struct model *m, size_t n_max)
{
	size_t n = 0;
	for (uint32_t i = 0; i < m->n_queues; i++)
		n += m->queues[i].n;
	if (n <= n_max)
		return 0;
	uint64_t *lengths = memory_get(n, sizeof *lengths, "report.html");
	n = 0;
	for (uint32_t i = 0; i < m->n_queues; i++)
		for (uint32_t j = 0; j < m->queues[i].n; j++)
			lengths[n++] = length_of(&m->activities[m->queues[i].first + j]);
	sort_array(lengths, n, longest_first);
	uint64_t least = lengths[n_max - 1] + 1;
	free(lengths);
	return least;
}

static json_t *name_of(const struct activity *a)
{
	const char *name = a->type == ACTIVITY_DATA ? event_enum_name("target_data_op", a->kind) : NULL;
	return report_text(a->type == ACTIVITY_NATIVE   ? a->name
			   : a->type == ACTIVITY_KERNEL ? "kernel"
			   : name != NULL               ? name
							: "data");
}

/* Begin and length, the construct, the kind (0: kernel, 1: transfer, 2: something else), and the name. */
static json_t *json_activity(const struct trace *trace, const struct answer *answer, const struct activity *a)
{
	uint64_t begin_ns = dump_ns(&trace->dump, a->begin_ticks), end_ns = dump_ns(&trace->dump, a->end_ticks);
	const struct operation *operation = a->operation != 0 ? &trace->model.operations[a->operation] : NULL;
	uint32_t construct = a->construct != 0 ? a->construct : operation != NULL ? operation->construct : 0;
	construct = answer->track.same != NULL ? answer->track.same[construct] : construct;
	return json_pack("[I,I,I,i,o]", (json_int_t)begin_ns, (json_int_t)(end_ns - begin_ns), (json_int_t)construct,
			 a->type == ACTIVITY_KERNEL ? 0
			 : a->type == ACTIVITY_DATA ? 1
						    : 2,
			 name_of(a));
}

const char *devices_uncut(const struct model *m)
{
	return m->n_activities != 0 ? "activities that devices reported themselves" : NULL;
}

void devices_report(json_t *process, const struct trace *trace, const struct answer *answer, size_t n_processes)
{
	const struct model *m = &trace->model;
	uint64_t least = least_length(m, QUEUES_ACTIVITIES / n_processes + 1);
	json_t *queues = json_array();
	for (uint32_t i = 0; i < m->n_queues; i++) {
		const struct queue *queue = &m->queues[i];
		json_t *activities = json_array();
		for (uint32_t j = 0; j < queue->n; j++) {
			const struct activity *a = &m->activities[queue->first + j];
			if (length_of(a) >= least && window_meets(&m->window, a->begin_ticks, a->end_ticks))
				json_array_append_new(activities, json_activity(trace, answer, a));
		}
		json_array_append_new(queues, json_pack("{s:i, s:I, s:I, s:I, s:o}", "device", (int)queue->device, "place",
							(json_int_t)queue->hwid, "lane", (json_int_t)queue->lane, "n",
							(json_int_t)queue->n, "activities", activities));
	}
	json_object_set_new(process, "queues", queues);
}
