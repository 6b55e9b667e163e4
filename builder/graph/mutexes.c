/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts acquisitions of mutexes, and adds up how long they were held and waited for, in tables by stream, which are added
 * up after the replay. Only where a task moved, another thread may release what this one acquired.
 */
#include "builder/graph/mutexes.h"
#include "builder/support/array.h"
#include "builder/graph/files.h"
#include "builder/tables/row.h"
#include "builder/support/sort.h"

#include <stdlib.h>

const char *mutex_kind_word(unsigned kind)
{
	const char *name = event_enum_name("mutex_kind", kind);
	return name != NULL ? name : "unknown";
}

static uint32_t find_row(struct mutex_table *t, uint32_t construct, unsigned kind, uint64_t wait_id)
{
	const struct mutex_row *latest = t->latest < t->n_rows ? &t->rows[t->latest] : NULL;
	if (latest != NULL && latest->wait_id == wait_id && latest->construct == construct && latest->kind == kind)
		return t->latest;
	uint32_t *handle = map_put(&t->handles, wait_id);
	if (*handle == 0)
		*handle = (uint32_t)t->handles.n_used;
	uint64_t key = (uint64_t)construct << 40 | (uint64_t)*handle << 4 | (kind & 0xf);
	uint32_t *place = map_put(&t->places, key);
	array_push_new(t->rows, t->n_rows, t->rows_capacity, place,
		       (struct mutex_row){.construct = construct, .kind = kind, .wait_id = wait_id});
	return t->latest = *place - 1;
}

static uint32_t row_of(struct mutex_stream *s, const struct mutex *mutex)
{
	return find_row(&s->table, mutex->construct, mutex->kind, mutex->wait_id);
}

/* The thread's next event of a mutex, or its end, shows that it did not acquire the one that it requested. */
static void give_up(struct mutex_stream *s, const struct window *window)
{
	if (s->is_acquiring && window_meets(window, s->acquiring.since_ticks, s->acquiring.since_ticks))
		s->table.rows[s->acquiring.row].n_failed++;
	s->is_acquiring = false;
}

/* The acquisition that this record completes: its row, and its wait. */
static uint32_t acquired(struct mutex_stream *s, const struct window *window, const struct point *at, const struct mutex *mutex)
{
	struct mutex_hold *begun = &s->acquiring;
	bool is_begun = s->is_acquiring && s->table.rows[begun->row].wait_id == mutex->wait_id;
	uint32_t row = is_begun ? begun->row : row_of(s, mutex);
	if (is_begun && at->ticks > begun->since_ticks)
		s->table.rows[row].wait_ticks += window_ticks(window, begun->since_ticks, at->ticks);
	s->is_acquiring = s->is_acquiring && !is_begun;
	s->table.rows[row].n_acquired += window_meets(window, at->ticks, at->ticks);
	return row;
}

static uint64_t busy_now(const struct busy *busy, const struct window *window, const struct point *at)
{
	return busy != NULL ? busy_until(busy, at->stream, at->task, window_clip(window, at->ticks)) : 0;
}

/* The thread has acquired a mutex. */
static void keep_hold(struct mutex_stream *s, struct mutex_hold hold)
{
	uint64_t wait_id = s->table.rows[hold.row].wait_id;
	const uint32_t *place = lockset_find(&s->held, wait_id);
	if (place != NULL) {
		array_push(s->stale, s->n_stale, s->stale_capacity, s->holds[*place - 1]);
		s->holds[*place - 1] = hold;
		return;
	}
	array_push(s->holds, s->n_holds, s->holds_capacity, hold);
	lockset_put(&s->held, wait_id, (uint32_t)s->n_holds);
}

/* The thread releases a mutex. Returns the row; MUTEXES_NONE: it did not hold it. */
static uint32_t release(struct mutex_stream *s, const struct window *window, const struct busy *busy, const struct point *at,
			uint64_t wait_id)
{
	uint32_t place = lockset_take(&s->held, wait_id);
	if (place == 0)
		return MUTEXES_NONE;
	struct mutex_hold hold = s->holds[place - 1];
	if (place != s->n_holds--) {
		s->holds[place - 1] = s->holds[s->n_holds];
		lockset_put(&s->held, s->table.rows[s->holds[place - 1].row].wait_id, place);
	}
	struct mutex_row *row = &s->table.rows[hold.row];
	uint64_t held = at->ticks > hold.since_ticks ? window_ticks(window, hold.since_ticks, at->ticks) : 0, own = held;
	if (busy != NULL && at->task == hold.task && at->task != 0)
		own = busy_grown(&hold.busy_ticks, busy_now(busy, window, at));
	row->held_ticks += held;
	row->own_ticks += own < held ? own : held;
	return hold.row;
}

