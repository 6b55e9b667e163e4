/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps what threads did over time for the pictures of it: see profile.h. Windows are filled by the thread that sweeps
 * them, the rest is done on one thread.
 */
#include "builder/draw/profile.h"
#include "builder/draw/files.h"
#include "builder/states/windows.h"
#include "builder/support/memory.h"

#include <inttypes.h>
#include <stdlib.h>

#define WHAT        "pictures"
#define MAX_CELLS   16000 /* rows times columns: more would make the file too large */
#define MAX_COLUMNS 600
#define MIN_COLUMNS 100
#define MAX_SPAN    4 /* times as long as the longest process: of processes that are further apart, each has its own begin */

static struct profile_process *process_of(const struct profile *p, const struct windows *windows)
{
	return &p->processes[windows->trace - p->graphs->traces];
}

static void begin(void *self, const struct windows *windows)
{
	struct profile *p = self;
	const struct profile_process *process = process_of(p, windows);
	p->n_windows = windows->n;
	p->ticks = memory_zeroed(process->n_rows * (windows->n + 1) * SHADES, sizeof *p->ticks, WHAT);
	p->ready_ticks = memory_zeroed(windows->n + 1, sizeof *p->ready_ticks, WHAT);
}

static void add_interval(void *self, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct profile *p = self;
	size_t row = p->is_folded ? 0 : stream;
	p->ticks[(row * p->n_windows + window) * SHADES + shade_of(state)] += end_ticks - begin_ticks;
}

static void add_moment(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct profile *p = self;
	p->ready_ticks[window] += (moment->n_ready > 0 ? (uint64_t)moment->n_ready : 0) * (end_ticks - begin_ticks);
}

/* Exactly what states.csv says of the rows. */
static void add_totals(struct profile *p, const struct windows *windows)
{
	const struct profile_process *process = process_of(p, windows);
	const struct states *states = &p->states[windows->trace - p->graphs->traces];
	for (size_t i = 0; i < states->n_streams; i++) {
		uint64_t ns[STATES];
		state_times_ns(&windows->trace->dump, &states->times[i], ns);
		for (unsigned state = 0; state < STATES; state++)
			p->rows[process->first_row + (p->is_folded ? 0 : i)].total_ns[shade_of(state)] += ns[state];
	}
}

static void end(void *self, const struct windows *windows)
{
	struct profile *p = self;
	struct profile_process *process = process_of(p, windows);
	const struct dump *dump = &windows->trace->dump;
	size_t n = process->n_rows * windows->n * SHADES;
	for (size_t i = 0; i < n; i++)
		p->ticks[i] = dump_duration_ns(dump, p->ticks[i]);
	for (size_t i = 0; i < windows->n; i++)
		p->ready_ticks[i] = dump_duration_ns(dump, p->ready_ticks[i]);
	process->ns = p->ticks;
	process->ready_ns = p->ready_ticks;
	process->n_windows = windows->n;
	process->first_ns = windows->n != 0 ? dump_ns(dump, windows->bounds[0]) : 0;
	process->last_ns = windows->n != 0 ? dump_ns(dump, windows->bounds[windows->n]) : 0;
	process->start_ns = dump->first_realtime_ns;
	p->ticks = p->ready_ticks = NULL;
	add_totals(p, windows);
}

/* ---- All processes on one axis ---- */

/* Where the process is on it: from its first state on. */
static uint64_t offset_ns(const struct profile *p, const struct profile_process *process, uint64_t first_ns)
{
	return p->is_from_begins ? 0 : process->start_ns + process->first_ns - first_ns;
}

static uint64_t first_begin_ns(const struct profile *p)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < p->graphs->n; i++) {
		const struct profile_process *process = &p->processes[i];
		if (process->n_windows != 0 && process->start_ns + process->first_ns < first)
			first = process->start_ns + process->first_ns;
	}
	return first;
}

static void measure(struct profile *p, uint64_t first_ns)
{
	uint64_t longest = 0, last = 0;
	for (size_t i = 0; i < p->graphs->n; i++) {
		const struct profile_process *process = &p->processes[i];
		uint64_t length = process->last_ns - process->first_ns;
		longest = length > longest ? length : longest;
		if (process->n_windows != 0 && process->start_ns + process->last_ns - first_ns > last)
			last = process->start_ns + process->last_ns - first_ns;
	}
	p->is_from_begins = last / MAX_SPAN > longest;
	p->length_ns = p->is_from_begins ? longest : last;
}

/* Adds to each column what of a window's sum lies in it: as much of the sum as of the time. `stride` is that of columns. */
static void spread(const struct profile *p, uint64_t *columns, size_t stride, uint64_t sum, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t n = p->n_columns != 0 ? p->n_columns : 1, length = p->length_ns != 0 ? p->length_ns : 1, so_far = 0;
	uint64_t column = (uint64_t)((unsigned __int128)from_ns * n / length);
	for (column = column < n ? column : n - 1; so_far < sum; column++) {
		uint64_t end_ns = (uint64_t)((unsigned __int128)length * (column + 1) / n), until = sum;
		if (column + 1 < n && end_ns < to_ns)
			until = end_ns > from_ns ? (uint64_t)((unsigned __int128)sum * (end_ns - from_ns) / (to_ns - from_ns)) : 0;
		columns[column * stride] += until - so_far;
		so_far = until;
	}
}

