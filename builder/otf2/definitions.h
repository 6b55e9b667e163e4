/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the archive defines: regions, teams, locations and processes, as they are kept until the archive is closed; and the
 * attributes, parameters and metrics, whose numbers are fixed.
 */
#ifndef OTTER_BUILDER_OTF2_DEFINITIONS_H
#define OTTER_BUILDER_OTF2_DEFINITIONS_H

#include "builder/model/tables.h"
#include "builder/support/map.h"

/*
 * The kinds of regions that a construct is entered as. One construct may be several: a task and its creation, a
 * critical and its body.
 */
enum region_kind {
	REGION_UNKNOWN,
	REGION_INITIAL_TASK,
	REGION_PARALLEL,
	REGION_TEAMS,
	REGION_TASK,
	REGION_TASK_UNTIED,
	REGION_TARGET_TASK,
	REGION_TASKLOOP_SPLIT, /* a task by which the runtime splits a taskloop (Q44) */
	REGION_TASK_CREATE,
	REGION_TASKLOOP_SPLIT_CREATE,
	REGION_TASKWAIT,
	REGION_TASKWAIT_DEPEND,
	REGION_TASKGROUP,
	REGION_BARRIER,
	REGION_BARRIER_IMPLICIT,
	REGION_BARRIER_IMPLEMENTATION,
	REGION_BARRIER_TEAMS,
	REGION_REDUCTION,
	REGION_LOOP,
	REGION_SECTIONS,
	REGION_SECTION,
	REGION_SINGLE,
	REGION_SINGLE_SBLOCK,
	REGION_WORKSHARE,
	REGION_DISTRIBUTE,
	REGION_TASKLOOP,
	REGION_SCOPE,
	REGION_MASKED,
	REGION_CRITICAL,
	REGION_CRITICAL_SBLOCK,
	REGION_ORDERED,
	REGION_ORDERED_SBLOCK,
	REGION_ATOMIC,
	REGION_SET_LOCK,
	REGION_TEST_LOCK,
	REGION_UNSET_LOCK,
	REGION_INIT_LOCK,
	REGION_DESTROY_LOCK,
	REGION_SET_NEST_LOCK,
	REGION_TEST_NEST_LOCK,
	REGION_UNSET_NEST_LOCK,
	REGION_INIT_NEST_LOCK,
	REGION_DESTROY_NEST_LOCK,
	REGION_FLUSH,
	REGION_CONTROL_TOOL,
	REGION_TARGET,
	REGION_TARGET_ENTER_DATA,
	REGION_TARGET_EXIT_DATA,
	REGION_TARGET_UPDATE,
	REGION_SUBMIT,
	REGION_DATA_ALLOC,
	REGION_DATA_DELETE,
	REGION_DATA_ASSOCIATE,
	REGION_DATA_DISASSOCIATE,
	REGION_DATA_MEMSET,
	REGION_DATA_TO_DEVICE,
	REGION_DATA_FROM_DEVICE,
	REGION_DATA_TRANSFER,
	REGION_KERNEL,
	REGION_UNIT,
	REGION_TASKLET,
	REGION_SCHEDULER,
	REGION_UNIT_PRIMARY,
	REGION_UNIT_CREATE,
	REGION_DEVICE_ALLOC,
	REGION_DEVICE_DELETE,
	REGION_DEVICE_DATA,
	REGION_DEVICE_NATIVE,
	REGION_KINDS
};

/*
 * The same code address in the same binary is the same region, in whatever process. Its name and place in the source
 * are looked up when the process's replay is over.
 */
struct region_def {
	enum region_kind kind;
	enum construct_kind construct_kind;
	uint32_t module;                  /* string: path of the binary, or "" */
	uint32_t native;                  /* string: the device's own name; 0 but for REGION_DEVICE_NATIVE */
	uint64_t offset;                  /* in the binary's file; the address itself where no binary is known */
	uint32_t name, description, file; /* strings; name UNSET: not known so far */
	uint32_t line;
};

