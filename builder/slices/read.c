/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what slices.c has logged, a chunk at a time, and adds the flows that link.c has found: see slices.h. Runs on
 * several threads at once.
 */
#include "builder/slices/slices.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"

#include <stdlib.h>

struct ids {
	uint64_t *ids;
	size_t n, capacity;
};

struct slice_reading {
	const struct slices *slices;
	struct slice slice;
	struct ids starts, ends;
	uint64_t n_starts; /* numbers that follow */
	uint64_t wait, arrival, release;
	uint32_t next_arrival; /* of the stream: none that comes before it is at a slice that follows */
	uint32_t value;        /* the item before */
	uint64_t ordinal;
	uint64_t ticks, begin_ticks; /* of the record before */
};

static void add(struct ids *ids, uint64_t id)
{
	array_push(ids->ids, ids->n, ids->capacity, id);
}

static void add_create(struct slice_reading *r, struct ids *ids, uint32_t item)
{
	if (slices_has_create(r->slices, item))
		add(ids, slices_flow_id(r->slices, FLOW_CREATE, item));
}

/* Adds the flows to a task or unit, or to the members of a region, that this slice starts. */
static void add_start(struct slice_reading *r, uint32_t what)
{
	const struct slices *slices = r->slices;
	if (what < slices->n_items) {
		add_create(r, &r->starts, what);
		return;
	}
	uint32_t region = what - slices->n_items;
	for (uint32_t i = slices->first_member[region]; i < slices->first_member[region + 1]; i++)
		if (slices->m->tasks[slices->members[i]].thread != 0)
			add_create(r, &r->starts, slices->members[i]);
}

static void add_edges(struct slice_reading *r, const struct slice_links *links, struct ids *ids)
{
	uint32_t task = r->slice.item;
	if (links->first == NULL || task >= r->slices->m->n_tasks)
		return;
	for (uint32_t i = links->first[task]; i < links->first[task + 1]; i++)
		if (slices_has_edge(r->slices, links->edges[i]))
			add(ids, slices_flow_id(r->slices, FLOW_DEPEND, links->edges[i]));
}

/* Adds the flows to threads that this thread's arrival at a barrier released: at the slice that ended then. */
static void add_releases(struct slice_reading *r)
{
	const struct slices *slices = r->slices;
	const struct slice *slice = &r->slice;
	const struct slice_arrival *arrivals = slices->arrivals;
	uint32_t end = slices->first_arrival[slice->stream + 1];
	while (r->next_arrival < end && arrivals[r->next_arrival].begin_ticks < slice->begin_ticks)
		r->next_arrival++;
	for (uint32_t i = r->next_arrival; i < end && arrivals[i].begin_ticks == slice->begin_ticks; i++)
		if (arrivals[i].item == slice->item && arrivals[i].ordinal == r->ordinal)
			for (uint32_t row = arrivals[i].first; row != 0; row = arrivals[row - 1].next)
				if (slices_has_release(slices, row - 1))
					add(&r->starts, slices_flow_id(slices, FLOW_RELEASE, row));
}

static bool has_resume(const struct slices *slices, uint32_t row)
{
	const struct slice_release *release = &slices->releases[row];
	return release->next_ticks != UINT64_MAX &&
	       slices_file(slices, release->begin_ticks) == slices_file(slices, release->next_ticks);
}

/* The first place in release_order whose slice is on the stream, and begins then or later. */
static size_t find_release(const struct slices *slices, uint32_t stream, uint64_t begin_ticks)
{
	const struct slice_release *all = slices->releases;
	const uint32_t *order = slices->release_order;
	return lower_bound(i, 0, order != NULL ? slices->n_releases : 0,
			   all[order[i]].stream < stream ||
				   (all[order[i]].stream == stream && all[order[i]].begin_ticks < begin_ticks));
}

/* The ids of units' flows come after those of barriers. */
static void add_resume(struct slice_reading *r, struct ids *ids, uint32_t row)
{
	const struct slices *slices = r->slices;
	uint32_t n_arrivals = slices->first_arrival[slices->trace->dump.n_streams];
	if (has_resume(slices, row))
		add(ids, slices_flow_id(slices, FLOW_RELEASE, n_arrivals + row + 1));
}

