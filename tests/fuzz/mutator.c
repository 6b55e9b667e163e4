/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libFuzzer's mutations, which know what an input is: whole units are added, taken away, moved and changed, and mostly to something that a
 * record may be. What comes in by plain bytes would lose the units' bounds.
 */
#include "tests/fuzz/image.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t n_bytes, size_t max_bytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_bytes, size_t max_bytes, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t n_left, const uint8_t *right, size_t n_right, uint8_t *out,
				 size_t max_bytes, unsigned seed);

struct dice {
	uint64_t state;
};

static uint32_t roll(struct dice *dice, uint32_t n)
{
	dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(dice->state >> 33) % n;
}

/* ---- Pieces of a program ---- */

#define ID(stream, counter) (uint8_t)((counter) << 2 | (stream))

/* Stream 0 is the primary thread, task 1 its initial task, 2 its implicit task in region 2; streams 1 and 2 are workers. */
static const struct unit root_begin[] = {
	{EVENT_thread_attach, 0, 1, 0, 0, 10, 1, 0},
	{EVENT_thread_begin, 0, 1, thread_type_initial, 0, 0, 0, 0},
	{EVENT_implicit_task_begin, 0, 1, task_flags_initial, ID(0, 1), ID(0, 1), 1, 0x10},
};
static const struct unit region_begin[] = {
	{EVENT_parallel_begin, 0, 1, parallel_flags_invoker_runtime | parallel_flags_team, ID(0, 2), 2, 1, 0},
	{EVENT_implicit_task_begin, 0, 1, task_flags_implicit, ID(0, 2), ID(0, 2), 2, 0},
};
static const struct unit worker_begin[] = {
	{EVENT_thread_attach, 1, 1, 0, 0, 11, 1, 0},
	{EVENT_thread_begin, 1, 1, thread_type_worker, 0, 0, 0, 0},
	{EVENT_implicit_task_begin, 1, 1, task_flags_implicit, ID(1, 1), ID(0, 2), 2, 0x10},
};
static const struct unit closing[] = {
	{EVENT_sync_region_begin, 0, 1, sync_kind_barrier_implicit_parallel, 0, ID(0, 2), 1, 0},
	{EVENT_sync_region_end, 0, 1, sync_kind_barrier_implicit_parallel, 0, ID(0, 2), 1, 0},
	{EVENT_implicit_task_end, 0, 1, task_flags_implicit, 0, ID(0, 2), 2, 0},
	{EVENT_parallel_end, 0, 1, parallel_flags_team, ID(0, 2), ID(0, 1), 1, 0},
};
static const struct unit worker_closing[] = {
	{EVENT_sync_region_begin, 1, 1, sync_kind_barrier_implicit_parallel, 0, ID(1, 1), 1, 0},
	{EVENT_sync_region_end, 1, 1, sync_kind_barrier_implicit_parallel, 0, ID(1, 1), 1, 0},
	{EVENT_implicit_task_end, 1, 1, task_flags_implicit, 0, ID(1, 1), 0, 0x10},
	{EVENT_thread_end, 1, 1, 0, 0, 0, 0, 0},
};
static const struct unit task[] = {
	{EVENT_task_create, 0, 1, task_flags_explicit, ID(0, 8), ID(0, 2), 2, 0},
	{EVENT_task_schedule, 0, 1, task_status_switch, 0, ID(0, 2), ID(0, 8), 0},
	{EVENT_task_schedule, 0, 1, task_status_complete, 0, ID(0, 8), ID(0, 2), 0},
};
static const struct unit moved_task[] = {
	{EVENT_task_create, 0, 1, task_flags_explicit | task_flags_untied, ID(0, 9), ID(0, 2), 3, 0},
	{EVENT_task_schedule, 0, 1, task_status_switch, 0, ID(0, 2), ID(0, 9), 0},
	{EVENT_task_schedule, 0, 1, task_status_yield, 0, ID(0, 9), ID(0, 2), 0},
	{EVENT_task_schedule, 1, 1, task_status_switch, 0, ID(1, 1), ID(0, 9), 0},
	{EVENT_task_schedule, 1, 1, task_status_complete, 0, ID(0, 9), ID(1, 1), 0},
};
static const struct unit detached_task[] = {
	{EVENT_task_create, 0, 1, task_flags_explicit, ID(0, 10), ID(0, 2), 4, 0},
	{EVENT_task_schedule, 0, 1, task_status_switch, 0, ID(0, 2), ID(0, 10), 0},
	{EVENT_task_schedule, 0, 1, task_status_detach, 0, ID(0, 10), ID(0, 2), 0},
	{EVENT_task_schedule, 1, 1, task_status_late_fulfill, 0, ID(0, 10), 0, 0},
};
static const struct unit dependent_task[] = {
	{EVENT_task_create, 0, 1, task_flags_explicit, ID(0, 11), ID(0, 2), 5, 4},
	{EVENT_dependences, 0, 1, dependence_type_mutexinoutset, 4, ID(0, 11), 0xb1, 0},
	{EVENT_dependences_more, 0, 0xb2, 3, 0, 0xb3, 0xb4, 0},
	{EVENT_task_dependence, 0, 1, 0, 0, ID(0, 8), ID(0, 11), 0},
};
static const struct unit wait_with_dependences[] = {
	{EVENT_task_create, 0, 1, task_flags_taskwait | task_flags_undeferred, ID(0, 12), ID(0, 2), 6, 4},
	{EVENT_dependences, 0, 1, dependence_type_inout, 1, 0, 0xb1, 0},
	{EVENT_task_schedule, 0, 1, task_status_taskwait_complete, 0, 0, 0, 0},
	{EVENT_task_create, 0, 1, task_flags_explicit | task_flags_undeferred, ID(0, 13), ID(0, 2), 6, 0},
};
static const struct unit taskgroup[] = {
	{EVENT_sync_region_begin, 0, 1, sync_kind_taskgroup, 0, ID(0, 2), 7, 0},
	{EVENT_task_create, 0, 1, task_flags_explicit, ID(0, 14), ID(0, 2), 2, 0},
	{EVENT_sync_region_end, 0, 1, sync_kind_taskgroup, 0, ID(0, 2), 7, 0},
};
static const struct unit taskwait[] = {
	{EVENT_sync_region_begin, 0, 1, sync_kind_taskwait, 0, ID(0, 2), 8, 0},
	{EVENT_sync_region_wait_begin, 0, 1, sync_kind_taskwait, 0, ID(0, 2), 8, 0},
	{EVENT_sync_region_wait_end, 0, 1, sync_kind_taskwait, 0, ID(0, 2), 8, 0},
	{EVENT_sync_region_end, 0, 1, sync_kind_taskwait, 0, ID(0, 2), 8, 0},
};
static const struct unit reduction[] = {
	{EVENT_sync_region_begin, 0, 1, sync_kind_barrier_implementation, 0, ID(0, 2), 9, 0},
	{EVENT_reduction_begin, 0, 1, sync_kind_reduction, 0, ID(0, 2), 0, 0},
	{EVENT_reduction_end, 0, 1, sync_kind_reduction, 0, ID(0, 2), 0, 0},
	{EVENT_sync_region_end, 0, 1, sync_kind_barrier_implementation, 0, ID(0, 2), 9, 0},
	{EVENT_sync_region_begin, 0, 1, sync_kind_barrier_implicit, 0, ID(0, 2), 9, 0},
	{EVENT_sync_region_end, 0, 1, sync_kind_barrier_implicit, 0, ID(0, 2), 9, 0},
};
static const struct unit loop[] = {
	{EVENT_work_begin, 0, 1, work_kind_loop_dynamic, 0, 100, 10, 0},
	{EVENT_dispatch, 0, 1, dispatch_kind_ws_loop_chunk, 0, 5, 6, 0},
	{EVENT_work_end, 0, 1, work_kind_loop_dynamic, 0, 0, 10, 0},
};
static const struct unit single[] = {
	{EVENT_work_begin, 0, 1, work_kind_single_executor, 0, 1, 11, 0},
	{EVENT_masked_begin, 0, 1, 0, 0, ID(0, 2), 12, 0},
	{EVENT_masked_end, 0, 1, 0, 0, ID(0, 2), 12, 0},
	{EVENT_work_end, 0, 1, work_kind_single_executor, 0, 1, 11, 0},
};
static const struct unit critical[] = {
	{EVENT_mutex_acquire, 0, 1, mutex_kind_critical, 1, 0xb8, 13, 0x10},
	{EVENT_mutex_acquired, 0, 1, mutex_kind_critical, 0, 0xb8, 13, 0},
	{EVENT_mutex_released, 0, 1, mutex_kind_critical, 0, 0xb8, 0, 0},
};
static const struct unit lock[] = {
	{EVENT_lock_init, 0, 1, mutex_kind_nest_lock, 1, 0xb9, 14, 0},
	{EVENT_mutex_acquire, 1, 1, mutex_kind_nest_lock, 1, 0xb9, 14, 0},
	{EVENT_mutex_acquired, 1, 1, mutex_kind_nest_lock, 0, 0xb9, 14, 0},
	{EVENT_nest_lock_begin, 1, 1, 0, 0, 0xb9, 14, 0},
	{EVENT_nest_lock_end, 1, 1, 0, 0, 0xb9, 14, 0},
	{EVENT_mutex_released, 1, 1, mutex_kind_nest_lock, 0, 0xb9, 14, 0},
	{EVENT_lock_destroy, 0, 1, mutex_kind_nest_lock, 0, 0xb9, 14, 0},
};
static const struct unit league[] = {
	{EVENT_parallel_begin, 0, 1, parallel_flags_league, ID(0, 3), 1, 15, 0},
	{EVENT_implicit_task_begin, 0, 1, task_flags_initial, ID(0, 4), ID(0, 3), 1, 0},
	{EVENT_parallel_begin, 0, 1, parallel_flags_team, ID(0, 4), 2, 0, 0},
	{EVENT_implicit_task_begin, 0, 1, task_flags_implicit, ID(0, 5), ID(0, 4), 1, 0},
	{EVENT_implicit_task_end, 0, 1, task_flags_implicit, 0, ID(0, 5), 1, 0},
	{EVENT_parallel_end, 0, 1, parallel_flags_team, ID(0, 4), ID(0, 4), 0, 0},
	{EVENT_implicit_task_end, 0, 1, task_flags_initial, 0, ID(0, 4), 1, 0},
	{EVENT_parallel_end, 0, 1, parallel_flags_league, ID(0, 3), ID(0, 1), 15, 0},
};
static const struct unit pause_[] = {
	{EVENT_control_tool, 0, 1, 0, 0, 2, 0, 0},
	{EVENT_control_tool_more, 0, 0, 0, 0, 1, 16, 0},
	{EVENT_recording_off, 0, 1, off_reason_paused, 0, 0, 0, 0},
	{EVENT_recording_on, 0, 1, 0, 0, ID(0, 2), ID(0, 2), 0},
	{EVENT_records_lost, 1, 1, loss_cause_full, 0, 3, 0, 0},
	{EVENT_buffer_flush, 1, 1, 0, 9, 20, 0, 0},
	{EVENT_error, 0, 1, severity_warning, 30, 0, 17, 0},
	{EVENT_text, 0, 65, 24, 0, 66, 67, 0},
	{EVENT_text, 0, 68, 6, 0, 0, 0, 0},
};

