/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An OMPT tool that counts: every callback under the name of its row in common/events.def, with _begin and _end where it has an endpoint.
 *
 * Tests load it through OMP_TOOL_LIBRARIES. COUNT_FILE names its output, "<COUNT_FILE>.<pid>": one "name count" a line, all names,
 * written at finalize and again by the destructor (whichever comes last is right). COUNT_CHAIN names another tool that is loaded
 * behind this one and gets every callback it registers for, so that a recorder and the counts describe the very same run, whatever
 * the timing. COUNT_OLD: the runtime is one of OpenMP 5.0, without the callbacks whose names end in _emi. COUNT_RUNTIME is the name of the runtime that the chained tool is told, in place of the real one. A forked child starts
 * from zero.
 *
 * Any thread calls the callbacks; counters are atomic. Registration happens once, on one thread, inside ompt_start_tool's initialize.
 */
#include "common/event.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_ulong counts[EVENT_KIND_LIMIT];

#define N_CALLBACKS 64
static ompt_callback_t chained[N_CALLBACKS];
static ompt_set_result_t results[N_CALLBACKS];
static _Bool is_counted[N_CALLBACKS];
static _Bool is_refused[N_CALLBACKS];
static ompt_start_tool_result_t *chain;
static ompt_function_lookup_t runtime_lookup;
static ompt_set_callback_t runtime_set_callback;

static void count(enum event_kind kind)
{
	atomic_fetch_add_explicit(&counts[kind], 1, memory_order_relaxed);
}

static void count_endpoint(enum event_kind begin, ompt_scope_endpoint_t endpoint)
{
	if (endpoint == ompt_scope_begin || endpoint == ompt_scope_beginend)
		count(begin);
	if (endpoint == ompt_scope_end || endpoint == ompt_scope_beginend)
		count(begin + 1); /* the table keeps pairs together */
}

#define PAIR(name) _Static_assert(EVENT_##name##_end == EVENT_##name##_begin + 1, "pairs are neighbours")
PAIR(implicit_task);
PAIR(sync_region);
PAIR(sync_region_wait);
PAIR(reduction);
PAIR(work);
PAIR(masked);
PAIR(nest_lock);
PAIR(target);
PAIR(target_data_op);
PAIR(target_submit);

