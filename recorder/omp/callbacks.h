/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks of OMPT: each makes one record of its arguments, and does nothing else. There is one function for each
 * callback of OpenMP 5.1, section 4.5.2, that common/events.def has. The ones that OTTER_EVENTS selects are registered.
 * The runtime calls them on any thread, also on threads that it never announced. They call only those entry points of
 * the runtime that section 4.6 allows.
 */
#ifndef OTTER_RECORDER_CALLBACKS_H
#define OTTER_RECORDER_CALLBACKS_H

#include <omp-tools.h>

/* callbacks_task.c: threads, regions, tasks */
void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data);
void on_thread_end(ompt_data_t *thread_data);
void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested, int flags,
		       const void *codeptr);
void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *codeptr);
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned actual, unsigned index,
		      int flags);
void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int has_dependences,
		    const void *codeptr);
void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
void on_dependences(ompt_data_t *task, const ompt_dependence_t *dependences, int n_dependences);
void on_task_dependence(ompt_data_t *source, ompt_data_t *sink);

/* callbacks_sync.c: what happens inside a task */
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
		    const void *codeptr);
void on_sync_region_unrecorded(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			       const void *codeptr);
void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
			 const void *codeptr);
void on_taskgroup_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
		       const void *codeptr);
void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
		  const void *codeptr);
void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, uint64_t count,
	     const void *codeptr);
void on_chunk(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance);
void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance);
void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, const void *codeptr);
void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr);
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);
void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);
void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr);
void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr);
void on_flush(ompt_data_t *thread_data, const void *codeptr);
void on_cancel(ompt_data_t *task, int flags, const void *codeptr);

/* callbacks_control.c: commands of the program and messages of the runtime */
int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr);
void on_error(ompt_severity_t severity, const char *message, size_t length, const void *codeptr);

/* device/callbacks_target.c: target constructs and devices, by the host's events. For each callback there is the _emi
 * form, and the older form that is registered where the runtime has no _emi form. */
void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_data_t *target_task,
		   ompt_data_t *target, const void *codeptr);
void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task, ompt_id_t id,
	       const void *codeptr);
void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target, ompt_id_t *id,
			   ompt_target_data_op_t type, void *src, int src_device, void *dest, int dest_device, size_t n_bytes,
			   const void *codeptr);
void on_target_data_op(ompt_id_t target, ompt_id_t id, ompt_target_data_op_t type, void *src, int src_device, void *dest,
		       int dest_device, size_t n_bytes, const void *codeptr);
void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *id, unsigned requested);
void on_target_submit(ompt_id_t target, ompt_id_t id, unsigned requested);
void on_target_map_emi(ompt_data_t *target, unsigned n, void **host, void **device, size_t *n_bytes, unsigned *flags,
		       const void *codeptr);
void on_target_map(ompt_id_t target, unsigned n, void **host, void **device, size_t *n_bytes, unsigned *flags, const void *codeptr);
void on_device_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
			  const char *documentation);
void on_device_finalize(int device);
void on_device_load(int device, const char *filename, int64_t offset, void *vma, size_t n_bytes, void *host, void *on_device,
		    uint64_t module);
void on_device_unload(int device, uint64_t module);

/* The id that the runtime keeps for us. A runtime may pass no object at all (quirks Q2, Q4): then the id is 0. */
static inline uint64_t id_of(const ompt_data_t *data)
{
	return __builtin_expect(data != NULL, 1) ? data->value : 0;
}

#endif
