/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Logs the slices of each thread during the replay, on the thread of each stream: see slices.h.
 *
 * Events show which task was current before them. So at each event that may change it, the time since the last such event is
 * known: a slice begins at the last event, and ends at the last event at which its task was still current.
 */
#include "builder/slices/slices.h"
#include "builder/support/array.h"
#include "builder/support/text.h"

#include <stdlib.h>

#define WHAT "slices"

int slices_open(struct slices *slices, const char *dir, const char *name)
{
	slices->dir = text_copy(dir);
	return spill_open(&slices->spill, slices->dir, name);
}

void slices_begin(struct slices *slices, const struct trace *trace)
{
	const struct model *m = &trace->model;
	slices->trace = trace;
	slices->m = m;
	slices->n_items = m->n_tasks + m->n_units;
	slices->streams = memory_zeroed(trace->dump.n_streams, sizeof *slices->streams, WHAT);
	slices->n_slices = memory_zeroed(slices->n_items, sizeof *slices->n_slices, WHAT);
	slices->flags = memory_zeroed(slices->n_items, sizeof *slices->flags, WHAT);
	slices->forks = memory_zeroed(m->n_regions, sizeof *slices->forks, WHAT);
	slices->waiting = memory_zeroed(m->n_tasks, sizeof *slices->waiting, WHAT);
	if (slices->states != NULL)
		slices->sync_of = memory_zeroed(m->n_tasks, sizeof *slices->sync_of, WHAT);
	if (m->n_units != 0) {
		slices->resumed = memory_zeroed(m->n_units, sizeof *slices->resumed, WHAT);
		slices->stopped = memory_zeroed(m->n_units, sizeof *slices->stopped, WHAT);
	}
}

static void free_process(struct slices *slices)
{
	for (size_t i = 0; slices->streams != NULL && i < slices->trace->dump.n_streams; i++) {
		log_free(&slices->streams[i].slices);
		log_free(&slices->streams[i].states);
		free(slices->streams[i].waits);
		free(slices->streams[i].arrivals);
	}
	void *const tables[] = {slices->streams,        slices->n_slices,      slices->flags,         slices->forks,
				slices->waiting,        slices->leaving.first, slices->leaving.edges, slices->arriving.first,
				slices->arriving.edges, slices->members,       slices->first_member,  slices->file_first,
				slices->file_last,      slices->arrivals,      slices->first_arrival, slices->resumed,
				slices->stopped,        slices->releases,      slices->release_order, slices->sync_of,
				slices->delays.delays,  slices->gots};
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		free(tables[i]);
	*slices = (struct slices){
		.beside = slices->beside, .is_without_flows = slices->is_without_flows, .spill = slices->spill, .dir = slices->dir};
}

int slices_end(struct slices *slices)
{
	free_process(slices);
	return spill_empty(&slices->spill);
}

void slices_close(struct slices *slices)
{
	free_process(slices);
	spill_close(&slices->spill);
	free(slices->dir);
	slices->dir = NULL;
}

/* ---- The log of a stream ---- */

enum {
	HAS_WAIT = 4,
	HAS_STARTS = 8,
	HAS_ARRIVAL = 16,
	HAS_RELEASE = 32
}; /* bits in addition to the slice_piece, in the first byte of a record */

static int put(struct slices *slices, struct slice_stream *s, enum slice_piece piece, uint64_t ticks)
{
	const struct window *window = &slices->m->window;
	uint64_t begin_ticks = window_clip(window, s->begin_ticks), clipped_ticks = window_clip(window, ticks);
	uint64_t at_ticks = piece == SLICE_WHOLE || piece == SLICE_BEGIN ? begin_ticks : clipped_ticks;
	char *at = log_begin(&s->slices, (SLICE_STARTS_MAX + 8) * VARINT_MAX);
	bool is_begin = piece == SLICE_WHOLE || piece == SLICE_BEGIN, has_starts = piece != SLICE_END && s->n_starts > 0;
	bool has_wait = is_begin && s->wait != 0, has_arrival = is_begin && s->arrival != 0,
	     has_release = is_begin && s->release != 0;
	*at++ = (char)(piece | (has_wait ? HAS_WAIT : 0) | (has_starts ? HAS_STARTS : 0) | (has_arrival ? HAS_ARRIVAL : 0) |
		       (has_release ? HAS_RELEASE : 0));
	at = varint_put(at, at_ticks - s->slices.ticks);
	at = varint_put_change(at, s->item, s->slices.value);
	at = varint_put(at, s->ordinal);
	if (piece != SLICE_BEGIN)
		at = varint_put(at, clipped_ticks - begin_ticks);
	if (has_wait)
		at = varint_put(at, s->wait);
	if (has_arrival)
		at = varint_put(at, s->arrival);
	if (has_release)
		at = varint_put(at, s->release);
	if (has_starts) {
		at = varint_put(at, s->n_starts);
		uint32_t before = s->item;
		for (size_t i = 0; i < s->n_starts; i++) {
			at = varint_put_change(at, s->starts[i], before);
			before = s->starts[i];
		}
		s->n_starts = 0;
	}
	s->slices.value = s->item;
	return log_end(&s->slices, &slices->spill, at, begin_ticks, piece == SLICE_BEGIN ? begin_ticks : clipped_ticks);
}

