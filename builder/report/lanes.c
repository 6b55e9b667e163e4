/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which task each thread executed when, for the page's time line by construct: see parts.h. It is exact while a run has no
 * more stretches than a page can hold. Else each row is divided into windows of equal length, and a window has one construct:
 * the one of the window's constructs whose number of windows so far is furthest below its share of the time (error diffusion),
 * so that sums over several windows are right.
 *
 * An exact row is in the page: its begin in ns and its number of stretches, then of each stretch how long after the one
 * before it begins, its length, the construct's number, and by how much the task's number differs from that of the stretch
 * before (zigzag). A row of windows: its number of runs of the same construct, then of each run the construct's number and
 * one more, or 0 for nothing, and the number of windows. Runs on several threads.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"
#include "builder/support/varint.h"

#include <stdlib.h>
#include <string.h>

#define WHAT       "report.html"
#define CELL_SLOTS 4 /* constructs of a window; the time of further ones is added to the last of them */

struct lane_cell {
	float ticks[CELL_SLOTS];
	uint32_t constructs[CELL_SLOTS];
	uint32_t n;
};

struct lanes {
	const struct slices *slices;
	const struct strips *rows;
	const struct dump *dump;
	const uint32_t *same;
	uint8_t *is_used;   /* by construct */
	uint8_t *is_single; /* by task: in the page */
	uint64_t begin_ticks, length_ticks;
	size_t n_windows;
	struct lane_cell *cells; /* by row and window */
};

/* What a stream's stretches become. */
struct report_lane {
	struct lanes *lanes;
	uint32_t row, task;
	bool is_exact;
	uint64_t begin_ns, end_ns, n;
	struct buffer stretches, parts;
	size_t n_parts;
};

static void put_stretch(struct report_lane *lane, uint64_t begin_ns, uint64_t end_ns, uint32_t construct, uint32_t task)
{
	if (lane->n == 0)
		lane->begin_ns = lane->end_ns = begin_ns;
	begin_ns = begin_ns > lane->end_ns ? begin_ns : lane->end_ns;
	buffer_put_varint(&lane->stretches, begin_ns - lane->end_ns);
	buffer_put_varint(&lane->stretches, end_ns > begin_ns ? end_ns - begin_ns : 0);
	buffer_put_varint(&lane->stretches, construct);
	buffer_put_varint(&lane->stretches, varint_zigzag(task, lane->task));
	lane->end_ns = end_ns > begin_ns ? end_ns : begin_ns;
	lane->task = task;
	lane->n++;
}

static void put_part(struct report_lane *lane, uint64_t begin_ns, uint64_t end_ns, uint32_t task)
{
	const uint64_t part[] = {begin_ns, end_ns - begin_ns, task};
	memcpy(buffer_room(&lane->parts, sizeof part), part, sizeof part);
	buffer_end_at(&lane->parts, lane->parts.bytes + lane->parts.n + sizeof part);
	lane->n_parts++;
}

static void add_to_cell(struct lane_cell *cell, uint32_t construct, float ticks)
{
	unsigned slot = 0;
	while (slot < cell->n && cell->constructs[slot] != construct)
		slot++;
	if (slot == CELL_SLOTS)
		slot--;
	else if (slot == cell->n) {
		cell->constructs[slot] = construct;
		cell->n++;
	}
	cell->ticks[slot] += ticks;
}

static uint64_t window_begin(const struct lanes *l, size_t window)
{
	return l->begin_ticks + (uint64_t)((double)l->length_ticks * (double)window / (double)l->n_windows);
}

static void add_to_windows(struct report_lane *lane, uint64_t begin, uint64_t end, uint32_t construct)
{
	struct lanes *l = lane->lanes;
	begin = begin > l->begin_ticks ? begin : l->begin_ticks;
	end = end < l->begin_ticks + l->length_ticks ? end : l->begin_ticks + l->length_ticks;
	if (begin >= end)
		return;
	size_t window = (size_t)((double)(begin - l->begin_ticks) * (double)l->n_windows / (double)l->length_ticks);
	while (window > 0 && window_begin(l, window) > begin)
		window--;
	for (; window < l->n_windows && begin < end; window++) {
		uint64_t until = window_begin(l, window + 1) < end ? window_begin(l, window + 1) : end;
		if (until > begin)
			add_to_cell(&l->cells[lane->row * l->n_windows + window], construct, (float)(until - begin));
		begin = until > begin ? until : begin;
	}
}

