/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts acquisitions of mutexes, and adds up how long they were held and waited for. Streams may come one after the
 * other, so what is held is looked up by stream first; only where a task moved, another thread may release what this
 * one acquired. Called by build.c during the replay; one thread.
 */
#include "builder/graph/mutexes.h"
#include "builder/support/array.h"

#include <stdlib.h>

const char *mutex_kind_word(unsigned kind)
{
	const char *name = event_enum_name("mutex_kind", kind);
	return name != NULL ? name : "unknown";
}

static uint32_t find_row(struct mutexes *m, const struct mutex *mutex)
{
	uint32_t *handle = map_put(&m->handles, mutex->wait_id);
	if (*handle == 0)
		*handle = (uint32_t)m->handles.n_used;
	uint64_t key = (uint64_t)mutex->construct << 40 | (uint64_t)*handle << 4 | (mutex->kind & 0xf);
	uint32_t *place = map_put(&m->places, key);
	if (*place == 0) {
		array_reserve((void **)&m->rows, m->n_rows + (size_t)1, &m->rows_capacity, sizeof *m->rows);
		m->rows[m->n_rows] =
			(struct mutex_row){.construct = mutex->construct, .kind = mutex->kind, .wait_id = mutex->wait_id};
		*place = ++m->n_rows;
	}
	return *place - 1;
}

/* The thread does something else with a mutex, or nothing more: it did not get the one that it tried to acquire. */
static void give_up(struct mutexes *m, struct mutex_thread *thread)
{
	if (thread->is_acquiring)
		m->rows[thread->acquiring.row].n_failed++;
	thread->is_acquiring = false;
}

/* The acquisition that this record completes: its row, and its wait. */
static uint32_t acquired(struct mutexes *m, struct mutex_thread *thread, const struct point *at, const struct mutex *mutex)
{
	struct mutex_hold *begun = &thread->acquiring;
	bool is_begun = thread->is_acquiring && m->rows[begun->row].wait_id == mutex->wait_id;
	uint32_t row = is_begun ? begun->row : find_row(m, mutex);
	if (is_begun && at->ticks > begun->since_ticks)
		m->rows[row].wait_ticks += at->ticks - begun->since_ticks;
	thread->is_acquiring = thread->is_acquiring && !is_begun;
	m->rows[row].n_acquired++;
	return row;
}

static uint32_t release(struct mutexes *m, struct mutex_thread *thread, const struct point *at, uint64_t wait_id)
{
	for (size_t i = thread->n_holds; i > 0; i--) {
		struct mutex_hold hold = thread->holds[i - 1];
		if (m->rows[hold.row].wait_id != wait_id)
			continue;
		for (size_t j = i; j < thread->n_holds; j++)
			thread->holds[j - 1] = thread->holds[j];
		thread->n_holds--;
		if (at->ticks > hold.since_ticks)
			m->rows[hold.row].held_ticks += at->ticks - hold.since_ticks;
		return hold.row;
	}
	return MUTEXES_NONE;
}

static uint32_t released(struct mutexes *m, const struct point *at, uint64_t wait_id)
{
	uint32_t row = release(m, &m->threads[at->stream], at, wait_id);
	for (size_t i = 0; i < m->n_threads && row == MUTEXES_NONE; i++)
		row = release(m, &m->threads[i], at, wait_id);
	return row;
}

uint32_t mutexes_event(struct mutexes *m, const struct model *model, const struct point *at, const struct mutex *mutex)
{
	if (m->threads == NULL) {
		m->n_threads = model->dump->n_streams;
		m->threads = memory_zeroed(m->n_threads, sizeof *m->threads, "the mutexes");
	}
	struct mutex_thread *thread = &m->threads[at->stream];
	switch (mutex->event) {
	case MUTEX_ACQUIRE:
		give_up(m, thread);
		thread->is_acquiring = true;
		thread->acquiring = (struct mutex_hold){find_row(m, mutex), at->ticks};
		return MUTEXES_NONE;
	case MUTEX_ACQUIRED: {
		uint32_t row = acquired(m, thread, at, mutex);
		array_reserve((void **)&thread->holds, thread->n_holds + 1, &thread->holds_capacity, sizeof *thread->holds);
		thread->holds[thread->n_holds++] = (struct mutex_hold){row, at->ticks};
		return row;
	}
	case MUTEX_NEST_BEGIN: acquired(m, thread, at, mutex); return MUTEXES_NONE;
	case MUTEX_RELEASED: give_up(m, thread); return released(m, at, mutex->wait_id);
	case MUTEX_NEST_END:
	case MUTEX_INIT:
	case MUTEX_DESTROY: give_up(m, thread); return MUTEXES_NONE;
	}
	return MUTEXES_NONE;
}

void mutexes_finish(struct mutexes *m)
{
	for (size_t i = 0; i < m->n_threads; i++)
		give_up(m, &m->threads[i]);
}

void mutexes_forget(struct mutexes *m, uint32_t stream)
{
	if (m->threads == NULL)
		return;
	m->threads[stream].is_acquiring = false;
	m->threads[stream].n_holds = 0;
}

void mutexes_free(struct mutexes *m)
{
	for (size_t i = 0; i < m->n_threads; i++)
		free(m->threads[i].holds);
	free(m->threads);
	free(m->rows);
	map_free(&m->handles);
	map_free(&m->places);
}