static const struct unit target[] = {
	{EVENT_device_initialize, 0, 1, 0, 1, 0, 6, 0},
	{EVENT_target_begin, 0, 1, target_kind_target, 1, 1, 18, 0},
	{EVENT_target_data_op_begin, 0, 1, target_data_op_alloc, 0, 2, 19, 0},
	{EVENT_target_data_op_more, 0, 66, 0, 1, 67, 100, 0},
	{EVENT_target_data_op_end, 0, 1, target_data_op_alloc, 0, 2, 19, 0},
	{EVENT_target_submit_begin, 0, 1, 0, 4, 3, 1, 0},
	{EVENT_target_submit_end, 0, 1, 0, 4, 3, 1, 0},
	{EVENT_target_data_op, 0, 1, target_data_op_delete, 0, 4, 19, 0},
	{EVENT_target_end, 0, 1, target_kind_target, 1, 1, 18, 0},
	{EVENT_device_finalize, 0, 1, 0, 1, 0, 0, 0},
};

/* Argobots: handle 40 is the primary unit's, 41 its scheduler's, 50 that of a unit which it creates, waits for and frees. */
#define UNIT(kind) OP_OF_KIND(EVENT_unit_##kind)
static const struct unit library_begin[] = {
	{EVENT_thread_attach, 0, 1, 0, 0, 10, 1, 0}, {UNIT(begin), 0, 1, 0, 0, 40, 30, 0},
	{UNIT(suspend), 0, 1, 0x12, 0, 40, 0, 0},    {UNIT(resume), 0, 1, 0, 4, 40, 40, 0},
	{UNIT(run), 0, 1, 0x10, 0, 40, 41, 0},
};
static const struct unit joined_unit[] = {
	{UNIT(create), 0, 1, 0, 4, 50, 40, 0}, {EVENT_unit_more, 0, 30, 0, 64, 20, 0, 0}, {UNIT(suspend), 0, 1, 0x14, 0, 40, 50, 0},
	{UNIT(run), 0, 1, 0x10, 0, 50, 40, 0}, {UNIT(finish), 0, 1, 0x10, 0, 50, 0, 0},   {UNIT(resume), 0, 1, 0, 4, 40, 50, 0},
	{UNIT(run), 0, 1, 0x10, 0, 40, 50, 0}, {UNIT(join), 0, 1, 0, 0, 50, 40, 0},       {UNIT(free), 0, 1, 0, 0, 50, 40, 0},
};
static const struct unit polling_unit[] = {
	{UNIT(yield), 0, 1, 0x14, 4, 40, 50, 0},
	{UNIT(run), 0, 1, 0x10, 0, 40, 41, 0},
	{UNIT(yield), 0, 1, 0x14, 4, 40, 50, 0},
	{UNIT(polls), 0, 1, 0x14, 3, 40, 50, 0},
};
static const struct unit second_stream[] = {
	{UNIT(create), 0, 1, 0, 8, 60, 0, 0},        {EVENT_unit_more, 0, 31, 0, 80, 21, 0, 0},
	{EVENT_thread_attach, 1, 1, 0, 0, 11, 1, 0}, {UNIT(xstream), 1, 1, 0, 0, 31, 1, 0},
	{UNIT(run), 1, 1, 0, 0, 60, 0, 0},           {UNIT(run), 1, 1, 0x10, 0, 50, 60, 0},
	{UNIT(yield), 1, 1, 0x11, 4, 50, 0, 0},      {UNIT(finish), 1, 1, 0, 0, 60, 0, 0},
	{UNIT(join), 0, 1, 0, 0, 60, 40, 0},         {UNIT(free), 0, 1, 0, 0, 60, 40, 0},
};
static const struct unit revived_unit[] = {
	{UNIT(revive), 0, 1, 0, 4, 50, 40, 0},
	{EVENT_unit_more, 0, 30, 0, 64, 22, 0, 0},
	{UNIT(cancel), 0, 1, 0, 0, 50, 0, 0},
};
static const struct unit library_end[] = {
	{UNIT(end), 0, 1, 0, 0, 0, 0, 0},
};

