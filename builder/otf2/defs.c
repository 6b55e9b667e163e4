/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the global definitions, in the order that OTF2's readers expect. Numbers are dense, from 0, for each kind; every
 * reference is to a definition that was written before. One thread.
 */
#include "builder/otf2/archive.h"
#include "builder/otf2/intern.h"
#include "builder/otf2/events.h"
#include "builder/support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PARADIGM OTF2_PARADIGM_OPENMP

static uint64_t location_id(const struct archive *a, uint32_t row)
{
	const struct process_def *p = a->processes;
	while (row >= p->first_location + p->n_locations)
		p++;
	return (uint64_t)(row - p->first_location) << 32 | p->process;
}

static OTF2_AttributeValue value_u64(uint64_t value)
{
	return (OTF2_AttributeValue){.uint64 = value};
}

static OTF2_AttributeValue value_string(uint32_t string)
{
	return (OTF2_AttributeValue){.stringRef = string};
}

/* Calls the paradigms to write their definitions of a kind. Returns 0 or -1. */
static int write_of_paradigms(struct archive *a, enum definition kind, const struct definitions *definitions)
{
	int rc = 0;
	for (size_t i = 0; i < N_PARADIGMS && rc == 0; i++)
		if (paradigms[i]->archive != NULL && paradigms[i]->archive->define != NULL)
			rc = paradigms[i]->archive->define(a, kind, definitions);
	return rc;
}

static void intern_names(struct archive *a, struct def_names *n)
{
	struct {
		uint32_t *to;
		const char *text;
	} fixed[] = {
		{&n->openmp, "OpenMP"},
		{&n->team_template, "Thread team ${id}"},
		{&n->team_unknown, "team not recorded"},
		{&n->machine, "machine"},
		{&n->node, "node"},
		{&n->platform, "platform"},
		{&n->linux_name, "Linux"},
		{&n->schedule, "schedule"},
		{&n->iterations, "iterations"},
		{&n->chunk_start, "chunk start"},
		{&n->chunk_iterations, "chunk iterations"},
		{&n->command, "command"},
		{&n->modifier, "modifier"},
		{&n->granted_teams, "granted_num_teams"},
		{&n->memory_source, "OTF2::MEMORY_SPACE_SOURCE"},
		{&n->memory_destination, "OTF2::MEMORY_SPACE_DESTINATION"},
		{&n->device_class, "accelerator device"},
		{&n->device_memory, "OpenMP devices"},
		{&n->hwid, "OTTER::HWID"},
		{&n->process_id, "ProcessId"},
		{&n->prior_task_status, "prior_task_status"},
		{&n->task_fragment, "task_fragment"},
		{&n->allocation_size, "ALLOCATION_SIZE"},
		{&n->result_address, "RESULT_ADDRESS"},
		{&n->deallocation_size, "DEALLOCATION_SIZE"},
		{&n->argument_address, "ARGUMENT_ADDRESS"},
		{&n->host_op_id, "host_op_id"},
		{&n->teams, "requested teams"},
		{&n->tid, "OTTER::TID"},
		{&n->n_threads, "OTTER::OS_THREADS"},
		{&n->n_lost, "OTTER::LOST_RECORDS"},
		{&n->pid, "OTTER::PID"},
		{&n->program, "OTTER::PROGRAM"},
		{&n->runtime, "OTTER::RUNTIME"},
		{&n->master, "Master thread"},
		{&n->state, "thread state"},
		{&n->sample, "thread state sampled"},
		{&n->state_unit, "state"},
		{&n->argobots, "Argobots"},
		{&n->units, "Argobots units"},
		{&n->unit, "unit"},
		{&n->pool, "pool"},
		{&n->stack_size, "stack size"},
		{&n->stop, "stop"},
		{&n->sync, "waits for"},
		{&n->sync_object, "object"},
		{&n->resumed_by, "resumed by"},
		{&n->polls, "polls"},
		{&n->xstream_rank, "OTTER::XSTREAM_RANK"},
	};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		*fixed[i].to = intern_string(&a->interned, fixed[i].text);
	n->thread_id = a->has_units ? intern_string(&a->interned, "ThreadId") : 0; /* Score-P's name */
	n->state_names = state_metric_names(a);
	n->sample_names = sample_metric_names(a);
	uint32_t *all = memory_zeroed(a->n_locations + 4 * a->n_processes, sizeof *all, "the definitions");
	n->locations = all;
	n->groups = all + a->n_locations;
	n->hosts = n->groups + a->n_processes;
	n->programs = n->hosts + a->n_processes;
	n->runtimes = n->programs + a->n_processes;
	char text[64];
	for (size_t i = 0; i < a->n_processes; i++) {
		const struct process_def *p = &a->processes[i];
		const struct meta *meta = &p->dump->meta;
		if (meta->rank >= 0)
			snprintf(text, sizeof text, "MPI Rank %ld", meta->rank);
		else
			snprintf(text, sizeof text, "Process %" PRIu32, p->process);
		n->groups[i] = intern_string(&a->interned, text);
		n->hosts[i] = intern_string(&a->interned, meta->host[0] != '\0' ? meta->host : "unknown host");
		n->programs[i] = intern_string(&a->interned, meta->program);
		n->runtimes[i] = intern_string(&a->interned, meta->runtime);
		for (uint32_t j = p->first_location; j < p->first_location + p->n_locations; j++) {
			const struct location_def *l = &a->locations[j];
			snprintf(text, sizeof text, "%s %" PRIu32,
				 l->is_helper                     ? "OMP hidden helper thread"
				 : l->is_foreign && l->is_xstream ? "Argobots thread"
				 : l->is_foreign                  ? "Thread"
								  : "OMP thread",
				 l->number);
			n->locations[j] = j == p->first_location ? n->master : intern_string(&a->interned, text);
		}
	}
}