/* Adds the flows to units that were released in this slice. */
static void add_resumes(struct slice_reading *r)
{
	const struct slices *slices = r->slices;
	const struct slice *slice = &r->slice;
	for (size_t i = find_release(slices, slice->stream, slice->begin_ticks); i < slices->n_releases; i++) {
		uint32_t row = slices->release_order[i];
		const struct slice_release *release = &slices->releases[row];
		if (release->stream != slice->stream || release->begin_ticks != slice->begin_ticks)
			break;
		if (release->item == slice->item && release->ordinal == r->ordinal)
			add_resume(r, &r->starts, row);
	}
}

/* The first arrival whose slice begins then or later. */
static uint32_t find_arrival(const struct slices *slices, size_t stream, uint64_t begin_ticks)
{
	if (slices->arrivals == NULL)
		return 0;
	return (uint32_t)lower_bound(i, slices->first_arrival[stream], slices->first_arrival[stream + 1],
				     slices->arrivals[i].begin_ticks < begin_ticks);
}

static void add_flows(struct slice_reading *r)
{
	const struct slices *slices = r->slices;
	const struct slice *slice = &r->slice;
	if (slice->item == ITEM_LOST || slice->piece == SLICE_END || slice->piece == SLICE_MORE)
		return;
	if (slice->is_of_first) {
		add_create(r, &r->ends, slice->item);
		add_edges(r, &slices->arriving, &r->ends);
	}
	uint32_t waker = r->wait != 0 ? slices->streams[slice->stream].waits[r->wait - 1].waker : 0;
	if (waker != 0 && slices->flags[waker] & SLICE_IS_WAKER)
		add(&r->ends, slices_flow_id(slices, FLOW_WAKE, waker));
	uint64_t row = r->arrival != 0 ? slices->first_arrival[slice->stream] + r->arrival : 0;
	if (row != 0 && slices_has_release(slices, (uint32_t)row - 1))
		add(&r->ends, slices_flow_id(slices, FLOW_RELEASE, (uint32_t)row));
	if (slices->arrivals != NULL)
		add_releases(r);
	if (r->release != 0)
		add_resume(r, &r->ends, (uint32_t)r->release - 1);
	if (slices->n_releases > 0)
		add_resumes(r);
	if (slice->is_of_last) {
		add_edges(r, &slices->leaving, &r->starts);
		if (slices->flags[slice->item] & SLICE_IS_WAKER)
			add(&r->starts, slices_flow_id(slices, FLOW_WAKE, slice->item));
	}
}

static bool is_cut(const struct slices *slices, uint32_t item)
{
	const struct model *m = slices->m;
	if (item >= m->n_tasks)
		return m->units[item - m->n_tasks].state & UNIT_CUT;
	return !(m->tasks[item].state & TASK_COMPLETED);
}

enum { HAS_WAIT = 4, HAS_STARTS = 8, HAS_ARRIVAL = 16, HAS_RELEASE = 32 }; /* as in slices.c */

static const unsigned char *take_record(struct slice_reading *r, const unsigned char *at)
{
	struct slice *slice = &r->slice;
	unsigned bits = *at++;
	slice->piece = bits & 3;
	uint64_t ticks = r->ticks + varint_take(&at);
	slice->item = r->value = (uint32_t)varint_take_change(&at, r->value);
	r->ordinal = varint_take(&at);
	uint64_t length = slice->piece != SLICE_BEGIN ? varint_take(&at) : 0;
	bool is_begin = slice->piece == SLICE_WHOLE || slice->piece == SLICE_BEGIN;
	slice->begin_ticks = is_begin ? ticks : ticks - length;
	slice->ticks = slice->begin_ticks + length;
	r->wait = bits & HAS_WAIT ? varint_take(&at) : 0;
	r->arrival = bits & HAS_ARRIVAL ? varint_take(&at) : 0;
	r->release = bits & HAS_RELEASE ? varint_take(&at) : 0;
	r->starts.n = r->ends.n = 0;
	uint32_t before = slice->item;
	for (uint64_t n = bits & HAS_STARTS ? varint_take(&at) : 0; n > 0; n--) {
		before = (uint32_t)varint_take_change(&at, before);
		add_start(r, before);
	}
	return at;
}

