/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hooks for the archive, and the definitions of devices. In each kind of definitions they come after those of hosts,
 * processes, threads and teams, so that numbers stay dense. One thread.
 */
#include "builder/devices/archive.h"
#include "builder/devices/devices.h"
#include "builder/otf2/intern.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static int define_paradigm(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name)
{
	const struct archive_devices *all = devices_of(a);
	OTF2_AttributeValue yes = {.uint8 = OTF2_TRUE};
	if (all->n_devices == 0)
		return 0;
	DEFINE(a, Paradigm, w, all->paradigm, name, OTF2_PARADIGM_CLASS_ACCELERATOR);
	DEFINE(a, ParadigmProperty, w, all->paradigm, OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8, yes);
	return 0;
}

static int define_nodes(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t first_node, uint32_t class)
{
	for (uint32_t i = 0; i < devices_of(a)->n_devices; i++) {
		struct device_def *d = &devices_of(a)->devices[i];
		d->node = first_node + i;
		DEFINE(a, SystemTreeNode, w, d->node, d->name, class, a->processes[d->process].node);
	}
	return 0;
}

static int define_domains(struct archive *a, OTF2_GlobalDefWriter *w)
{
	for (uint32_t i = 0; i < devices_of(a)->n_devices; i++)
		DEFINE(a, SystemTreeNodeDomain, w, devices_of(a)->devices[i].node, OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE);
	return 0;
}

static int define_groups(struct archive *a, OTF2_GlobalDefWriter *w)
{
	for (uint32_t i = 0; i < devices_of(a)->n_devices; i++) {
		const struct device_def *d = &devices_of(a)->devices[i];
		DEFINE(a, LocationGroup, w, (uint32_t)a->n_processes + i, d->name, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, d->node,
		       d->process);
	}
	return 0;
}

static int define_queues(struct archive *a, OTF2_GlobalDefWriter *w)
{
	for (uint32_t i = 0; i < devices_of(a)->n_queues; i++) {
		const struct queue_def *q = &devices_of(a)->queues[i];
		DEFINE(a, Location, w, q->id, q->name, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, q->n_events,
		       (uint32_t)a->n_processes + q->device);
	}
	return 0;
}

static int define_queue_properties(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t hwid_name)
{
	for (uint32_t i = 0; i < devices_of(a)->n_queues; i++) {
		const struct queue_def *q = &devices_of(a)->queues[i];
		OTF2_AttributeValue hwid = {.uint64 = q->hwid};
		if (q->hwid != 0)
			DEFINE(a, LocationProperty, w, q->id, hwid_name, OTF2_TYPE_UINT64, hwid);
	}
	return 0;
}

/*
 * Lists the locations that may access each other: those of processes that have devices, threads first, then queues. `members`
 * has room for all.
 */
static uint32_t fill_members(const struct archive *a, uint64_t *members)
{
	uint32_t n = 0;
	for (size_t i = 0; i < a->n_processes; i++) {
		const struct process_def *def = &a->processes[i];
		const struct device_process *p = &devices_of(a)->processes[i];
		for (uint32_t j = 0; p->n_devices > 0 && j < def->n_locations; j++)
			members[n++] = (uint64_t)j << 32 | def->process;
		for (uint32_t j = 0; j < p->n_queues; j++)
			members[n++] = devices_of(a)->queues[p->first_queue + j].id;
	}
	return n;
}

/* Defines the group of a process's window: n locations; `base`: the place of the first one in the group of all. */
static int define_window(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t window, uint32_t base, uint32_t n, uint64_t *members)
{
	for (uint32_t j = 0; j < n; j++)
		members[j] = base + j;
	uint32_t group = intern_group(a, a->n_comms) + 1 + window;
	return archive_check(a,
			     OTF2_GlobalDefWriter_WriteGroup(w, group, 0, OTF2_GROUP_TYPE_COMM_GROUP, devices_of(a)->paradigm,
							     OTF2_GROUP_FLAG_NONE, n, members),
			     "defining a window's group");
}

static int define_windows(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name)
{
	const struct archive_devices *all = devices_of(a);
	uint32_t group_of_all = intern_group(a, a->n_comms), base = 0;
	if (all->n_windows == 0)
		return 0;
	uint64_t *members = memory_get((size_t)a->n_locations + all->n_queues, sizeof *members, "the definitions");
	int rc = archive_check(a,
			       OTF2_GlobalDefWriter_WriteGroup(w, group_of_all, name, OTF2_GROUP_TYPE_COMM_LOCATIONS, all->paradigm,
							       OTF2_GROUP_FLAG_NONE, fill_members(a, members), members),
			       "defining the group of devices");
	for (size_t i = 0; i < a->n_processes && rc == 0; i++) {
		const struct device_process *p = &all->processes[i];
		uint32_t n = a->processes[i].n_locations + p->n_queues;
		if (p->n_devices == 0)
			continue;
		rc = define_window(a, w, p->window, base, n, members);
		base += n;
	}
	free(members);
	for (uint32_t i = 0; i < all->n_windows && rc == 0; i++)
		rc = archive_check(a,
				   OTF2_GlobalDefWriter_WriteComm(w, a->n_comms + i, name, group_of_all + 1 + i,
								  OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
				   "defining a communicator");
	for (uint32_t i = 0; i < all->n_windows && rc == 0; i++)
		rc = archive_check(a, OTF2_GlobalDefWriter_WriteRmaWin(w, i, name, a->n_comms + i, OTF2_RMA_WIN_FLAG_NONE),
				   "defining a window");
	return rc;
}

static int define(struct archive *a, enum definition kind, const struct definitions *d)
{
	if (devices_of(a) == NULL)
		return 0;
	switch (kind) {
	case DEFINE_PARADIGMS: return define_paradigm(a, d->writer, d->names->device_memory);
	case DEFINE_NODES: return define_nodes(a, d->writer, d->n_nodes, d->names->device_class);
	case DEFINE_NODE_DOMAINS: return define_domains(a, d->writer);
	case DEFINE_LOCATION_GROUPS: return define_groups(a, d->writer);
	case DEFINE_LOCATIONS: return define_queues(a, d->writer);
	case DEFINE_LOCATION_PROPERTIES: return define_queue_properties(a, d->writer, d->names->hwid);
	case DEFINE_WINDOWS: return define_windows(a, d->writer, d->names->device_memory);
	}
	return 0;
}

static void free_devices(struct archive *a)
{
	struct archive_devices *all = devices_of(a);
	if (all == NULL)
		return;
	free(all->devices);
	free(all->queues);
	free(all->processes);
	free(all);
}

const struct archive_hooks devices_archive = {.begin = device_begin,
					      .scope_enter = device_scope_enter,
					      .scope_leave = device_scope_leave,
					      .end = device_write,
					      .define = define,
					      .free = free_devices};