static void show(void *self, const struct slice *slice)
{
	struct report_lane *lane = self;
	struct lanes *l = lane->lanes;
	if (slice->item == ITEM_LOST || (slice->piece != SLICE_WHOLE && slice->piece != SLICE_END) ||
	    slice->ticks <= slice->begin_ticks)
		return;
	uint32_t construct = slices_construct(l->slices, slice->item), task = slice->item < l->slices->m->n_tasks ? slice->item : 0;
	construct = l->same != NULL ? l->same[construct] : construct;
	__atomic_store_n(&l->is_used[construct], 1, __ATOMIC_RELAXED);
	if (!lane->is_exact)
		add_to_windows(lane, slice->begin_ticks, slice->ticks, construct);
	uint64_t begin_ns = dump_ns(l->dump, slice->begin_ticks), end_ns = dump_ns(l->dump, slice->ticks);
	if (lane->is_exact)
		put_stretch(lane, begin_ns, end_ns, construct, task);
	else if (l->is_single[task] && lane->n_parts < LANES_PARTS)
		put_part(lane, begin_ns, end_ns, task);
}

/* ---- Windows ---- */

/* The runs of a row, of which `step` windows are one. */
static void put_windows(struct lanes *l, uint32_t row, size_t step, double *behind, struct buffer *all)
{
	struct buffer runs = {0};
	uint64_t n_runs = 0, length = 0;
	uint32_t open = UINT32_MAX;
	double nothing = 0, of_one = (double)l->length_ticks / (double)l->n_windows * l->rows->n_folded;
	for (size_t window = 0; window < l->n_windows; window += step) {
		double most = 0, rest = (double)step;
		uint32_t chosen = 0;
		for (size_t i = window; i < window + step && i < l->n_windows; i++) {
			const struct lane_cell *cell = &l->cells[row * l->n_windows + i];
			for (unsigned k = 0; k < cell->n; k++) {
				behind[cell->constructs[k]] += cell->ticks[k] / of_one;
				rest -= cell->ticks[k] / of_one;
			}
		}
		nothing += rest > 1e-6 ? rest : 0;
		most = nothing;
		for (size_t i = window; i < window + step && i < l->n_windows; i++) {
			const struct lane_cell *cell = &l->cells[row * l->n_windows + i];
			for (unsigned k = 0; k < cell->n; k++)
				if (behind[cell->constructs[k]] > most) {
					most = behind[cell->constructs[k]];
					chosen = cell->constructs[k] + 1;
				}
		}
		*(chosen == 0 ? &nothing : &behind[chosen - 1]) -= (double)step;
		if (chosen != open && length > 0) {
			buffer_put_varint(&runs, open);
			buffer_put_varint(&runs, length);
			n_runs++;
			length = 0;
		}
		open = chosen;
		length += step < l->n_windows - window ? step : l->n_windows - window;
	}
	buffer_put_varint(&runs, open);
	buffer_put_varint(&runs, length);
	buffer_put_varint(all, n_runs + 1);
	buffer_put(all, runs.bytes, runs.n);
	buffer_free(&runs);
}

static json_t *windows_packed(struct lanes *l, size_t n_bytes)
{
	size_t n_constructs = l->slices->m->n_constructs;
	double *behind = memory_get(n_constructs + (size_t)1, sizeof *behind, WHAT);
	json_t *text = NULL;
	for (size_t step = 1; text == NULL; step *= 2) {
		struct buffer all = {0};
		for (uint32_t row = 0; row < l->rows->n_rows; row++) {
			memset(behind, 0, (n_constructs + (size_t)1) * sizeof *behind);
			put_windows(l, row, step, behind, &all);
		}
		text = report_packed(&all);
		buffer_free(&all);
		if (json_string_length(text) > n_bytes && step < l->n_windows) {
			json_decref(text);
			text = NULL;
		}
	}
	free(behind);
	return text;
}

/* ---- All streams ---- */

static int read_streams(struct lanes *l, struct report_lane *lanes, bool is_exact)
{
	size_t n = l->dump->n_streams;
	int rc = 0;
#pragma omp parallel for schedule(dynamic) reduction(| : rc) if (!l->rows->is_folded)
	for (size_t i = 0; i < n; i++) {
		lanes[i] = (struct report_lane){.lanes = l, .row = l->rows->row_of[i], .is_exact = is_exact};
		for (size_t chunk = 0; chunk < l->slices->streams[i].slices.n_chunks; chunk++)
			rc |= slices_read(l->slices, i, chunk, show, &lanes[i]);
	}
	return rc;
}

static json_t *exact_packed(const struct lanes *l, const struct report_lane *lanes)
{
	struct buffer all = {0};
	for (size_t i = 0; i < l->dump->n_streams; i++) {
		buffer_put_varint(&all, lanes[i].begin_ns);
		buffer_put_varint(&all, lanes[i].n);
		buffer_put(&all, lanes[i].stretches.bytes, lanes[i].stretches.n);
	}
	json_t *text = report_packed(&all);
	buffer_free(&all);
	return text;
}