static uint32_t released(struct mutex_stream *s, const struct window *window, const struct busy *busy, const struct point *at,
			 const struct mutex *mutex)
{
	uint32_t row = release(s, window, busy, at, mutex->wait_id);
	if (row != MUTEXES_NONE)
		return s->table.rows[row].construct;
	array_push(s->foreign, s->n_foreign, s->foreign_capacity, (struct mutex_release){mutex->wait_id, at->ticks});
	return MUTEXES_NONE;
}

uint32_t mutexes_event(struct mutexes *m, const struct busy *busy, const struct point *at, const struct mutex *mutex)
{
	struct mutex_stream *s = &m->streams[at->stream];
	switch (mutex->event) {
	case MUTEX_ACQUIRE:
		give_up(s, m->window);
		s->is_acquiring = true;
		s->acquiring = (struct mutex_hold){.row = row_of(s, mutex), .since_ticks = at->ticks};
		return MUTEXES_NONE;
	case MUTEX_ACQUIRED: {
		uint32_t row = acquired(s, m->window, at, mutex);
		keep_hold(s, (struct mutex_hold){row, at->task, at->ticks, busy_now(busy, m->window, at)});
		return s->table.rows[row].construct;
	}
	case MUTEX_NEST_BEGIN: acquired(s, m->window, at, mutex); return MUTEXES_NONE;
	case MUTEX_RELEASED: give_up(s, m->window); return released(s, m->window, busy, at, mutex);
	case MUTEX_NEST_END:
	case MUTEX_INIT:
	case MUTEX_DESTROY: give_up(s, m->window); return MUTEXES_NONE;
	}
	return MUTEXES_NONE;
}

void mutexes_begin(struct mutexes *m, size_t n_streams, const struct window *window)
{
	m->window = window;
	m->n_streams = n_streams;
	m->streams = memory_zeroed(n_streams, sizeof *m->streams, "the mutexes");
}

/* ---- What one thread acquired, and another one released ---- */

/* A hold that its stream did not release, or a release of what the stream did not hold. */
struct crossing {
	uint64_t wait_id, ticks;
	struct mutex_row *row; /* of the hold; NULL: it is a release */
	size_t n;              /* in the order of streams */
};

static int by_mutex_and_time(const void *left, const void *right)
{
	const struct crossing *l = left, *r = right;
	return cmp(l->wait_id, r->wait_id) ?: cmp(l->ticks, r->ticks) ?: cmp(l->n, r->n);
}

/* A release of a mutex that the thread did not hold ends the latest earlier hold that another thread did not release. */
static void settle_foreign(struct mutexes *m)
{
	size_t n = 0, n_foreign = 0;
	for (size_t i = 0; i < m->n_streams; i++) {
		n += m->streams[i].n_holds + m->streams[i].n_stale + m->streams[i].n_foreign;
		n_foreign += m->streams[i].n_foreign;
	}
	if (n_foreign == 0)
		return;
	struct crossing *all = memory_get(n, sizeof *all, "the mutexes"), **open = memory_get(n, sizeof(void *), "the mutexes");
	n = 0;
	for (size_t i = 0; i < m->n_streams; i++) {
		struct mutex_stream *s = &m->streams[i];
		for (size_t j = 0; j < s->n_stale + s->n_holds; j++, n++) {
			const struct mutex_hold *hold = j < s->n_stale ? &s->stale[j] : &s->holds[j - s->n_stale];
			struct mutex_row *row = &s->table.rows[hold->row];
			all[n] = (struct crossing){row->wait_id, hold->since_ticks, row, n};
		}
		for (size_t j = 0; j < s->n_foreign; j++, n++)
			all[n] = (struct crossing){s->foreign[j].wait_id, s->foreign[j].ticks, NULL, n};
	}
	sort_array(all, n, by_mutex_and_time);
	size_t n_open = 0;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && all[i].wait_id != all[i - 1].wait_id)
			n_open = 0;
		if (all[i].row != NULL)
			open[n_open++] = &all[i];
		else if (n_open > 0) {
			const struct crossing *hold = open[--n_open];
			uint64_t held = window_ticks(m->window, hold->ticks, all[i].ticks);
			hold->row->held_ticks += held;
			hold->row->own_ticks += held;
		}
	}
	free(open);
	free(all);
}