#define PIECE(name)                                                                                                                \
	{                                                                                                                          \
		name, sizeof name / sizeof name[0]                                                                                 \
	}
static const struct piece {
	const struct unit *units;
	size_t n;
} pieces[] = {PIECE(root_begin),    PIECE(region_begin), PIECE(worker_begin),  PIECE(closing),        PIECE(worker_closing),
	      PIECE(task),          PIECE(moved_task),   PIECE(detached_task), PIECE(dependent_task), PIECE(wait_with_dependences),
	      PIECE(taskgroup),     PIECE(taskwait),     PIECE(reduction),     PIECE(loop),           PIECE(single),
	      PIECE(critical),      PIECE(lock),         PIECE(league),        PIECE(target),         PIECE(pause_),
	      PIECE(library_begin), PIECE(joined_unit),  PIECE(polling_unit),  PIECE(second_stream),  PIECE(revived_unit),
	      PIECE(library_end)};

#define PIECES (sizeof pieces / sizeof pieces[0])

/* ---- One unit ---- */

/* A number that is mostly small. */
static uint8_t some_byte(struct dice *dice)
{
	switch (roll(dice, 6)) {
	case 0: return (uint8_t)roll(dice, 256);
	case 1: return (uint8_t)(0xc0 + roll(dice, 32));
	case 2: return (uint8_t)roll(dice, 4);
	default: return (uint8_t)(roll(dice, 18) << 2 | (roll(dice, 3) == 0 ? roll(dice, 4) : 0));
	}
}