/* Strings and regions, each once (intern.h). The number of one is its row, added to what comes before the table. */
struct interned {
	const struct interned *before; /* of a location: the archive's table, which it continues; of the archive: NULL */
	uint32_t first_string, first_region;
	char **strings;
	uint32_t n_strings;
	size_t strings_capacity;
	struct map string_rows; /* hash -> the latest such string + 1, chained through string_next */
	uint32_t *string_next;
	struct region_def *regions;
	uint32_t n_regions;
	size_t regions_capacity;
	struct map region_rows; /* the same for regions */
	uint32_t *region_next;
};

/* A team as a communicator. */
struct comm_def {
	uint32_t parent; /* UNSET: none */
	uint32_t n_members;
	size_t first_member; /* in archive.members */
	bool is_made_up;     /* of one thread, for tasks whose team was not recorded */
	bool is_of_units;    /* of all threads of a process, for Argobots' units */
};

struct location_def {
	uint64_t n_events;
	uint64_t tid; /* of the first OS thread that held the stream */
	uint64_t n_threads;
	uint64_t n_lost;
	uint32_t number; /* of the stream */
	bool is_foreign; /* it never was in an OpenMP team */
	bool is_helper;  /* it is in the runtime's own team for target tasks */
	bool is_xstream; /* it was an execution stream of Argobots, at first with this rank, UINT64_MAX: not known */
	uint64_t xstream_rank;
};

struct process_def {
	const struct dump *dump;
	uint32_t process;
	uint32_t node;           /* system tree node */
	uint32_t first_location; /* row of archive.locations */
	uint32_t n_locations;    /* at least one: ProgramBegin needs a place */
};

/*
 * Names of what is not named while events are written. Strings are defined first, so all of these are made strings
 * before that.
 */
struct def_names {
	uint32_t openmp, team_template, team_unknown, machine, node, platform, linux_name, schedule, iterations, chunk_start,
		chunk_iterations, command, modifier, process_id, prior_task_status, task_fragment, tid, n_threads, n_lost, pid,
		program, runtime, master, allocation_size, result_address, deallocation_size, argument_address, host_op_id, teams,
		granted_teams, memory_source, memory_destination, device_class, device_memory, hwid, state, state_unit, state_names,
		sample, sample_names, argobots, units, unit, pool, stack_size, stop, sync, sync_object, resumed_by, thread_id,
		polls, xstream_rank;
	uint32_t *locations, *groups, *hosts, *programs, *runtimes;
};

/* Attributes, parameters and metrics have fixed numbers. */
enum {
	ATTRIBUTE_PROCESS_ID,
	ATTRIBUTE_PRIOR_TASK_STATUS,
	ATTRIBUTE_TASK_FRAGMENT,
	ATTRIBUTE_ALLOCATION_SIZE,
	ATTRIBUTE_RESULT_ADDRESS,
	ATTRIBUTE_DEALLOCATION_SIZE,
	ATTRIBUTE_ARGUMENT_ADDRESS,
	ATTRIBUTE_MEMORY_SPACE_SOURCE,
	ATTRIBUTE_MEMORY_SPACE_DESTINATION,
	ATTRIBUTE_UNIT,
	ATTRIBUTE_POOL,
	ATTRIBUTE_STACK_SIZE,
	ATTRIBUTE_STOP,
	ATTRIBUTE_SYNC,
	ATTRIBUTE_SYNC_OBJECT,
	ATTRIBUTE_RESUMED_BY,
	ATTRIBUTE_THREAD_ID, /* only where there are units of Argobots */
	ATTRIBUTES
};
enum { METRIC_STATE, METRIC_SAMPLE, METRICS };
enum {
	PARAMETER_SCHEDULE,
	PARAMETER_ITERATIONS,
	PARAMETER_CHUNK_START,
	PARAMETER_CHUNK_ITERATIONS,
	PARAMETER_COMMAND,
	PARAMETER_MODIFIER,
	PARAMETER_HOST_OP_ID,
	PARAMETER_TEAMS,
	PARAMETER_GRANTED_TEAMS,
	PARAMETER_POLLS,
	PARAMETERS
};

#endif