static int write_clock(struct archive *a, OTF2_GlobalDefWriter *w)
{
	DEFINE(a, ClockProperties, w, a->ticks_per_second, a->first_time, a->last_time - a->first_time, a->first_realtime_ns);
	return 0;
}

static int write_paradigm_and_attributes(struct archive *a, OTF2_GlobalDefWriter *w, const struct def_names *n)
{
	DEFINE(a, Paradigm, w, PARADIGM, n->openmp, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
	DEFINE(a, ParadigmProperty, w, PARADIGM, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING,
	       value_string(n->team_template));
	if (a->has_units)
		DEFINE(a, Paradigm, w, OTF2_PARADIGM_USER, n->argobots, OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT);
	if (write_of_paradigms(a, DEFINE_PARADIGMS, &(struct definitions){w, n, 0}) != 0)
		return -1;
	DEFINE(a, Attribute, w, ATTRIBUTE_PROCESS_ID, n->process_id, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_PRIOR_TASK_STATUS, n->prior_task_status, 0, OTF2_TYPE_STRING);
	DEFINE(a, Attribute, w, ATTRIBUTE_TASK_FRAGMENT, n->task_fragment, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_ALLOCATION_SIZE, n->allocation_size, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_RESULT_ADDRESS, n->result_address, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_DEALLOCATION_SIZE, n->deallocation_size, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_ARGUMENT_ADDRESS, n->argument_address, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_MEMORY_SPACE_SOURCE, n->memory_source, 0, OTF2_TYPE_LOCATION_GROUP);
	DEFINE(a, Attribute, w, ATTRIBUTE_MEMORY_SPACE_DESTINATION, n->memory_destination, 0, OTF2_TYPE_LOCATION_GROUP);
	DEFINE(a, Attribute, w, ATTRIBUTE_UNIT, n->unit, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_POOL, n->pool, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_STACK_SIZE, n->stack_size, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_STOP, n->stop, 0, OTF2_TYPE_STRING);
	DEFINE(a, Attribute, w, ATTRIBUTE_SYNC, n->sync, 0, OTF2_TYPE_STRING);
	DEFINE(a, Attribute, w, ATTRIBUTE_SYNC_OBJECT, n->sync_object, 0, OTF2_TYPE_UINT64);
	DEFINE(a, Attribute, w, ATTRIBUTE_RESUMED_BY, n->resumed_by, 0, OTF2_TYPE_LOCATION);
	if (a->has_units)
		DEFINE(a, Attribute, w, ATTRIBUTE_THREAD_ID, n->thread_id, 0, OTF2_TYPE_UINT64);
	return 0;
}

/* One machine, and below it a node for each host. The nodes of processes were numbered when the archive was opened. */
static int write_system_tree(struct archive *a, OTF2_GlobalDefWriter *w, const struct def_names *n)
{
	DEFINE(a, SystemTreeNode, w, 0, n->hosts[0], n->machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	uint32_t n_nodes = 1;
	for (size_t i = 0; i < a->n_processes; i++)
		if (a->processes[i].node == n_nodes)
			DEFINE(a, SystemTreeNode, w, n_nodes++, n->hosts[i], n->node, 0);
	if (write_of_paradigms(a, DEFINE_NODES, &(struct definitions){w, n, n_nodes}) != 0)
		return -1;
	DEFINE(a, SystemTreeNodeProperty, w, 0, n->platform, OTF2_TYPE_STRING, value_string(n->linux_name));
	DEFINE(a, SystemTreeNodeDomain, w, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	for (uint32_t i = 1; i < n_nodes; i++)
		DEFINE(a, SystemTreeNodeDomain, w, i, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
	return write_of_paradigms(a, DEFINE_NODE_DOMAINS, &(struct definitions){w, n, n_nodes});
}

static int write_locations(struct archive *a, OTF2_GlobalDefWriter *w, const struct def_names *n)
{
	for (uint32_t i = 0; i < a->n_processes; i++)
		DEFINE(a, LocationGroup, w, i, n->groups[i], OTF2_LOCATION_GROUP_TYPE_PROCESS, a->processes[i].node,
		       OTF2_UNDEFINED_LOCATION_GROUP);
	if (write_of_paradigms(a, DEFINE_LOCATION_GROUPS, &(struct definitions){w, n, 0}) != 0)
		return -1;
	for (uint32_t i = 0; i < a->n_processes; i++) {
		DEFINE(a, LocationGroupProperty, w, i, n->pid, OTF2_TYPE_UINT64,
		       value_u64((uint64_t)a->processes[i].dump->meta.pid));
		DEFINE(a, LocationGroupProperty, w, i, n->program, OTF2_TYPE_STRING, value_string(n->programs[i]));
		DEFINE(a, LocationGroupProperty, w, i, n->runtime, OTF2_TYPE_STRING, value_string(n->runtimes[i]));
	}
	for (uint32_t i = 0; i < a->n_processes; i++)
		for (uint32_t j = a->processes[i].first_location; j < a->processes[i].first_location + a->processes[i].n_locations;
		     j++)
			DEFINE(a, Location, w, location_id(a, j), n->locations[j], OTF2_LOCATION_TYPE_CPU_THREAD,
			       a->locations[j].n_events, i);
	if (write_of_paradigms(a, DEFINE_LOCATIONS, &(struct definitions){w, n, 0}) != 0)
		return -1;
	for (uint32_t j = 0; j < a->n_locations; j++) {
		const struct location_def *l = &a->locations[j];
		if (l->n_threads > 0) {
			DEFINE(a, LocationProperty, w, location_id(a, j), n->tid, OTF2_TYPE_UINT64, value_u64(l->tid));
			DEFINE(a, LocationProperty, w, location_id(a, j), n->n_threads, OTF2_TYPE_UINT64, value_u64(l->n_threads));
		}
		if (l->is_xstream && l->xstream_rank != UINT64_MAX)
			DEFINE(a, LocationProperty, w, location_id(a, j), n->xstream_rank, OTF2_TYPE_UINT64,
			       value_u64(l->xstream_rank));
		if (l->n_lost > 0)
			DEFINE(a, LocationProperty, w, location_id(a, j), n->n_lost, OTF2_TYPE_UINT64, value_u64(l->n_lost));
	}
	return write_of_paradigms(a, DEFINE_LOCATION_PROPERTIES, &(struct definitions){w, n, 0});
}

static int write_groups_and_comms(struct archive *a, OTF2_GlobalDefWriter *w, const struct def_names *n)
{
	size_t n_longest = a->n_locations;
	for (uint32_t i = 0; i < a->n_comms; i++)
		if (a->comms[i].n_members > n_longest)
			n_longest = a->comms[i].n_members;
	uint64_t *members = memory_get(n_longest, sizeof *members, "the definitions");
	for (uint32_t j = 0; j < a->n_locations; j++)
		members[j] = location_id(a, j);
	int rc = archive_check(a,
			       OTF2_GlobalDefWriter_WriteGroup(w, 0, n->openmp, OTF2_GROUP_TYPE_COMM_LOCATIONS, PARADIGM,
							       OTF2_GROUP_FLAG_NONE, a->n_locations, members),
			       "defining the group of all locations");
	if (rc == 0 && a->has_units)
		rc = archive_check(a,
				   OTF2_GlobalDefWriter_WriteGroup(w, 1, n->argobots, OTF2_GROUP_TYPE_COMM_LOCATIONS,
								   OTF2_PARADIGM_USER, OTF2_GROUP_FLAG_NONE, a->n_locations,
								   members),
				   "defining the group of all locations");
	for (uint32_t i = 0; rc == 0 && i < a->n_comms; i++) {
		const struct comm_def *c = &a->comms[i];
		OTF2_Paradigm paradigm = c->is_of_units ? OTF2_PARADIGM_USER : PARADIGM;
		for (uint32_t j = 0; j < c->n_members; j++)
			members[j] = a->members[c->first_member + j];
		rc = archive_check(a,
				   OTF2_GlobalDefWriter_WriteGroup(w, intern_group(a, i), 0, OTF2_GROUP_TYPE_COMM_GROUP, paradigm,
								   OTF2_GROUP_FLAG_NONE, c->n_members, members),
				   "defining a team");
	}
	free(members);
	for (uint32_t i = 0; rc == 0 && i < a->n_comms; i++)
		rc = archive_check(
			a,
			OTF2_GlobalDefWriter_WriteComm(w, i,
						       a->comms[i].is_made_up    ? n->team_unknown
						       : a->comms[i].is_of_units ? n->units
										 : 0,
						       intern_group(a, i),
						       a->comms[i].parent != UNSET ? a->comms[i].parent : OTF2_UNDEFINED_COMM,
						       OTF2_COMM_FLAG_NONE),
			"defining a communicator");
	return rc;
}

/*
 * Each location records its own thread's state. (A MetricInstance for each location would say that as well, but ViTE
 * crashes on those.)
 */
static int write_metrics(struct archive *a, OTF2_GlobalDefWriter *w, const struct def_names *n)
{
	OTF2_MetricMemberRef member = METRIC_STATE, sample = METRIC_SAMPLE;
	if (!a->has_states)
		return 0;
	DEFINE(a, MetricMember, w, METRIC_STATE, n->state, n->state_names, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_NEXT,
	       OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, n->state_unit);
	if (a->has_samples)
		DEFINE(a, MetricMember, w, METRIC_SAMPLE, n->sample, n->sample_names, OTF2_METRIC_TYPE_OTHER,
		       OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, n->state_unit);
	DEFINE(a, MetricClass, w, METRIC_STATE, 1, &member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
	if (a->has_samples)
		DEFINE(a, MetricClass, w, METRIC_SAMPLE, 1, &sample, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
	for (uint32_t j = 0; j < a->n_locations; j++)
		DEFINE(a, MetricClassRecorder, w, METRIC_STATE, location_id(a, j));
	for (uint32_t j = 0; j < a->n_locations && a->has_samples; j++)
		DEFINE(a, MetricClassRecorder, w, METRIC_SAMPLE, location_id(a, j));
	return 0;
}

static int write_all(struct archive *a, OTF2_GlobalDefWriter *w, const struct def_names *n)
{
	if (write_clock(a, w) != 0)
		return -1;
	for (uint32_t i = 0; i < a->interned.n_strings; i++)
		DEFINE(a, String, w, i, a->interned.strings[i]);
	if (write_paradigm_and_attributes(a, w, n) != 0 || write_system_tree(a, w, n) != 0 || write_locations(a, w, n) != 0)
		return -1;
	for (uint32_t i = 0; i < a->interned.n_regions; i++) {
		const struct region_def *r = &a->interned.regions[i];
		DEFINE(a, Region, w, i, r->name, r->name, r->description, region_role(r->kind), region_paradigm(r->kind),
		       OTF2_REGION_FLAG_NONE, r->file, r->line, 0);
	}
	if (write_groups_and_comms(a, w, n) != 0 || write_metrics(a, w, n) != 0 ||
	    write_of_paradigms(a, DEFINE_WINDOWS, &(struct definitions){w, n, 0}) != 0)
		return -1;
	DEFINE(a, Parameter, w, PARAMETER_SCHEDULE, n->schedule, OTF2_PARAMETER_TYPE_STRING);
	DEFINE(a, Parameter, w, PARAMETER_ITERATIONS, n->iterations, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_CHUNK_START, n->chunk_start, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_CHUNK_ITERATIONS, n->chunk_iterations, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_COMMAND, n->command, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_MODIFIER, n->modifier, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_HOST_OP_ID, n->host_op_id, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_TEAMS, n->teams, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_GRANTED_TEAMS, n->granted_teams, OTF2_PARAMETER_TYPE_UINT64);
	DEFINE(a, Parameter, w, PARAMETER_POLLS, n->polls, OTF2_PARAMETER_TYPE_UINT64);
	return 0;
}

int defs_write(struct archive *a)
{
	struct def_names names = {0};
	intern_names(a, &names);
	OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(a->otf2);
	int rc = w == NULL ? archive_failed(a, OTF2_ERROR_INVALID, "opening the definitions") : write_all(a, w, &names);
	free(names.locations);
	if (w != NULL && archive_check(a, OTF2_Archive_CloseGlobalDefWriter(a->otf2, w), "writing the definitions") != 0)
		rc = -1;
	return rc;
}