static struct unit some_record(struct dice *dice)
{
	struct unit u = {
		.op = roll(dice, 30) == 0 ? (uint8_t)(1 + roll(dice, 127))
					  : OP_OF_KIND(event_infos[roll(dice, n_event_infos)].number),
		.where = (uint8_t)(roll(dice, 4) == 0 ? roll(dice, IMAGE_STREAMS) : roll(dice, 2)),
		.time = (uint8_t)(roll(dice, 12) == 0 ? roll(dice, 256) : roll(dice, 4)),
		.flags = (uint8_t)(roll(dice, 3) == 0 ? 1u << roll(dice, 8) : roll(dice, 12)),
		.value = some_byte(dice),
		.a = some_byte(dice),
		.b = some_byte(dice),
		.extra = (uint8_t)(roll(dice, 4) == 0 ? roll(dice, 256) : 0),
	};
	if (roll(dice, 200) == 0)
		u.where |= (uint8_t)(roll(dice, 11) << 4);
	return u;
}

static struct unit some_step(struct dice *dice)
{
	return (struct unit){
		.op = (uint8_t)(STEP_FIRST + roll(dice, STEP_LIMIT - STEP_FIRST)),
		.where = (uint8_t)(roll(dice, 4) == 0 ? roll(dice, IMAGE_STREAMS) : roll(dice, 2)),
		.flags = (uint8_t)roll(dice, 256),
		.value = roll(dice, 2) == 0 ? (uint8_t)roll(dice, 64) : some_byte(dice),
		.a = some_byte(dice),
		.b = some_byte(dice),
		.extra = (uint8_t)(roll(dice, 2) == 0 ? 0 : roll(dice, 256)),
	};
}

