/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The frame of the tools that the benchmarks compare the recorder with: they register what the recorder registers by default (the
 * event table says what that is) and each callback that the recorder makes a record of does nothing but tool_event(). A tool defines,
 * before it includes this file,
 *
 *   static inline void tool_event(uint64_t kind);   kind: the ompt_callback_ number
 *   static void tool_end(void);                     when the runtime shuts down
 *
 * Dispatch is the runtime's: what a tool built on this costs, no recorder for the same callbacks can cost less.
 */
#ifndef OTTER_BENCH_CALLBACKS_H
#define OTTER_BENCH_CALLBACKS_H

#include <omp-tools.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The callbacks take what the runtime gives and use none of it: that is their point. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HANDLER(name, type, ...)                                                                                                   \
	static void on_##name(__VA_ARGS__)                                                                                         \
	{                                                                                                                          \
		tool_event(ompt_callback_##name);                                                                                  \
	}                                                                                                                          \
	_Static_assert(_Generic(on_##name, type : 1, default : 0), "not the signature of " #type)

HANDLER(thread_begin, ompt_callback_thread_begin_t, ompt_thread_t type, ompt_data_t *thread);
HANDLER(thread_end, ompt_callback_thread_end_t, ompt_data_t *thread);
HANDLER(parallel_begin, ompt_callback_parallel_begin_t, ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
	unsigned int requested, int flags, const void *codeptr);
HANDLER(parallel_end, ompt_callback_parallel_end_t, ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr);
HANDLER(implicit_task, ompt_callback_implicit_task_t, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
	unsigned int actual, unsigned int index, int flags);
HANDLER(task_create, ompt_callback_task_create_t, ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new_task, int flags,
	int has_dependences, const void *codeptr);
HANDLER(task_schedule, ompt_callback_task_schedule_t, ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
HANDLER(dependences, ompt_callback_dependences_t, ompt_data_t *task, const ompt_dependence_t *list, int n);
HANDLER(task_dependence, ompt_callback_task_dependence_t, ompt_data_t *source, ompt_data_t *sink);
HANDLER(sync_region, ompt_callback_sync_region_t, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
	ompt_data_t *task, const void *codeptr);
HANDLER(reduction, ompt_callback_sync_region_t, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
	ompt_data_t *task, const void *codeptr);
HANDLER(work, ompt_callback_work_t, ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
	uint64_t count, const void *codeptr);
HANDLER(masked, ompt_callback_masked_t, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
	const void *codeptr);
HANDLER(mutex_acquire, ompt_callback_mutex_acquire_t, ompt_mutex_t kind, unsigned int hint, unsigned int impl,
	ompt_wait_id_t wait_id, const void *codeptr);
HANDLER(mutex_acquired, ompt_callback_mutex_t, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);
HANDLER(mutex_released, ompt_callback_mutex_t, ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);
HANDLER(nest_lock, ompt_callback_nest_lock_t, ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr);
HANDLER(cancel, ompt_callback_cancel_t, ompt_data_t *task, int flags, const void *codeptr);
HANDLER(error, ompt_callback_error_t, ompt_severity_t severity, const char *message, size_t length, const void *codeptr);

/* The recorder is called for every wait and keeps those of taskgroups alone: a tool that kept more would make it look cheap. */
static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
				const void *codeptr)
{
	if (kind == ompt_sync_region_taskgroup)
		tool_event(ompt_callback_sync_region_wait);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr)
{
	tool_event(ompt_callback_control_tool);
	return 0;
}

/* clang-format off */
static const struct handler {
	const char *name;
	ompt_callbacks_t callback;
	ompt_callback_t function;
} handlers[] = {
#define ROW(name) {"ompt_callback_" #name, ompt_callback_##name, (ompt_callback_t)on_##name}
	ROW(thread_begin), ROW(thread_end), ROW(parallel_begin), ROW(parallel_end), ROW(implicit_task),
	ROW(task_create), ROW(task_schedule), ROW(dependences), ROW(task_dependence),
	ROW(sync_region), ROW(sync_region_wait), ROW(reduction), ROW(work), ROW(masked),
	ROW(mutex_acquire), ROW(mutex_acquired), ROW(mutex_released), ROW(nest_lock),
	ROW(cancel), ROW(error), ROW(control_tool),
#undef ROW
};
/* clang-format on */

/* What OTTER_EVENTS leaves out unless asked for, and what concerns devices: no workload has one. */
static bool is_default_group(const char *group)
{
	static const char *const others[] = {"dispatch", "flush", "lock_init", "target", "device"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(group, others[i]) == 0)
			return false;
	return true;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data)
{
	static const struct {
		const char *callback;
		const char *group;
	} rows[] = {
#define EVENT(number, name, group, callback, doc) {#callback, #group},
#include "common/events.def"
	};
	ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strncmp(rows[i].callback, "ompt_callback_", 14) != 0 || !is_default_group(rows[i].group))
			continue;
		size_t h = 0;
		while (h < sizeof handlers / sizeof *handlers && strcmp(handlers[h].name, rows[i].callback) != 0)
			h++;
		/* A tool that answers to less than the recorder would make the recorder look expensive: better none at all. */
		if (h == sizeof handlers / sizeof *handlers ||
		    set_callback(handlers[h].callback, handlers[h].function) != ompt_set_always) {
			fprintf(stderr, "bench tool: cannot register %s\n", rows[i].callback);
			return 0;
		}
	}
	return 1;
}

static void finalize(ompt_data_t *tool_data)
{
	tool_end();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};
	return &result;
}

#endif
