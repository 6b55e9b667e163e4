/* SPDX-License-Identifier: BSD-3-Clause
 *
 * units.csv: a row for each run of a work unit of Argobots, and for each unit that acts without having been created.
 * docs/tables.md describes the columns. Called by run.c after the last process is replayed, if there are units;
 * rows on several threads.
 */
#include "builder/graph/files.h"
#include "builder/graph/shared.h"
#include "builder/support/csv.h"
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

/* What the units of a process have in common. */
struct unit_table {
	const struct trace *trace;
	const struct graph *graph;
	uint64_t node_offset; /* what this process adds to its nodes' numbers */
	struct csv places;    /* the columns of each construct, and ... */
	size_t *first;        /* ... by construct, where they begin; and where the last ones end */
};

/* Some rows of it, on one thread. */
struct unit_rows {
	const struct unit_table *table;
	struct csv *csv;
};

static void put_node(const struct unit_rows *u, uint32_t row)
{
	uint32_t node = row != 0 ? graph_unit_node(u->table->graph, row) : 0;
	csv_number_if(u->csv, node != 0, u->table->node_offset + node);
}

static void put_stream(const struct unit_rows *u, bool is_known, uint32_t stream)
{
	csv_number_if(u->csv, is_known, is_known ? u->table->trace->dump.streams[stream].number : 0);
}

static void put_rank(const struct unit_rows *u, uint32_t rank)
{
	csv_number_if(u->csv, rank != UINT32_MAX, rank);
}

static void put_time(const struct unit_rows *u, uint64_t ticks)
{
	csv_number_if(u->csv, ticks != 0, dump_ns(&u->table->trace->dump, ticks));
}

static void put_duration(const struct unit_rows *u, uint64_t ticks)
{
	csv_number(u->csv, dump_duration_ns(&u->table->trace->dump, ticks));
}

/* What was done to it, and whether its records can be trusted. */
static void put_flags(struct csv *csv, unsigned state)
{
	static const struct {
		unsigned bit;
		const char *name;
	} flags[] = {{UNIT_JOINED, "joined"}, {UNIT_FREED, "freed"}, {UNIT_CUT, "cut"}, {UNIT_CONTRADICTORY, "contradictory"}};
	const char *separator = "";
	csv_empty(csv, 1);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (state & flags[i].bit) {
			csv_append(csv, separator);
			csv_append(csv, flags[i].name);
			separator = "|";
		}
}

static void put_row(const struct unit_rows *u, const struct work_unit *unit, uint32_t row)
{
	const struct unit_table *table = u->table;
	struct csv *csv = u->csv;
	const size_t *place = &table->first[unit->construct];
	bool is_created = (unit->state & UNIT_CREATED) != 0, has_run = (unit->state & UNIT_STARTED) != 0;
	csv_number(csv, table->trace->process);
	put_node(u, row);
	csv_handle(csv, unit->handle);
	csv_number(csv, unit->generation);
	csv_number(csv, unit->ordinal);
	csv_word(csv, unit_kind_name(unit->kind));
	csv_fields(csv, table->places.text.bytes + place[0], place[1] - place[0]);
	csv_word(csv, unit_state_name(unit));
	put_flags(csv, unit->state);
	csv_number(csv, unit->life);
	put_node(u, unit->creator);
	csv_handle(csv, unit->pool);
	csv_handle(csv, unit->last_pool);
	csv_number(csv, unit->stack_bytes);
	csv_number(csv, unit->depth);
	put_stream(u, is_created, unit->create_stream);
	put_stream(u, has_run, unit->run_stream);
	put_rank(u, unit->run_rank);
	put_stream(u, has_run, unit->last_stream);
	put_rank(u, unit->last_rank);
	csv_number(csv, unit->n_moves);
	csv_number(csv, unit->n_created);
	csv_number(csv, unit->n_runs);
	csv_number(csv, unit->n_yields);
	csv_number(csv, unit->n_suspends);
	csv_number(csv, unit->n_polls);
	put_time(u, unit->create_ticks);
	put_time(u, unit->start_ticks);
	put_time(u, unit->end_ticks);
	put_time(u, unit->free_ticks);
	put_duration(u, table->graph->unit_busy->busy.ticks[row]);
	put_duration(u, unit->wait_ticks);
	put_duration(u, unit->queued_ticks);
	csv_end_row(csv);
}

static void put_rows(const void *self, struct csv *csv, size_t first, size_t end)
{
	const struct unit_rows rows = {self, csv};
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
		csv_text(&u->places, construct->label);
		csv_text(&u->places, construct->file);
		csv_number_if(&u->places, construct->line != 0, construct->line);
		csv_text(&u->places, construct->function);
		csv_more(&u->places, 0);
	}
	u->first[m->n_constructs] = u->places.text.n;
}

int units_csv(const struct graphs *graphs, const struct csv_place *place)
{
	struct csv csv;
	struct unit_table u = {.places = {.out = NULL}};
	if (csv_open(&csv, place, "units.csv",
		     "process,node,handle,generation,run,kind,label,file,line,function,state,flags,life,creator,pool,last_pool,"
		     "stack_bytes,depth,create_stream,stream,rank,last_stream,last_rank,moves,creates,runs,yields,suspends,polls,"
		     "create_ns,begin_ns,end_ns,free_ns,busy_ns,wait_ns,queued_ns") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		u.trace = &graphs->traces[i];
		u.graph = &graphs->graphs[i];
		u.node_offset = graphs->graphs[i].before.n_nodes;
		make_places(&u);
		csv_rows(&csv, u.graph->model->n_units, put_rows, &u);
		free(u.first);
	}
	buffer_free(&u.places.text);
	return csv_close(&csv);
}