static void change(struct dice *dice, struct unit *u)
{
	struct unit other = u->op < STEP_FIRST ? some_record(dice) : some_step(dice);
	switch (roll(dice, 8)) {
	case 0: u->op = other.op; break;
	case 1: u->where = other.where; break;
	case 2: u->time = other.time; break;
	case 3: u->flags = other.flags; break;
	case 4: u->value = other.value; break;
	case 5: u->a = other.a; break;
	case 6: u->b = other.b; break;
	default: u->extra = other.extra; break;
	}
}

/* ---- All of them ---- */

struct input {
	struct unit *units;
	size_t n, max;
};

static void insert(struct input *in, size_t at, const struct unit *units, size_t n)
{
	if (in->n + n > in->max)
		n = in->max - in->n;
	memmove(in->units + at + n, in->units + at, (in->n - at) * sizeof *in->units);
	memcpy(in->units + at, units, n * sizeof *units);
	in->n += n;
}

static void erase(struct input *in, size_t at, size_t n)
{
	memmove(in->units + at, in->units + at + n, (in->n - at - n) * sizeof *in->units);
	in->n -= n;
}

/* A piece as it is, or on another stream, or with other ids. */
static void insert_piece(struct dice *dice, struct input *in, size_t at)
{
	const struct piece *piece = &pieces[roll(dice, PIECES)];
	struct unit units[16];
	memcpy(units, piece->units, piece->n * sizeof *units);
	uint8_t stream = (uint8_t)(roll(dice, 4) == 0 ? roll(dice, 3) : 0),
		shift = (uint8_t)(roll(dice, 3) == 0 ? roll(dice, 8) << 2 : 0);
	for (size_t i = 0; i < piece->n; i++) {
		units[i].where = (uint8_t)((units[i].where + stream) & 7);
		if (units[i].op == EVENT_task_create || units[i].op == EVENT_task_schedule) {
			units[i].value = (uint8_t)(units[i].value >= ID(0, 8) ? units[i].value + shift : units[i].value);
			units[i].a = (uint8_t)(units[i].a >= ID(0, 8) && units[i].a < 0xa0 ? units[i].a + shift : units[i].a);
			units[i].b = (uint8_t)(units[i].b >= ID(0, 8) && units[i].b < 0xa0 ? units[i].b + shift : units[i].b);
		}
	}
	insert(in, at, units, piece->n);
}