/*
 * The open slice will be in the log: gives it its number, and links it to the wait, arrival or release that it follows. Called
 * while its task is still current: afterwards another stream may resume the task.
 */
static void settle(struct slices *slices, struct slice_stream *s)
{
	s->is_settled = true;
	if (s->item == ITEM_LOST)
		return;
	s->ordinal = slices->n_slices[s->item]++;
	const struct slice_wait *latest = &s->latest;
	if (!slices->is_without_flows && latest->task == s->item && latest->task != 0 && latest->end_ticks == s->begin_ticks) {
		array_push(s->waits, s->n_waits, s->waits_capacity, *latest);
		s->wait = (uint32_t)s->n_waits;
	}
	s->latest.task = 0;
	slices_go_on(slices, s);
	if (s->item >= slices->m->n_tasks)
		slices->m->tasking->slices->go_on(slices, s, s->item - slices->m->n_tasks);
}

static int close_slice(struct slices *slices, struct slice_stream *s, uint64_t ticks)
{
	int rc = 0;
	if (s->item == ITEM_NONE)
		return 0;
	if (s->is_written) {
		if (s->n_starts > 0)
			rc = put(slices, s, SLICE_MORE, s->starts_ticks);
		rc |= put(slices, s, SLICE_END, ticks);
	} else if (s->is_settled)
		rc = put(slices, s, SLICE_WHOLE, ticks);
	if (s->is_settled && s->item != ITEM_LOST) {
		s->last.item = s->item;
		s->last.ordinal = s->ordinal;
		s->last.begin_ticks = s->begin_ticks;
		s->last.end_ticks = ticks;
		if (s->item >= slices->m->n_tasks)
			slices->stopped[s->item - slices->m->n_tasks] = ticks;
	}
	s->item = ITEM_NONE;
	s->n_starts = 0;
	return rc;
}

/* The item that is shown as current: no task that waits for others, and none of the runtime's own. */
static uint32_t item_at(const struct slices *slices, const struct slice_stream *s, const struct point *at)
{
	const struct model *m = slices->m;
	if (s->is_lost)
		return ITEM_LOST;
	if (at->unit != 0)
		return m->n_tasks + at->unit;
	if (at->task == 0 || m->tasks[at->task].state & TASK_HELPER || !(m->tasks[at->task].state & TASK_SEEN))
		return ITEM_NONE;
	return slices->waiting[at->task] == 0 ? at->task : ITEM_NONE;
}

int slices_catch_up(struct slices *slices, const struct point *at)
{
	struct slice_stream *s = &slices->streams[at->stream];
	uint64_t ticks = at->ticks > s->last_ticks ? at->ticks : s->last_ticks;
	uint32_t item = item_at(slices, s, at);
	int rc = 0;
	if (item != s->item && s->is_begun) {
		rc = close_slice(slices, s, s->last_ticks);
		s->item = item;
		s->begin_ticks = s->last_ticks;
		s->is_written = s->is_settled = false;
		s->wait = s->arrival = s->release = 0;
	}
	s->is_begun = true;
	s->last_ticks = ticks;
	if (s->item != ITEM_NONE && !s->is_settled && window_meets(&slices->m->window, s->begin_ticks, ticks))
		settle(slices, s);
	return rc;
}

int slices_start(struct slices *slices, const struct point *at, uint32_t what)
{
	struct slice_stream *s = &slices->streams[at->stream];
	const struct window *window = &slices->m->window;
	if (slices->is_without_flows || s->item == ITEM_NONE || s->item == ITEM_LOST || !window_meets(window, at->ticks, at->ticks))
		return 0;
	int rc = 0;
	if (s->n_starts == SLICE_STARTS_MAX) {
		rc = put(slices, s, s->is_written ? SLICE_MORE : SLICE_BEGIN, s->starts_ticks);
		s->is_written = true;
	}
	if (s->n_starts == 0)
		s->starts_ticks = s->last_ticks;
	s->starts[s->n_starts++] = what;
	if (what < slices->n_items)
		slices->flags[what] |= SLICE_HAS_CREATOR;
	else
		slices->forks[what - slices->n_items] = 1;
	return rc;
}

/* ---- Events of the replay ---- */

static int any_event(void *self, const struct point *at)
{
	return slices_catch_up(self, at);
}

static int stream_end(void *self, const struct point *at)
{
	struct slices *slices = self;
	struct slice_stream *s = &slices->streams[at->stream];
	if (slices_catch_up(slices, at) != 0)
		return -1;
	s->is_begun = false;
	return close_slice(slices, s, s->last_ticks);
}