/* Defines on_NAME, which counts and passes on. */
#define COUNTED(name, counting, params, args)                                                                                      \
	static void on_##name params                                                                                               \
	{                                                                                                                          \
		counting;                                                                                                          \
		if (chained[ompt_callback_##name] != NULL)                                                                         \
			((void(*) params)chained[ompt_callback_##name]) args;                                                      \
	}

COUNTED(thread_begin, count(EVENT_thread_begin), (ompt_thread_t type, ompt_data_t *thread), (type, thread))
COUNTED(thread_end, count(EVENT_thread_end), (ompt_data_t * thread), (thread))
COUNTED(parallel_begin, count(EVENT_parallel_begin),
	(ompt_data_t * task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested, int flags, const void *ra),
	(task, frame, region, requested, flags, ra))
COUNTED(parallel_end, count(EVENT_parallel_end), (ompt_data_t * region, ompt_data_t *task, int flags, const void *ra),
	(region, task, flags, ra))
COUNTED(implicit_task, count_endpoint(EVENT_implicit_task_begin, endpoint),
	(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned actual, unsigned index, int flags),
	(endpoint, region, task, actual, index, flags))
COUNTED(task_create, count(EVENT_task_create),
	(ompt_data_t * parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences, const void *ra),
	(parent, frame, task, flags, has_dependences, ra))
COUNTED(task_schedule, count(EVENT_task_schedule), (ompt_data_t * prior, ompt_task_status_t status, ompt_data_t *next),
	(prior, status, next))
COUNTED(dependences, count(EVENT_dependences), (ompt_data_t * task, const ompt_dependence_t *list, int n), (task, list, n))
COUNTED(task_dependence, count(EVENT_task_dependence), (ompt_data_t * source, ompt_data_t *sink), (source, sink))
COUNTED(sync_region, count_endpoint(EVENT_sync_region_begin, endpoint),
	(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *ra),
	(kind, endpoint, region, task, ra))
COUNTED(sync_region_wait, count_endpoint(EVENT_sync_region_wait_begin, endpoint),
	(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *ra),
	(kind, endpoint, region, task, ra))
COUNTED(reduction, count_endpoint(EVENT_reduction_begin, endpoint),
	(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *ra),
	(kind, endpoint, region, task, ra))
COUNTED(work, count_endpoint(EVENT_work_begin, endpoint),
	(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, uint64_t n, const void *ra),
	(kind, endpoint, region, task, n, ra))
COUNTED(dispatch, count(EVENT_dispatch), (ompt_data_t * region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance),
	(region, task, kind, instance))
COUNTED(masked, count_endpoint(EVENT_masked_begin, endpoint),
	(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *ra), (endpoint, region, task, ra))
COUNTED(mutex_acquire, count(EVENT_mutex_acquire),
	(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *ra), (kind, hint, impl, id, ra))
COUNTED(mutex_acquired, count(EVENT_mutex_acquired), (ompt_mutex_t kind, ompt_wait_id_t id, const void *ra), (kind, id, ra))
COUNTED(mutex_released, count(EVENT_mutex_released), (ompt_mutex_t kind, ompt_wait_id_t id, const void *ra), (kind, id, ra))
COUNTED(lock_init, count(EVENT_lock_init), (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *ra),
	(kind, hint, impl, id, ra))
COUNTED(lock_destroy, count(EVENT_lock_destroy), (ompt_mutex_t kind, ompt_wait_id_t id, const void *ra), (kind, id, ra))
COUNTED(nest_lock, count_endpoint(EVENT_nest_lock_begin, endpoint),
	(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void *ra), (endpoint, id, ra))
COUNTED(flush, count(EVENT_flush), (ompt_data_t * thread, const void *ra), (thread, ra))
COUNTED(cancel, count(EVENT_cancel), (ompt_data_t * task, int flags, const void *ra), (task, flags, ra))
COUNTED(error, count(EVENT_error), (ompt_severity_t severity, const char *message, size_t length, const void *ra),
	(severity, message, length, ra))

COUNTED(target_emi, count_endpoint(EVENT_target_begin, endpoint),
	(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_data_t *target_task,
	 ompt_data_t *target, const void *ra),
	(kind, endpoint, device, task, target_task, target, ra))
COUNTED(target_data_op_emi, count_endpoint(EVENT_target_data_op_begin, endpoint),
	(ompt_scope_endpoint_t endpoint, ompt_data_t *task, ompt_data_t *target, ompt_id_t *id, ompt_target_data_op_t type,
	 void *src, int src_device, void *dest, int dest_device, size_t n_bytes, const void *ra),
	(endpoint, task, target, id, type, src, src_device, dest, dest_device, n_bytes, ra))
COUNTED(target_submit_emi, count_endpoint(EVENT_target_submit_begin, endpoint),
	(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *id, unsigned requested), (endpoint, target, id, requested))
COUNTED(target_map_emi, count(EVENT_target_map),
	(ompt_data_t * target, unsigned n, void **host, void **device, size_t *bytes, unsigned *flags, const void *ra),
	(target, n, host, device, bytes, flags, ra))
COUNTED(target, count_endpoint(EVENT_target_begin, endpoint),
	(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t target, const void *ra),
	(kind, endpoint, device, task, target, ra))
COUNTED(target_data_op, count(EVENT_target_data_op),
	(ompt_id_t target, ompt_id_t id, ompt_target_data_op_t type, void *src, int src_device, void *dest, int dest_device,
	 size_t n_bytes, const void *ra),
	(target, id, type, src, src_device, dest, dest_device, n_bytes, ra))
COUNTED(target_submit, count(EVENT_target_submit), (ompt_id_t target, ompt_id_t id, unsigned requested), (target, id, requested))
COUNTED(device_initialize, count(EVENT_device_initialize),
	(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup, const char *documentation),
	(device, type, handle, lookup, documentation))
COUNTED(device_finalize, count(EVENT_device_finalize), (int device), (device))
COUNTED(device_load, count(EVENT_device_load),
	(int device, const char *file, int64_t offset, void *vma, size_t n_bytes, void *host, void *on_device, uint64_t module),
	(device, file, offset, vma, n_bytes, host, on_device, module))
COUNTED(device_unload, count(EVENT_device_unload), (int device, uint64_t module), (device, module))

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg, const void *ra)
{
	count(EVENT_control_tool);
	if (chained[ompt_callback_control_tool] != NULL)
		return ((ompt_callback_control_tool_t)chained[ompt_callback_control_tool])(command, modifier, arg, ra);
	return 0;
}

static void write_counts(void)
{
	const char *name = getenv("COUNT_FILE");
	if (name == NULL)
		return;
	char path[4096];
	snprintf(path, sizeof path, "%s.%ld", name, (long)getpid());
	FILE *f = fopen(path, "we");
	if (f == NULL)
		return;
		/* The recorder's own kinds have the callback "-". */
#define EVENT(number, name, group, callback, doc)                                                                                  \
	if (#callback[0] != '-')                                                                                                   \
		fprintf(f, #name " %lu\n", atomic_load(&counts[number]));
#include "common/events.def"
	fclose(f);
}

static ompt_set_result_t chain_set_callback(ompt_callbacks_t which, ompt_callback_t function)
{
	if (which > 0 && which < N_CALLBACKS && is_refused[which])
		return ompt_set_never;
	if (which <= 0 || which >= N_CALLBACKS || !is_counted[which])
		return runtime_set_callback(which, function);
	chained[which] = function;
	return results[which];
}

static ompt_interface_fn_t chain_lookup(const char *name)
{
	if (strcmp(name, "ompt_set_callback") == 0)
		return (ompt_interface_fn_t)chain_set_callback;
	return runtime_lookup(name);
}

static int tool_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)data;
	runtime_lookup = lookup;
	runtime_set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
#define SET(name)                                                                                                                  \
	is_counted[ompt_callback_##name] = 1,                                                                                      \
	results[ompt_callback_##name] = runtime_set_callback(ompt_callback_##name, (ompt_callback_t)on_##name)
	SET(thread_begin), SET(thread_end), SET(parallel_begin), SET(parallel_end), SET(implicit_task);
	SET(task_create), SET(task_schedule), SET(dependences), SET(task_dependence);
	SET(sync_region), SET(sync_region_wait), SET(reduction), SET(work), SET(dispatch), SET(masked);
	SET(mutex_acquire), SET(mutex_acquired), SET(mutex_released), SET(lock_init), SET(lock_destroy), SET(nest_lock);
	SET(flush), SET(cancel), SET(control_tool);
	/* A runtime of OpenMP 5.0 has the forms without an end, and never both. */
	if (getenv("COUNT_OLD") != NULL) {
		is_refused[ompt_callback_target_emi] = is_refused[ompt_callback_target_data_op_emi] = 1;
		is_refused[ompt_callback_target_submit_emi] = is_refused[ompt_callback_target_map_emi] = 1;
		SET(target), SET(target_data_op), SET(target_submit);
	} else {
		SET(target_emi), SET(target_data_op_emi), SET(target_submit_emi), SET(target_map_emi);
	}
	SET(device_initialize), SET(device_finalize), SET(device_load), SET(device_unload);
	/* LLVM's runtime dies of an error directive without a message where a tool asks for them: only where the recorder does, too. */
	const char *events = getenv("OTTER_EVENTS");
	if (events && strstr(events, "error"))
		SET(error);
	if (chain != NULL && !chain->initialize(chain_lookup, device, &chain->tool_data))
		fprintf(stderr, "count_tool: the chained tool declines\n");
	return 1;
}

static void tool_finalize(ompt_data_t *data)
{
	(void)data;
	if (chain != NULL)
		chain->finalize(&chain->tool_data);
	write_counts();
}

static void forked(void)
{
	for (size_t i = 0; i < EVENT_KIND_LIMIT; i++)
		atomic_store(&counts[i], 0);
}

static void __attribute__((destructor)) tool_unload(void)
{
	if (runtime_lookup != NULL)
		write_counts();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = {tool_initialize, tool_finalize, {0}};
	const char *next = getenv("COUNT_CHAIN");
	const char *other_runtime = getenv("COUNT_RUNTIME");
	if (next != NULL) {
		void *library = dlopen(next, RTLD_NOW | RTLD_LOCAL);
		ompt_start_tool_result_t *(*start)(unsigned, const char *) = NULL;
		if (library != NULL)
			*(void **)&start = dlsym(library, "ompt_start_tool");
		if (start == NULL)
			fprintf(stderr, "count_tool: %s: %s\n", next, dlerror());
		else
			chain = start(omp_version, other_runtime != NULL ? other_runtime : runtime_version);
	}
	pthread_atfork(NULL, NULL, forked);
	return &result;
}
