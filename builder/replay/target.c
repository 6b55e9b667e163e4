/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of what the host does for devices: target regions, operations on data, launches. They are scopes of the task that does them, the
 * target task or the one that encounters the construct; what they are is in the rows that gather made, one a record of a begin, in the same order.
 */
#include "builder/replay/state.h"

static enum construct_kind target_construct(unsigned kind)
{
	switch (kind) {
	case target_kind_enter_data:
	case target_kind_enter_data_nowait: return CONSTRUCT_TARGET_ENTER_DATA;
	case target_kind_exit_data:
	case target_kind_exit_data_nowait: return CONSTRUCT_TARGET_EXIT_DATA;
	case target_kind_update:
	case target_kind_update_nowait: return CONSTRUCT_TARGET_UPDATE;
	default: return CONSTRUCT_TARGET;
	}
}

static enum construct_kind data_construct(unsigned kind)
{
	bool is_known = kind >= target_data_op_alloc && kind <= target_data_op_transfer_rect;
	return is_known ? (enum construct_kind)(CONSTRUCT_DATA_ALLOC + (kind - target_data_op_alloc)) : CONSTRUCT_DATA_UNKNOWN;
}

/* The innermost target region that the current task has open. */
static const struct scope *open_target(const struct replay *r, const struct stream_state *s)
{
	const struct frame *frame = frames_find(&r->frames, s->task, s->row);
	for (uint32_t n = frame != NULL ? frame->n_scopes : 0; n > 0; n--)
		if (frame->scopes[n - 1].type == SCOPE_TARGET)
			return &frame->scopes[n - 1];
	return NULL;
}

/* The row of the operation that begins now. */
static uint32_t next_operation(struct replay *r, struct stream_state *s)
{
	uint32_t row = r->model->operation_base[s->row] + s->n_operations++;
	r->model->operations[row].task = s->task;
	return row;
}

static int enter(struct replay *r, struct stream_state *s, struct scope scope, uint64_t ticks)
{
	r->model->operations[scope.operation].construct = scope.construct;
	return replay_enter_scope(r, s, scope, ticks);
}

static int target_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	unsigned kind = record_flags(record);
	struct scope scope = {.type = SCOPE_TARGET,
			      .kind = kind,
			      .construct = model_construct(r->model, target_construct(kind), record->b),
			      .operation = next_operation(r, s)};
	return enter(r, s, scope, record->time);
}

/* An operation whose record does not say whose it is belongs to the region around it. */
static void join_region(struct replay *r, struct operation *o, const struct scope *region)
{
	if (o->target == 0 && region != NULL)
		o->target = region->operation;
	if (o->type == OPERATION_SUBMIT)
		o->device = o->target != 0 ? r->model->operations[o->target].device : DEVICE_HOST;
}

static int data_op_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t row = next_operation(r, s);
	struct operation *o = &r->model->operations[row];
	join_region(r, o, open_target(r, s));
	struct scope scope = {.type = SCOPE_DATA_OP,
			      .kind = o->kind,
			      .construct = model_construct(r->model, data_construct(o->kind), record->b),
			      .operation = row};
	return enter(r, s, scope, record->time);
}

static int submit_begin(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint32_t row = next_operation(r, s);
	const struct scope *region = open_target(r, s);
	join_region(r, &r->model->operations[row], region);
	/* The callback has no return address: the region's. */
	uint64_t codeptr = region != NULL ? r->model->constructs[region->construct].codeptr : 0;
	struct scope scope = {
		.type = SCOPE_SUBMIT, .construct = model_construct(r->model, CONSTRUCT_SUBMIT, codeptr), .operation = row};
	return enter(r, s, scope, record->time);
}

int replay_target_record(struct replay *r, struct stream_state *s, const struct record *record)
{
	uint64_t ticks = record->time;
	switch (record_kind(record)) {
	case EVENT_target_begin: return target_begin(r, s, record);
	case EVENT_target_end: return replay_leave_scope(r, s, SCOPE_TARGET, record_flags(record), ticks);
	case EVENT_target_data_op_begin: return data_op_begin(r, s, record);
	case EVENT_target_data_op_end:
		return replay_leave_scope(r, s, SCOPE_DATA_OP, operation_sync_kind(record_flags(record)), ticks);
	case EVENT_target_data_op:
		if (data_op_begin(r, s, record) != 0)
			return -1;
		return replay_leave_scope(r, s, SCOPE_DATA_OP, operation_sync_kind(record_flags(record)), ticks);
	case EVENT_target_submit_begin: return submit_begin(r, s, record);
	case EVENT_target_submit_end: return replay_leave_scope(r, s, SCOPE_SUBMIT, 0, ticks);
	case EVENT_target_submit:
		if (submit_begin(r, s, record) != 0)
			return -1;
		return replay_leave_scope(r, s, SCOPE_SUBMIT, 0, ticks);
	case EVENT_target_map:
	case EVENT_device_initialize:
	case EVENT_device_finalize:
	case EVENT_device_load:
	case EVENT_device_unload: replay_point(s, ticks); return 0;
	default: return 1;
	}
}
