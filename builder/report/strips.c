/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each thread did when, for the page's time line: see parts.h. Exactly, while a run has no more intervals than a page
 * can hold. Else each row is divided into windows as long as each other, and a window has one state: the one that is
 * furthest behind its share of the time so far (error diffusion), so that sums over several windows are right where a
 * state takes a small part of each.
 *
 * A row is in the page: its begin in ns and its number of intervals, then of each interval the state and the length in
 * ns; numbers as in LEB128. All rows of a process one after the other, deflated (RFC 1950), in base64.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <zlib.h>

#define WHAT       "report.html"
#define CELL_SLOTS 5 /* states of a window; what comes after is added to the last of them */

struct cell {
	float ticks[CELL_SLOTS];
	uint8_t states[CELL_SLOTS];
	uint8_t n;
};

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
	if (rows->is_exact)
		rows->exact = memory_zeroed(windows->n + 1, sizeof *rows->exact, WHAT);
	else
		rows->cells = memory_zeroed((windows->n + 1) * rows->n_rows, sizeof *rows->cells, WHAT);
}

static void put_number(struct buffer *to, uint64_t number)
{
	unsigned char *at = (unsigned char *)buffer_room(to, 10);
	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	buffer_end_at(to, (char *)at);
}

static uint64_t get_number(const unsigned char **at)
{
	uint64_t number = 0;
	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = *(*at)++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
}

static void add_to_cell(struct cell *cell, enum state state, float ticks)
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
	if (!rows->is_exact) {
		add_to_cell(&rows->cells[window * rows->n_rows + row], state, (float)(end_ticks - begin_ticks));
		return;
	}
	put_number(&rows->exact[window], row);
	put_number(&rows->exact[window], state);
	put_number(&rows->exact[window], begin_ticks - rows->windows->bounds[window]);
	put_number(&rows->exact[window], end_ticks - begin_ticks);
}

/* ---- A row that is written ---- */

struct line {
	const struct dump *dump;
	struct buffer intervals;
	uint64_t begin_ns, end_ns, n;
	enum state state;  /* of the interval that is open */
	uint64_t since_ns; /* and when it began */
};

static void close_interval(struct line *line)
{
	if (line->n == 0 && line->since_ns == line->end_ns)
		return;
	put_number(&line->intervals, line->state);
	put_number(&line->intervals, line->end_ns - line->since_ns);
	line->n++;
}

static void add_to_line(struct line *line, enum state state, uint64_t begin_ticks, uint64_t end_ticks)
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

static void end_line(struct line *line, struct buffer *all)
{
	if (line->end_ns > line->since_ns)
		close_interval(line);
	put_number(all, line->begin_ns);
	put_number(all, line->n);
	buffer_put(all, line->intervals.bytes, line->intervals.n);
	buffer_free(&line->intervals);
}

static void write_exact(const struct strips *rows, struct line *lines)
{
	for (size_t i = 0; i < rows->windows->n; i++) {
		const unsigned char *at = (const unsigned char *)rows->exact[i].bytes, *end = at + rows->exact[i].n;
		while (at < end) {
			uint64_t row = get_number(&at), state = get_number(&at);
			uint64_t begin = rows->windows->bounds[i] + get_number(&at);
			add_to_line(&lines[row], (enum state)state, begin, begin + get_number(&at));
		}
		buffer_free(&rows->exact[i]);
	}
}

/* So many windows become one, that the rows of all processes fit into a page. */
static size_t windows_in_one(const struct strips *rows)
{
	size_t n = rows->n_rows * rows->n_processes;
	return n <= STRIPS_THREADS_MAX ? 1 : (n + STRIPS_THREADS_MAX - 1) / STRIPS_THREADS_MAX;
}

static void write_windows(const struct strips *rows, uint32_t row, struct line *line)
{
	const uint64_t *bounds = rows->windows->bounds;
	size_t step = windows_in_one(rows);
	double behind[STATES + 1] = {0};
	for (size_t i = 0; i < rows->windows->n; i += step) {
		size_t end = i + step < rows->windows->n ? i + step : rows->windows->n;
		double length = (double)(bounds[end] - bounds[i]), none = 1;
		for (size_t j = i; j < end; j++) {
			const struct cell *cell = &rows->cells[j * rows->n_rows + row];
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
			add_to_line(line, (enum state)most, bounds[i], bounds[end]);
	}
}

/* ---- Into the page ---- */

static char *base64(const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = memory_get((n + 2) / 3 * 4 + 1, 1, WHAT), *to = text;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t three =
			(uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0u);
		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = i + 1 < n ? digits[three >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[three & 63] : '=';
	}
	*to = '\0';
	return text;
}

static json_t *packed(const struct buffer *all)
{
	uLongf n = compressBound(all->n);
	unsigned char *bytes = memory_get(n, 1, WHAT);
	json_t *text = NULL;
	if (compress2(bytes, &n, (const Bytef *)all->bytes, all->n, 6) == Z_OK) {
		char *encoded = base64(bytes, n);
		text = json_string_nocheck(encoded);
		free(encoded);
	}
	free(bytes);
	return text;
}

void strips_end(struct strips *rows, json_t *process)
{
	const struct dump *dump = &rows->windows->trace->dump;
	struct line *lines = memory_zeroed(rows->n_rows + (size_t)1, sizeof *lines, WHAT);
	struct buffer all = {0};
	json_t *names = json_array(), *states = json_array();
	for (uint32_t i = 0; i < rows->n_rows; i++)
		lines[i].dump = dump;
	if (rows->is_exact)
		write_exact(rows, lines);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (!rows->is_exact)
			write_windows(rows, i, &lines[i]);
		end_line(&lines[i], &all);
		json_array_append_new(names, json_integer(rows->is_folded ? (json_int_t)rows->n_folded : dump->streams[i].number));
	}
	for (unsigned i = 0; i < STATES; i++)
		json_array_append_new(states, json_string(state_name((enum state)i)));
	json_object_set_new(process, "exact", json_boolean(rows->is_exact));
	json_object_set_new(process, "folded", json_boolean(rows->is_folded));
	json_object_set_new(process, "windows", json_integer((json_int_t)(rows->windows->n / windows_in_one(rows))));
	json_object_set_new(process, "states", states);
	json_object_set_new(process, "rows", names);
	json_object_set_new(process, "intervals", packed(&all));
	buffer_free(&all);
	free(lines);
}

void strips_free(struct strips *rows)
{
	for (size_t i = 0; rows->exact != NULL && i < rows->windows->n; i++)
		buffer_free(&rows->exact[i]);
	free(rows->exact);
	free(rows->cells);
	free(rows->row_of);
	*rows = (struct strips){0};
}
