/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the definitions of devices. Of each kind they come after those of hosts, processes, threads and teams, so that
 * numbers stay dense. Called by defs.c. One thread.
 */
#include "builder/otf2/device_defs.h"
#include "builder/otf2/intern.h"
#include "builder/support/memory.h"

#include <stdlib.h>

static OTF2_AttributeValue value_u64(uint64_t value)
{
	return (OTF2_AttributeValue){.uint64 = value};
}

int device_define_paradigm(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name)
{
	if (a->n_devices == 0)
		return 0;
	if (archive_check(a, OTF2_GlobalDefWriter_WriteParadigm(w, a->device_paradigm, name, OTF2_PARADIGM_CLASS_ACCELERATOR),
			  "defining a Paradigm") != 0)
		return -1;
	OTF2_AttributeValue yes = {.uint8 = OTF2_TRUE};
	return archive_check(a,
			     OTF2_GlobalDefWriter_WriteParadigmProperty(w, a->device_paradigm, OTF2_PARADIGM_PROPERTY_RMA_ONLY,
									OTF2_TYPE_UINT8, yes),
			     "defining a ParadigmProperty");
}

int device_define_nodes(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t first_node, uint32_t class)
{
	for (uint32_t i = 0; i < a->n_devices; i++) {
		uint32_t host = a->processes[a->devices[i].process].node;
		a->devices[i].node = first_node + i;
		if (archive_check(a, OTF2_GlobalDefWriter_WriteSystemTreeNode(w, first_node + i, a->devices[i].name, class, host),
				  "defining a SystemTreeNode") != 0)
			return -1;
	}
	return 0;
}

int device_define_domains(struct archive *a, OTF2_GlobalDefWriter *w)
{
	for (uint32_t i = 0; i < a->n_devices; i++)
		if (archive_check(a,
				  OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, a->devices[i].node,
										 OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE),
				  "defining a SystemTreeNodeDomain") != 0)
			return -1;
	return 0;
}

int device_define_groups(struct archive *a, OTF2_GlobalDefWriter *w)
{
	for (uint32_t i = 0; i < a->n_devices; i++)
		if (archive_check(a,
				  OTF2_GlobalDefWriter_WriteLocationGroup(w, (uint32_t)a->n_processes + i, a->devices[i].name,
									  OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, a->devices[i].node,
									  a->devices[i].process),
				  "defining a LocationGroup") != 0)
			return -1;
	return 0;
}

int device_define_queues(struct archive *a, OTF2_GlobalDefWriter *w)
{
	for (uint32_t i = 0; i < a->n_queues; i++)
		if (archive_check(a,
				  OTF2_GlobalDefWriter_WriteLocation(w, a->queues[i].id, a->queues[i].name,
								     OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, a->queues[i].n_events,
								     (uint32_t)a->n_processes + a->queues[i].device),
				  "defining a Location") != 0)
			return -1;
	return 0;
}

int device_define_queue_properties(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t hwid_name)
{
	for (uint32_t i = 0; i < a->n_queues; i++)
		if (a->queues[i].hwid != 0 &&
		    archive_check(a,
				  OTF2_GlobalDefWriter_WriteLocationProperty(w, a->queues[i].id, hwid_name, OTF2_TYPE_UINT64,
									     value_u64(a->queues[i].hwid)),
				  "defining a LocationProperty") != 0)
			return -1;
	return 0;
}

/*
 * The locations that may reach each other: those of processes that have devices, threads first, then queues. `members`
 * has room for all.
 */
static uint32_t fill_members(const struct archive *a, uint64_t *members)
{
	uint32_t n = 0;
	for (size_t i = 0; i < a->n_processes; i++) {
		const struct process_def *p = &a->processes[i];
		for (uint32_t j = 0; p->n_devices > 0 && j < p->n_locations; j++)
			members[n++] = (uint64_t)j << 32 | p->process;
		for (uint32_t j = 0; j < p->n_queues; j++)
			members[n++] = a->queues[p->first_queue + j].id;
	}
	return n;
}

/* The window of a process, with its group and communicator; `base` is the process's first place in the group of all. */
static int define_window(struct archive *a, OTF2_GlobalDefWriter *w, const struct process_def *p, uint32_t base, uint64_t *members)
{
	uint32_t n = p->n_locations + p->n_queues;
	for (uint32_t j = 0; j < n; j++)
		members[j] = base + j;
	uint32_t group = intern_group(a, a->n_comms) + 1 + p->window;
	return archive_check(a,
			     OTF2_GlobalDefWriter_WriteGroup(w, group, 0, OTF2_GROUP_TYPE_COMM_GROUP, a->device_paradigm,
							     OTF2_GROUP_FLAG_NONE, n, members),
			     "defining a window's group");
}

int device_define_windows(struct archive *a, OTF2_GlobalDefWriter *w, uint32_t name)
{
	if (a->n_windows == 0)
		return 0;
	uint64_t *members = memory_get((size_t)a->n_locations + a->n_queues, sizeof *members, "the definitions");
	int rc = archive_check(a,
			       OTF2_GlobalDefWriter_WriteGroup(w, intern_group(a, a->n_comms), name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
							       a->device_paradigm, OTF2_GROUP_FLAG_NONE, fill_members(a, members),
							       members),
			       "defining the group of devices");
	uint32_t base = 0;
	for (size_t i = 0; i < a->n_processes && rc == 0; i++) {
		const struct process_def *p = &a->processes[i];
		if (p->n_devices == 0)
			continue;
		rc = define_window(a, w, p, base, members);
		base += p->n_locations + p->n_queues;
	}
	free(members);
	for (uint32_t i = 0; i < a->n_windows && rc == 0; i++)
		rc = archive_check(a,
				   OTF2_GlobalDefWriter_WriteComm(w, a->n_comms + i, name, intern_group(a, a->n_comms) + 1 + i,
								  OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
				   "defining a communicator");
	for (uint32_t i = 0; i < a->n_windows && rc == 0; i++)
		rc = archive_check(a, OTF2_GlobalDefWriter_WriteRmaWin(w, i, name, a->n_comms + i, OTF2_RMA_WIN_FLAG_NONE),
				   "defining a window");
	return rc;
}
