/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each thread did when, for the page's time line: see parts.h. It is exact while a run has no more intervals than a
 * page can hold. Else each row is divided into windows of equal length, and a window has one state: the one
 * whose number of windows so far is furthest below its share of the time (error diffusion), so that sums over several windows
 * are right where a state takes a small part of each. The windows that a reader looks at most closely are exact there too: the
 * first and the last, and those where the longest parts of the critical path begin and end.
 *
 * A row is in the page: its begin in ns and its number of intervals, then of each interval the state and the length in
 * ns; numbers as in LEB128. All rows of a process one after the other, deflated (RFC 1950), in base64.
 */
#include "builder/report/parts.h"
#include "builder/support/lower_bound.h"
#include "builder/support/memory.h"
#include "builder/support/varint.h"

#include <stdlib.h>

#define WHAT          "report.html"
#define CLOSE_BYTES   (24 << 10) /* the most bytes of the intervals of an exact window; with more it is not exact */
#define NS_PER_SECOND UINT64_C(1000000000)
#define CELL_SLOTS    5 /* states of a window; the time of further ones is added to the last of them */

struct strip_cell {
	float ticks[CELL_SLOTS];
	uint8_t states[CELL_SLOTS];
	uint8_t n;
};

/* The number of windows that become one, so that the rows of all processes fit into a page. */
static size_t windows_in_one(const struct strips *rows)
{
	size_t n = rows->n_rows * rows->n_processes;
	return n <= STRIPS_THREADS_MAX ? 1 : (n + STRIPS_THREADS_MAX - 1) / STRIPS_THREADS_MAX;
}

/* Single windows are in the page, and rows of single threads. */
static bool has_room_for_close(const struct strips *rows)
{
	return !rows->is_folded && windows_in_one(rows) == 1;
}

/* The windows of the first and of the last second, as far as there is room for them. */
static void want_edges(struct strips *rows)
{
	const struct windows *w = rows->windows;
	uint64_t first_ns = dump_ns(&w->trace->dump, w->bounds[0]), last_ns = dump_ns(&w->trace->dump, w->bounds[w->n]);
	for (size_t i = 0; i < STRIPS_CLOSE_EDGE && i < w->n; i++) {
		if (dump_ns(&w->trace->dump, w->bounds[i]) < first_ns + NS_PER_SECOND)
			rows->is_close[i] = 1;
		if (dump_ns(&w->trace->dump, w->bounds[w->n - i]) + NS_PER_SECOND > last_ns)
			rows->is_close[w->n - 1 - i] = 1;
	}
}

void strips_begin(struct strips *rows, const struct windows *windows, size_t n_processes)
{
	size_t n_streams = windows->trace->dump.n_streams;
	*rows = (struct strips){.windows = windows, .n_processes = n_processes};
	rows->is_folded = n_streams > STRIPS_THREADS_MAX;
	rows->is_exact = !rows->is_folded && windows->n_changes <= STRIPS_EXACT / n_processes;
	rows->n_rows = rows->is_folded ? 1 : (uint32_t)n_streams;
	rows->n_folded = rows->is_folded ? (uint32_t)n_streams : 1;
	rows->row_of = memory_zeroed(n_streams + 1, sizeof *rows->row_of, WHAT);
	for (size_t i = 0; i < n_streams && !rows->is_folded; i++)
		rows->row_of[i] = (uint32_t)i;
	rows->exact = memory_zeroed(windows->n + 1, sizeof *rows->exact, WHAT);
	rows->cells = memory_zeroed((windows->n + 1) * rows->n_rows, sizeof *rows->cells, WHAT);
	rows->is_close = memory_zeroed(windows->n + 1, sizeof *rows->is_close, WHAT);
	if (windows->n > 0 && has_room_for_close(rows))
		want_edges(rows);
}

void strips_want(struct strips *rows, uint64_t ticks)
{
	const uint64_t *bounds = rows->windows->bounds;
	size_t n = rows->windows->n;
	if (n == 0 || rows->is_close == NULL || !has_room_for_close(rows) || ticks < bounds[0] || ticks > bounds[n])
		return;
	rows->is_close[lower_bound(i, 1, n, bounds[i] <= ticks) - 1] = 1;
}