static int region_begin(void *self, const struct point *at, uint32_t region)
{
	struct slices *slices = self;
	uint32_t task = slices->m->regions[region].task;
	if (slices_catch_up(slices, at) != 0 || (task == at->task && slices_start(slices, at, slices->n_items + region) != 0))
		return -1;
	if (task != 0 && task == at->task)
		slices->waiting[task]++;
	return 0;
}

static int region_end(void *self, const struct point *at, uint32_t region)
{
	struct slices *slices = self;
	uint32_t task = slices->m->regions[region].task;
	if (slices_catch_up(slices, at) != 0)
		return -1;
	if (slices->waiting[task] > 0)
		slices->waiting[task]--;
	slices_leave_region(slices, at, region);
	return 0;
}

static int implicit_end(void *self, const struct point *at, uint32_t task)
{
	slices_end_member(self, at, task);
	return slices_catch_up(self, at);
}

static int of_task(void *self, const struct point *at, uint32_t task)
{
	(void)task;
	return slices_catch_up(self, at);
}

static int task_create(void *self, const struct point *at, uint32_t task)
{
	struct slices *slices = self;
	const struct sink *beside = &slices->beside;
	if (slices_catch_up(slices, at) != 0 || (beside->ops != NULL && beside->ops->task_create(beside->self, at, task) != 0))
		return -1;
	return slices->m->tasks[task].flags & task_flags_taskwait ? 0 : slices_start(slices, at, task);
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct slices *slices = self;
	const struct sink *beside = &slices->beside;
	if (slices_catch_up(slices, at) != 0)
		return -1;
	return beside->ops != NULL ? beside->ops->task_switch(beside->self, at, prior, next, status) : 0;
}

static int scope_enter(void *self, const struct point *at, struct scope *scope)
{
	struct slices *slices = self;
	slices_enter_scope(slices, at, scope);
	if (!slices_is_wait(scope))
		return 0;
	if (slices_catch_up(slices, at) != 0)
		return -1;
	if (at->task != 0)
		slices->waiting[at->task]++;
	return 0;
}

static int scope_leave(void *self, const struct point *at, struct scope *scope)
{
	struct slices *slices = self;
	struct slice_stream *s = &slices->streams[at->stream];
	if (scope->type == SCOPE_SYNC && scope->kind == sync_kind_taskgroup && s->latest.task == at->task)
		s->latest.node_ticks = at->ticks;
	if (!slices_is_wait(scope))
		return 0;
	if (slices_catch_up(slices, at) != 0)
		return -1;
	if (slices->waiting[at->task] > 0)
		slices->waiting[at->task]--;
	if (scope->kind == sync_kind_taskwait || scope->kind == sync_kind_taskgroup)
		s->latest = (struct slice_wait){at->task, 0, scope->enter_ticks, at->ticks, at->ticks, 0};
	else if (scope->type == SCOPE_SYNC)
		slices_leave_barrier(slices, at, scope);
	slices_leave_scope(slices, at, scope);
	return 0;
}

static int records_missing(void *self, const struct point *at, bool is_begin)
{
	struct slices *slices = self;
	if (slices_catch_up(slices, at) != 0)
		return -1;
	slices->streams[at->stream].is_lost = is_begin;
	return 0;
}

const struct replay_ops slices_ops = {
	.stream_begin = any_event,
	.stream_end = stream_end,
	.region_begin = region_begin,
	.region_end = region_end,
	.implicit_begin = of_task,
	.implicit_end = implicit_end,
	.task_create = task_create,
	.task_switch = task_switch,
	.scope_enter = scope_enter,
	.scope_leave = scope_leave,
	.mutex = slices_mutex,
	.thread_end = any_event,
	.thread_detach = any_event,
	.records_missing = records_missing,
	.is_by_stream = true,
};

int slices_pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct slices *slices = self;
	struct log *log = &slices->streams[stream].states;
	const struct window *window = &slices->m->window;
	const struct sink *beside = &slices->beside;
	if (beside->pass_state != NULL && beside->pass_state(beside->self, stream, from, since_ticks, to, ticks) != 0)
		return -1;
	uint32_t construct = slices->states != NULL ? slices_wait_construct(slices, stream, from) : 0;
	uint32_t waiter = slices->streams[stream].waiter;
	if (slices->states != NULL)
		slices->streams[stream].waiter = states_current(slices->states, stream);
	if (from == STATE_NONE || state_is_nothing(from, since_ticks, ticks) || !window_meets(window, since_ticks, ticks))
		return 0;
	uint64_t begin_ticks = window_clip(window, since_ticks), end_ticks = window_clip(window, ticks);
	char *at = log_begin(log, 1 + 4 * VARINT_MAX);
	*at++ = (char)(from | (construct != 0 ? STATE_HAS_PLACE : 0));
	at = varint_put(at, begin_ticks - log->ticks);
	at = varint_put(at, end_ticks - begin_ticks);
	if (construct != 0)
		at = varint_put_change(varint_put(at, construct), waiter, log->value);
	log->value = construct != 0 ? waiter : log->value;
	return log_end(log, &slices->spill, at, begin_ticks, end_ticks);
}