int slices_read(const struct slices *slices, size_t stream, size_t chunk, void (*show)(void *self, const struct slice *slice),
		void *self)
{
	const struct log *log = &slices->streams[stream].slices;
	const struct log_chunk *c = &log->chunks[chunk];
	struct slice_reading r = {.slices = slices, .ticks = c->ticks, .begin_ticks = c->begin_ticks};
	struct slice *slice = &r.slice;
	struct buffer room = {NULL, 0, 0};
	const unsigned char *end, *at = log_read(log, &slices->spill, chunk, &room, &end);
	slice->stream = (uint32_t)stream;
	r.next_arrival = find_arrival(slices, stream, c->begin_ticks);
	slice->is_first = c->is_first;
	for (bool is_read = at != NULL; is_read && at < end; slice->is_first = false) {
		at = take_record(&r, at);
		bool is_item = slice->item != ITEM_LOST;
		slice->is_of_first = is_item && r.ordinal == 0;
		slice->is_of_last = is_item && r.ordinal + 1 == slices->n_slices[slice->item];
		slice->is_cut = slice->is_of_last && is_cut(slices, slice->item);
		slice->before_ticks = r.ticks;
		slice->before_begin_ticks = r.begin_ticks;
		add_flows(&r);
		slice->starts = r.starts.ids;
		slice->n_starts = r.starts.n;
		slice->ends = r.ends.ids;
		slice->n_ends = r.ends.n;
		show(self, slice);
		r.ticks = slice->ticks;
		r.begin_ticks = slice->begin_ticks;
	}
	free(r.starts.ids);
	free(r.ends.ids);
	buffer_free(&room);
	return at != NULL ? 0 : -1;
}

int slices_read_states(const struct slices *slices, size_t stream, size_t chunk,
		       void (*show)(void *self, const struct state_slice *slice), void *self)
{
	const struct log *log = &slices->streams[stream].states;
	const struct log_chunk *c = &log->chunks[chunk];
	struct buffer room = {NULL, 0, 0};
	const unsigned char *end, *at = log_read(log, &slices->spill, chunk, &room, &end);
	struct state_slice slice = {.stream = (uint32_t)stream, .end_ticks = c->ticks, .begin_ticks = c->begin_ticks};
	uint32_t task = 0;
	slice.is_first = c->is_first;
	for (bool is_read = at != NULL; is_read && at < end; slice.is_first = false) {
		slice.before_ticks = slice.end_ticks;
		slice.before_begin_ticks = slice.begin_ticks;
		unsigned bits = *at++;
		slice.state = bits & ~(unsigned)STATE_HAS_PLACE;
		slice.begin_ticks = slice.before_ticks + varint_take(&at);
		slice.end_ticks = slice.begin_ticks + varint_take(&at);
		slice.construct = bits & STATE_HAS_PLACE ? (uint32_t)varint_take(&at) : 0;
		if (slice.construct != 0)
			task = (uint32_t)varint_take_change(&at, task);
		slices_explain_state(slices, &slice, task);
		show(self, &slice);
	}
	buffer_free(&room);
	return at != NULL ? 0 : -1;
}

/* ---- Chunks ---- */

size_t slices_n_chunks(const struct slices *slices)
{
	size_t n = 0;
	for (size_t i = 0; i < slices->trace->dump.n_streams; i++)
		n += slices->streams[i].slices.n_chunks + slices->streams[i].states.n_chunks;
	return n;
}

struct slices_chunk slices_chunk(const struct slices *slices, size_t number)
{
	const struct slice_stream *stream = slices->streams;
	for (; number >= stream->slices.n_chunks + stream->states.n_chunks; stream++)
		number -= stream->slices.n_chunks + stream->states.n_chunks;
	bool has_states = number >= stream->slices.n_chunks;
	return (struct slices_chunk){(size_t)(stream - slices->streams), has_states ? number - stream->slices.n_chunks : number,
				     has_states};
}