static void add_to_cell(struct strip_cell *cell, enum state state, float ticks)
{
	unsigned slot = 0;
	while (slot < cell->n && cell->states[slot] != state)
		slot++;
	if (slot == CELL_SLOTS)
		slot--;
	else if (slot == cell->n) {
		cell->states[slot] = (uint8_t)state;
		cell->n++;
	}
	cell->ticks[slot] += ticks;
}

void strips_add_interval(struct strips *rows, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks,
			 uint64_t end_ticks)
{
	uint32_t row = rows->row_of[stream];
	if (state == STATE_NONE || end_ticks == begin_ticks)
		return;
	add_to_cell(&rows->cells[window * rows->n_rows + row], state, (float)(end_ticks - begin_ticks));
	if (rows->exact[window].n > CLOSE_BYTES)
		rows->is_close[window] = 0;
	if (!rows->is_exact && !rows->is_close[window])
		return;
	buffer_put_varint(&rows->exact[window], row);
	buffer_put_varint(&rows->exact[window], state);
	buffer_put_varint(&rows->exact[window], begin_ticks - rows->windows->bounds[window]);
	buffer_put_varint(&rows->exact[window], end_ticks - begin_ticks);
}

/* ---- A row that is written ---- */

struct strip {
	const struct dump *dump;
	struct buffer intervals;
	uint64_t begin_ns, end_ns, n;
	enum state state;  /* of the interval that is open */
	uint64_t since_ns; /* and when it began */
};

static void close_interval(struct strip *line)
{
	if (line->n == 0 && line->since_ns == line->end_ns)
		return;
	buffer_put_varint(&line->intervals, line->state);
	buffer_put_varint(&line->intervals, line->end_ns - line->since_ns);
	line->n++;
}

static void add_to_line(struct strip *line, enum state state, uint64_t begin_ticks, uint64_t end_ticks)
{
	uint64_t begin_ns = dump_ns(line->dump, begin_ticks), end_ns = dump_ns(line->dump, end_ticks);
	bool is_first = line->n == 0 && line->since_ns == line->end_ns;
	if (is_first) {
		line->begin_ns = line->since_ns = line->end_ns = begin_ns;
		line->state = state;
	}
	if (begin_ns > line->end_ns) { /* no thread */
		close_interval(line);
		line->since_ns = line->end_ns;
		line->state = STATE_NONE;
		line->end_ns = begin_ns;
	}
	if (state != line->state) {
		close_interval(line);
		line->since_ns = line->end_ns;
		line->state = state;
	}
	line->end_ns = end_ns;
}

static void end_line(struct strip *line, struct buffer *all)
{
	if (line->end_ns > line->since_ns)
		close_interval(line);
	buffer_put_varint(all, line->begin_ns);
	buffer_put_varint(all, line->n);
	buffer_put(all, line->intervals.bytes, line->intervals.n);
	buffer_free(&line->intervals);
}

static void write_exact(const struct strips *rows, size_t window, struct strip *lines)
{
	const struct buffer *exact = &rows->exact[window];
	if (exact->n == 0) /* the buffer may have no memory */
		return;
	const unsigned char *at = (const unsigned char *)exact->bytes, *end = at + exact->n;
	while (at < end) {
		uint64_t row = varint_take(&at), state = varint_take(&at);
		uint64_t begin = rows->windows->bounds[window] + varint_take(&at);
		add_to_line(&lines[row], (enum state)state, begin, begin + varint_take(&at));
	}
}

