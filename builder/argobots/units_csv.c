/* SPDX-License-Identifier: BSD-3-Clause
 *
 * units.csv: a row for each run of a work unit of Argobots, and for each unit that acts without having been created.
 * docs/tables.md describes the columns. Runs on several threads.
 */
#include "builder/argobots/argobots.h"
#include "builder/graph/files.h"
#include "builder/graph/shared.h"
#include "builder/tables/row.h"
#include "builder/support/memory.h"

static bool is_shown(const struct work_unit *unit)
{
	return unit->kind != UNIT_ROOT && unit->state & UNIT_SEEN;
}

bool has_units(const struct graphs *graphs)
{
	for (size_t i = 0; i < graphs->n; i++)
		for (uint32_t row = 1; row < graphs->graphs[i].model->n_units; row++)
			if (is_shown(&graphs->graphs[i].model->units[row]))
				return true;
	return false;
}

/* Data for all rows of a process. */
struct unit_table {
	const struct trace *trace;
	const struct graph *graph;
	uint64_t node_offset;     /* this is added to the numbers of the process's nodes */
	struct row_writer places; /* the text of the columns of all constructs */
	size_t *first;            /* by construct: where its columns begin in `places`; one more: the end of the last */
};

/* Some rows of the table, on one thread. */
struct unit_rows {
	const struct unit_table *table;
	struct row_writer *to;
};

static void put_node(const struct unit_rows *u, uint32_t row)
{
	uint32_t node = row != 0 ? graph_unit_node(u->table->graph, row) : 0;
	row_put_u64_if(u->to, node != 0, u->table->node_offset + node);
}

static void put_stream(const struct unit_rows *u, bool is_known, uint32_t stream)
{
	row_put_u64_if(u->to, is_known, is_known ? u->table->trace->dump.streams[stream].number : 0);
}

static void put_rank(const struct unit_rows *u, uint32_t rank)
{
	row_put_u64_if(u->to, rank != UINT32_MAX, rank);
}

static void put_time(const struct unit_rows *u, uint64_t ticks)
{
	row_put_u64_if(u->to, ticks != 0, dump_ns(&u->table->trace->dump, ticks));
}

static void put_duration(const struct unit_rows *u, uint64_t ticks)
{
	row_put_u64(u->to, dump_duration_ns(&u->table->trace->dump, ticks));
}

/* What was done to the unit, and whether its records can be trusted. */
static void put_flags(struct row_writer *to, unsigned state)
{
	static const struct {
		unsigned bit;
		const char *name;
	} flags[] = {{UNIT_JOINED, "joined"}, {UNIT_FREED, "freed"}, {UNIT_CUT, "cut"}, {UNIT_CONTRADICTORY, "contradictory"}};
	char text[64], *at = text;
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (state & flags[i].bit) {
			if (at > text)
				*at++ = '|';
			at = text_put(at, flags[i].name, strlen(flags[i].name));
		}
	row_put_bytes(to, text, (size_t)(at - text));
}

static void put_row(const struct unit_rows *u, const struct work_unit *unit, uint32_t row)
{
	const struct unit_table *table = u->table;
	struct row_writer *to = u->to;
	const size_t *place = &table->first[unit->construct];
	bool is_created = (unit->state & UNIT_CREATED) != 0, has_run = (unit->state & UNIT_STARTED) != 0;
	row_put_u64(to, table->trace->process);
	put_node(u, row);
	row_put_hex(to, unit->handle);
	row_put_u64(to, unit->generation);
	row_put_u64(to, unit->ordinal);
	row_put_word(to, unit_kind_name(unit->kind));
	row_put_fields(to, table->places.text.bytes + place[0], place[1] - place[0]);
	row_put_word(to, unit_state_name(unit));
	put_flags(to, unit->state);
	row_put_u64(to, unit->life);
	put_node(u, unit->creator);
	row_put_hex(to, unit->pool);
	row_put_hex(to, unit->last_pool);
	row_put_u64(to, unit->stack_bytes);
	row_put_u64(to, unit->depth);
	put_stream(u, is_created, unit->create_stream);
	put_stream(u, has_run, unit->run_stream);
	put_rank(u, unit->run_rank);
	put_stream(u, has_run, unit->last_stream);
	put_rank(u, unit->last_rank);
	row_put_u64(to, unit->n_moves);
	row_put_u64(to, unit->n_created);
	row_put_u64(to, unit->n_runs);
	row_put_u64(to, unit->n_yields);
	row_put_u64(to, unit->n_suspends);
	row_put_u64(to, unit->n_polls);
	put_time(u, unit->create_ticks);
	put_time(u, unit->start_ticks);
	put_time(u, unit->end_ticks);
	put_time(u, unit->free_ticks);
	put_duration(u, table->graph->unit_busy->busy.ticks[row]);
	put_duration(u, unit->wait_ticks);
	put_duration(u, unit->queued_ticks);
	row_end(to);
}

static void put_rows(const void *self, struct row_writer *to, size_t first, size_t end)
{
	const struct unit_rows rows = {self, to};
	const struct model *m = rows.table->graph->model;
	for (size_t row = first; row < end; row++)
		if (row > 0 && is_shown(&m->units[row]))
			put_row(&rows, &m->units[row], (uint32_t)row);
}

/* Label, file, line and function of each construct, as units have them. */
static void make_places(struct unit_table *u)
{
	const struct model *m = u->graph->model;
	u->first = memory_get(m->n_constructs + (size_t)1, sizeof *u->first, "units.csv");
	u->places.text.n = 0;
	for (uint32_t i = 0; i < m->n_constructs; i++) {
		const struct construct *construct = &m->constructs[i];
		u->first[i] = u->places.text.n;
		row_put_text(&u->places, construct->label);
		row_put_text(&u->places, construct->file);
		row_put_u64_if(&u->places, construct->line != 0, construct->line);
		row_put_text(&u->places, construct->function);
		row_writer_more(&u->places);
	}
	u->first[m->n_constructs] = u->places.text.n;
}

int units_csv(const struct graphs *graphs, const struct table_place *place)
{
	struct row_writer to;
	if (row_writer_open(&to, place, TABLE_units) != 0)
		return -1;
	struct unit_table u = {.places = row_writer_apart(&to)};
	for (size_t i = 0; i < graphs->n; i++) {
		u.trace = &graphs->traces[i];
		u.graph = &graphs->graphs[i];
		u.node_offset = graphs->graphs[i].before.n_nodes;
		make_places(&u);
		row_writer_fill(&to, u.graph->model->n_units, put_rows, &u);
		free(u.first);
	}
	buffer_free(&u.places.text);
	return row_writer_close(&to);
}
