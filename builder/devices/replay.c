/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The replay of what the host does for devices: target regions, operations on data, launches. They are scopes of the
 * task that does them: the target task, or the task that encounters the construct. Gather has made a row of
 * model.operations for each record of a begin, in the same order, so the n-th begin of a stream has its n-th row. Runs on the
 * thread that replays the stream.
 */
#include "builder/devices/devices.h"
#include "builder/replay/state.h"

/* Enters the scope of the operation that begins now. */
static int operation_begin(struct replay *r, struct stream_state *s, enum scope_type type, unsigned kind, uint64_t ticks)
{
	uint32_t row = r->model->operation_base[s->row] + s->n_operations++;
	const struct operation *o = &r->model->operations[row];
	struct scope scope = {
		.type = type, .paradigm = paradigms[PARADIGM_devices], .kind = kind, .construct = o->construct, .operation = row};
	return replay_enter_scope(r, s, &scope, ticks);
}

/* Are there records that the hook below takes? */
static bool has_records(const struct model *m)
{
	bool has = m->n_operations > 1;
	for (unsigned kind = EVENT_target_begin; kind <= EVENT_device_unload; kind++)
		has = has || m->n_events[kind] != 0;
	return has;
}

void *devices_replay_begin(struct replay *r)
{
	return has_records(r->model) ? r : NULL;
}

int devices_replay_other(void *self, struct stream_state *s, const struct record *record)
{
	struct replay *r = self;
	uint64_t ticks = record->time;
	unsigned data_kind = operation_sync_kind(record_flags(record));
	switch (record_kind(record)) {
	case EVENT_target_begin: return operation_begin(r, s, SCOPE_TARGET, record_flags(record), ticks);
	case EVENT_target_end: return replay_leave_scope(r, s, SCOPE_TARGET, record_flags(record), ticks);
	case EVENT_target_data_op_begin: return operation_begin(r, s, SCOPE_DATA_OP, data_kind, ticks);
	case EVENT_target_data_op_end: return replay_leave_scope(r, s, SCOPE_DATA_OP, data_kind, ticks);
	case EVENT_target_data_op:
		if (operation_begin(r, s, SCOPE_DATA_OP, data_kind, ticks) != 0)
			return -1;
		return replay_leave_scope(r, s, SCOPE_DATA_OP, data_kind, ticks);
	case EVENT_target_submit_begin: return operation_begin(r, s, SCOPE_SUBMIT, 0, ticks);
	case EVENT_target_submit_end: return replay_leave_scope(r, s, SCOPE_SUBMIT, 0, ticks);
	case EVENT_target_submit:
		if (operation_begin(r, s, SCOPE_SUBMIT, 0, ticks) != 0)
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