/* Writes one state for the row from window `begin` to `end`. `behind`: the time of each state that is not shown yet. */
static void write_window(const struct strips *rows, uint32_t row, size_t begin, size_t end, double behind[STATES + 1],
			 struct strip *line)
{
	const uint64_t *bounds = rows->windows->bounds;
	double length = (double)(bounds[end] - bounds[begin]), none = 1;
	for (size_t i = begin; i < end; i++) {
		const struct strip_cell *cell = &rows->cells[i * rows->n_rows + row];
		for (unsigned k = 0; k < cell->n; k++) {
			double share = (double)cell->ticks[k] / length / rows->n_folded;
			behind[cell->states[k]] += share;
			none -= share;
		}
	}
	behind[STATE_NONE] += none > 1e-6 ? none : 0;
	unsigned most = 0;
	for (unsigned k = 1; k <= STATES; k++)
		most = behind[k] > behind[most] ? k : most;
	behind[most] -= 1;
	if (most != STATE_NONE)
		add_to_line(line, (enum state)most, bounds[begin], bounds[end]);
}

static void write_rows(const struct strips *rows, struct strip *lines)
{
	size_t n = rows->windows->n, step = rows->is_exact ? 1 : windows_in_one(rows);
	double(*behind)[STATES + 1] = memory_zeroed(rows->n_rows + (size_t)1, sizeof *behind, WHAT);
	for (size_t i = 0; i < n; i += step) {
		if (rows->is_exact || rows->is_close[i]) {
			write_exact(rows, i, lines);
			continue;
		}
		for (uint32_t row = 0; row < rows->n_rows; row++)
			write_window(rows, row, i, i + step < n ? i + step : n, behind[row], &lines[row]);
	}
	free(behind);
}

/* ---- Into the page ---- */

/* Begin and end of the stretches of time that are exact although the run is not. */
static json_t *close_times(const struct strips *rows)
{
	const struct windows *w = rows->windows;
	json_t *times = json_array();
	for (size_t i = 0, end; !rows->is_exact && i < w->n; i = end) {
		for (end = i; end < w->n && rows->is_close[end]; end++)
			;
		if (end > i)
			json_array_append_new(times, json_pack("[I, I]", (json_int_t)dump_ns(&w->trace->dump, w->bounds[i]),
							       (json_int_t)dump_ns(&w->trace->dump, w->bounds[end])));
		end += end == i;
	}
	return times;
}

/* All rows, one after the other. */
static json_t *rows_packed(const struct strips *rows)
{
	struct strip *lines = memory_zeroed(rows->n_rows + (size_t)1, sizeof *lines, WHAT);
	struct buffer all = {0};
	for (uint32_t i = 0; i < rows->n_rows; i++)
		lines[i].dump = &rows->windows->trace->dump;
	write_rows(rows, lines);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		end_line(&lines[i], &all);
	json_t *text = report_packed(&all);
	buffer_free(&all);
	free(lines);
	return text;
}

void strips_end(struct strips *rows, json_t *process)
{
	const struct dump *dump = &rows->windows->trace->dump;
	json_t *names = json_array(), *states = json_array(), *intervals = rows_packed(rows);
	if (rows->is_exact && json_string_length(intervals) > STRIPS_BYTES / rows->n_processes) {
		json_decref(intervals);
		rows->is_exact = false;
		intervals = rows_packed(rows);
	}
	for (uint32_t i = 0; i < rows->n_rows; i++)
		json_array_append_new(names, json_integer(rows->is_folded ? (json_int_t)rows->n_folded : dump->streams[i].number));
	for (unsigned i = 0; i < STATES; i++)
		json_array_append_new(states, json_string(state_name((enum state)i)));
	json_object_set_new(process, "exact", json_boolean(rows->is_exact));
	json_object_set_new(process, "folded", json_boolean(rows->is_folded));
	json_object_set_new(process, "windows", json_integer((json_int_t)(rows->windows->n / windows_in_one(rows))));
	json_object_set_new(process, "close", close_times(rows));
	json_object_set_new(process, "states", states);
	json_object_set_new(process, "rows", names);
	json_object_set_new(process, "intervals", intervals);
}

void strips_free(struct strips *rows)
{
	for (size_t i = 0; rows->exact != NULL && i < rows->windows->n; i++)
		buffer_free(&rows->exact[i]);
	free(rows->exact);
	free(rows->is_close);
	free(rows->cells);
	free(rows->row_of);
	*rows = (struct strips){0};
}