/* Row, begin, length and task of each stretch of the tasks that are in the page. */
static json_t *parts_of(const struct lanes *l, const struct report_lane *lanes)
{
	json_t *parts = json_array();
	for (size_t i = 0; i < l->dump->n_streams; i++)
		for (size_t j = 0; j < lanes[i].n_parts && json_array_size(parts) < LANES_PARTS; j++) {
			uint64_t part[3];
			memcpy(part, lanes[i].parts.bytes + j * sizeof part, sizeof part);
			json_array_append_new(parts, json_pack("[I,I,I,I]", (json_int_t)lanes[i].row, (json_int_t)part[0],
							       (json_int_t)part[1], (json_int_t)part[2]));
		}
	return parts;
}

static void free_lanes(struct report_lane *lanes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buffer_free(&lanes[i].stretches);
		buffer_free(&lanes[i].parts);
		lanes[i].n_parts = 0;
	}
}

static json_t *names_of(const struct lanes *l)
{
	const struct model *m = l->slices->m;
	json_t *names = json_array();
	for (uint32_t c = 0; c < m->n_constructs; c++)
		if (l->is_used[c])
			json_array_append_new(names, json_pack("[I,o]", (json_int_t)c, report_text(m->constructs[c].label)));
	return names;
}

static void find_singles(struct lanes *l, const struct callpaths *callpaths, uint64_t n_before)
{
	uint32_t n_tasks = l->slices->m->n_tasks;
	l->is_single = memory_zeroed(n_tasks + (size_t)1, 1, WHAT);
	for (size_t i = 0; i < callpaths->n_singles; i++)
		if (callpaths->singles[i].task > n_before && callpaths->singles[i].task - n_before < n_tasks)
			l->is_single[callpaths->singles[i].task - n_before] = 1;
}

static size_t room_for(const json_t *process, size_t n_processes)
{
	size_t taken = json_string_length(json_object_get(process, "intervals")) * n_processes;
	size_t room = taken + LANES_LEAST < LANES_ALL ? LANES_ALL - taken : LANES_LEAST;
	return (room < LANES_BYTES ? room : LANES_BYTES) / n_processes;
}

int lanes_add(json_t *process, const struct slices *slices, const struct strips *rows, const struct answer *answer,
	      const struct callpaths *callpaths)
{
	const struct windows *w = rows->windows;
	struct lanes l = {.slices = slices, .rows = rows, .dump = &w->trace->dump, .same = answer->track.same};
	size_t n_streams = l.dump->n_streams, n_stretches = 0, n_bytes = room_for(process, rows->n_processes);
	uint64_t n_before = callpaths->n_nodes_before;
	for (size_t i = 0; i < n_streams; i++)
		n_stretches += slices->streams[i].slices.n_records;
	if (w->n == 0 || n_stretches == 0)
		return 0;
	l.is_used = memory_zeroed(slices->m->n_constructs + (size_t)1, 1, WHAT);
	l.begin_ticks = w->bounds[0];
	l.length_ticks = w->bounds[w->n] - w->bounds[0];
	find_singles(&l, callpaths, n_before);
	struct report_lane *lanes = memory_zeroed(n_streams + 1, sizeof *lanes, WHAT);
	bool is_exact = !rows->is_folded && n_stretches <= LANES_EXACT / rows->n_processes;
	int rc = is_exact ? read_streams(&l, lanes, true) : 0;
	json_t *text = rc == 0 && is_exact ? exact_packed(&l, lanes) : NULL, *object = json_object();
	if (is_exact && text != NULL && json_string_length(text) > n_bytes) {
		json_decref(text);
		free_lanes(lanes, n_streams);
		is_exact = false;
	}
	if (!is_exact && rc == 0 && l.length_ticks > 0) {
		size_t most = LANES_CELLS / rows->n_rows;
		l.n_windows = most < LANES_WINDOWS ? most : LANES_WINDOWS;
		l.cells = memory_zeroed(l.n_windows * rows->n_rows, sizeof *l.cells, WHAT);
		rc = read_streams(&l, lanes, false);
		text = windows_packed(&l, n_bytes);
		json_object_set_new(object, "parts", parts_of(&l, lanes));
		free(l.cells);
	}
	json_object_set_new(object, "exact", json_boolean(is_exact));
	json_object_set_new(object, "windows", json_integer((json_int_t)l.n_windows));
	json_object_set_new(object, "before", json_integer((json_int_t)n_before));
	json_object_set_new(object, "constructs", names_of(&l));
	json_object_set_new(object, "stretches", text != NULL ? text : json_null());
	json_object_set_new(process, "lanes", object);
	free_lanes(lanes, n_streams);
	free(lanes);
	free(l.is_used);
	free(l.is_single);
	return rc == 0 ? 0 : -1;
}