static void mutate(struct dice *dice, struct input *in)
{
	size_t at = roll(dice, (uint32_t)in->n + 1), to = roll(dice, (uint32_t)in->n + 1);
	size_t n = in->n - at < 1 ? 0 : 1 + roll(dice, (uint32_t)(in->n - at < 6 ? in->n - at : 6));
	struct unit moved[8];
	struct unit some = roll(dice, 3) == 0 ? some_step(dice) : some_record(dice);
	switch (roll(dice, 8)) {
	case 0:
	case 1: insert(in, at, &some, 1); break;
	case 2: insert_piece(dice, in, at); break;
	case 3: erase(in, at, n); break;
	case 4: /* once more, elsewhere */
		memcpy(moved, in->units + at, n * sizeof *moved);
		insert(in, to, moved, n);
		break;
	case 5: /* moved */
		memcpy(moved, in->units + at, n * sizeof *moved);
		erase(in, at, n);
		insert(in, to < in->n ? to : in->n, moved, n);
		break;
	default:
		if (n > 0)
			change(dice, &in->units[at]);
		break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_bytes, size_t max_bytes, unsigned seed)
{
	static struct unit units[4096];
	struct dice dice = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
	if (roll(&dice, 40) == 0)
		return LLVMFuzzerMutate(data, n_bytes, max_bytes);
	struct input in = {units, n_bytes / sizeof *units, max_bytes / sizeof *units};
	if (in.max > sizeof units / sizeof units[0])
		in.max = sizeof units / sizeof units[0];
	if (in.n > in.max)
		in.n = in.max;
	memcpy(units, data, in.n * sizeof *units);
	for (uint32_t n = 1 + roll(&dice, 4); n > 0; n--)
		mutate(&dice, &in);
	memcpy(data, units, in.n * sizeof *units);
	return in.n * sizeof *units;
}

/* The beginning of one and the rest of the other, or the two unit by unit in any order: as streams would be. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t n_left, const uint8_t *right, size_t n_right, uint8_t *out,
				 size_t max_bytes, unsigned seed)
{
	struct dice dice = {seed * UINT64_C(0x9e3779b97f4a7c15) + 2};
	size_t bytes = sizeof(struct unit), n_out = 0;
	size_t nl = n_left / bytes, nr = n_right / bytes, l = 0, r = 0;
	bool is_mixed = roll(&dice, 2) == 0;
	size_t cut_left = roll(&dice, (uint32_t)nl + 1), cut_right = roll(&dice, (uint32_t)nr + 1);
	if (!is_mixed) {
		nl = cut_left;
		r = cut_right;
	}
	while ((l < nl || r < nr) && n_out + bytes <= max_bytes) {
		bool is_left = r == nr || (l < nl && (!is_mixed || roll(&dice, 2) == 0));
		memcpy(out + n_out, is_left ? left + l * bytes : right + r * bytes, bytes);
		n_out += bytes;
		l += is_left;
		r += !is_left;
	}
	return n_out;
}