static void bring_together(struct profile *p)
{
	uint64_t first_ns = first_begin_ns(p);
	measure(p, first_ns);
	p->ready_ns = memory_zeroed(p->n_columns, sizeof *p->ready_ns, WHAT);
	for (size_t i = 0; i < p->n_rows; i++)
		p->rows[i].ns = memory_zeroed(p->n_columns * SHADES, sizeof *p->rows[i].ns, WHAT);
	for (size_t i = 0; i < p->graphs->n; i++) {
		const struct profile_process *process = &p->processes[i];
		uint64_t begin_ns = offset_ns(p, process, first_ns), length = process->last_ns - process->first_ns;
		for (size_t w = 0; w < process->n_windows; w++) {
			uint64_t from = begin_ns + (uint64_t)((unsigned __int128)length * w / process->n_windows);
			uint64_t to = begin_ns + (uint64_t)((unsigned __int128)length * (w + 1) / process->n_windows);
			for (size_t j = 0; j < process->n_rows * SHADES; j++)
				spread(p, &p->rows[process->first_row + j / SHADES].ns[j % SHADES], SHADES,
				       process->ns[(j / SHADES * process->n_windows + w) * SHADES + j % SHADES], from, to);
			spread(p, p->ready_ns, 1, process->ready_ns[w], from, to);
		}
	}
}

static char *make_title(const struct profile *p)
{
	const struct trace *traces = p->graphs->traces;
	if (p->graphs->n == 1)
		return text_format("%s: %" PRIu64 " threads", traces[0].dump.name, p->n_threads);
	return text_format("%s and %zu more: %" PRIu64 " threads%s", traces[0].dump.name, p->graphs->n - 1, p->n_threads,
			   p->is_from_begins ? ", each process from its begin" : "");
}

static int close_profile(void *self)
{
	struct profile *p = self;
	bring_together(p);
	p->title = make_title(p);
	int rc = svg_timeline(p) | svg_parallelism(p);
	for (size_t i = 0; i < p->n_rows; i++) {
		free(p->rows[i].name);
		free(p->rows[i].ns);
	}
	for (size_t i = 0; i < p->graphs->n; i++) {
		free(p->processes[i].ns);
		free(p->processes[i].ready_ns);
	}
	free(p->processes);
	free(p->title);
	free(p->rows);
	free(p->ready_ns);
	free(p->ticks);
	free(p->ready_ticks);
	free(p);
	return rc == 0 ? 0 : -1;
}

/* ---- Rows ---- */

static char *process_name(const struct profile *p, size_t i)
{
	const struct trace *trace = &p->graphs->traces[i];
	long rank = trace->dump.meta.rank;
	return rank >= 0 ? text_format("rank %ld", rank) : text_format("process %" PRIu32, trace->process);
}

static void add_thread_rows(struct profile *p, size_t i)
{
	const struct dump *dump = &p->graphs->traces[i].dump;
	char *process = process_name(p, i);
	for (size_t j = 0; j < dump->n_streams; j++) {
		char **name = &p->rows[p->processes[i].first_row + j].name;
		*name = p->graphs->n == 1 ? text_format("thread %" PRIu32, (uint32_t)dump->streams[j].number)
					  : text_format("%s, %" PRIu32, process, (uint32_t)dump->streams[j].number);
	}
	free(process);
}

static void lay_out(struct profile *p)
{
	size_t n = p->graphs->n;
	for (size_t i = 0; i < n; i++)
		p->n_threads += p->graphs->traces[i].dump.n_streams;
	p->is_folded = p->n_threads > ROWS_MAX;
	p->n_rows = !p->is_folded ? (size_t)p->n_threads : n < ROWS_MAX ? n : ROWS_MAX;
	p->n_columns = p->n_rows == 0 ? MAX_COLUMNS : MAX_CELLS / p->n_rows;
	p->n_columns = p->n_columns > MAX_COLUMNS ? MAX_COLUMNS : p->n_columns;
	if (p->n_columns > (size_t)p->width / 30) /* finer than print shows */
		p->n_columns = (size_t)p->width / 30;
	if (n > ROWS_MAX || p->n_columns < MIN_COLUMNS) /* many processes are kept at the same time */
		p->n_columns = MIN_COLUMNS;
	p->rows = memory_zeroed(p->n_rows + 1, sizeof *p->rows, WHAT);
	size_t row = 0;
	for (size_t i = 0; i < n; i++) {
		struct profile_process *process = &p->processes[i];
		process->n_streams = p->graphs->traces[i].dump.n_streams;
		process->n_rows = p->is_folded ? 1 : process->n_streams;
		process->first_row = p->is_folded ? i * p->n_rows / n : row;
		row += process->n_streams;
		if (!p->is_folded)
			add_thread_rows(p, i);
		else if (p->rows[process->first_row].name == NULL)
			p->rows[process->first_row].name =
				n <= ROWS_MAX ? process_name(p, i)
					      : text_format("from process %" PRIu32, p->graphs->traces[i].process);
	}
}

int sink_profile_open(struct sink *sink, const struct drawn_from *from, const struct picture_place *place, uint64_t width_mm)
{
	struct profile *p = memory_zeroed(1, sizeof *p, WHAT);
	p->place = *place;
	p->graphs = from->graphs;
	p->states = from->states;
	p->width = (int64_t)width_mm * MM;
	p->processes = memory_zeroed(p->graphs->n + 1, sizeof *p->processes, WHAT);
	lay_out(p);
	const struct window_user user = {begin, add_interval, add_moment, end, close_profile, true, p};
	return sink_windows_open(sink, place->dir, p->n_columns, &user, 1);
}