static void free_table(struct mutex_table *t)
{
	free(t->rows);
	map_free(&t->handles);
	map_free(&t->places);
}

void mutexes_finish(struct mutexes *m)
{
	struct mutex_table all = {0};
	for (size_t i = 0; i < m->n_streams; i++)
		give_up(&m->streams[i], m->window);
	settle_foreign(m);
	for (size_t i = 0; i < m->n_streams; i++)
		for (uint32_t k = 0; k < m->streams[i].table.n_rows; k++) {
			const struct mutex_row *part = &m->streams[i].table.rows[k];
			if (m->window->is_part && part->n_acquired + part->n_failed + part->held_ticks + part->wait_ticks == 0)
				continue;
			uint32_t place = find_row(&all, part->construct, part->kind, part->wait_id);
			struct mutex_row *row = &all.rows[place];
			row->n_acquired += part->n_acquired;
			row->n_failed += part->n_failed;
			row->held_ticks += part->held_ticks;
			row->own_ticks += part->own_ticks;
			row->wait_ticks += part->wait_ticks;
		}
	m->rows = all.rows;
	m->n_rows = all.n_rows;
	all.rows = NULL;
	free_table(&all);
}

void mutexes_forget(struct mutexes *m, uint32_t stream)
{
	m->streams[stream].is_acquiring = false;
	m->streams[stream].n_holds = m->streams[stream].n_stale = 0;
	lockset_clear(&m->streams[stream].held);
}

void mutexes_free(struct mutexes *m)
{
	for (size_t i = 0; i < m->n_streams; i++) {
		free(m->streams[i].holds);
		free(m->streams[i].stale);
		lockset_clear(&m->streams[i].held);
		free(m->streams[i].foreign);
		free_table(&m->streams[i].table);
	}
	free(m->streams);
	free(m->rows);
}

/* ---- mutexes.csv ---- */

/*
 * mutexes.csv: a row for each mutex and each place where it is acquired. docs/tables.md describes the columns. One thread.
 */

static void put_row(struct row_writer *to, const struct trace *trace, const struct variable_names *variables,
		    uint64_t construct_offset, const struct mutex_row *row)
{
	const struct construct *c = &trace->model.constructs[row->construct];
	row_put_u64(to, trace->process);
	row_put_u64_if(to, row->construct != 0, construct_offset + row->construct);
	row_put_word(to, mutex_kind_word(row->kind));
	row_put_hex(to, row->wait_id);
	variables_put(variables, to, row->wait_id);
	row_put_text(to, c->label);
	row_put_text(to, c->file);
	row_put_u64_if(to, c->line != 0, c->line);
	row_put_text(to, c->function);
	row_put_u64(to, row->n_acquired);
	row_put_u64(to, row->n_failed);
	row_put_u64(to, dump_duration_ns(&trace->dump, row->held_ticks));
	row_put_u64(to, dump_duration_ns(&trace->dump, row->wait_ticks));
	row_end(to);
}

bool has_mutexes(const struct graphs *graphs)
{
	for (size_t i = 0; i < graphs->n; i++)
		if (graphs->graphs[i].mutexes.n_rows != 0)
			return true;
	return false;
}

int graph_mutexes_csv(const struct graphs *graphs, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_mutexes) != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		const struct mutexes *m = &graphs->graphs[i].mutexes;
		for (uint32_t row = 0; row < m->n_rows; row++)
			put_row(&to, &graphs->traces[i], &graphs->graphs[i].variables, graphs->graphs[i].before.n_constructs,
				&m->rows[row]);
	}
	return row_writer_close(&to);
}
