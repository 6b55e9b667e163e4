/* SPDX-License-Identifier: BSD-3-Clause
 *
 * units.csv: a row for each run of a work unit of Argobots, and for each unit that acts without having been created.
 * docs/tables.md describes the columns. Called by run.c after the last process is replayed, if there are units; one
 * thread.
 */
#include "builder/graph/files.h"
#include "builder/graph/shared.h"
#include "builder/support/csv.h"

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

struct unit_table {
	struct csv csv;
	const struct trace *trace;
	const struct graph *graph;
	uint64_t node_offset; /* what this process adds to its nodes' numbers */
};

static void put_node(struct unit_table *u, uint32_t row)
{
	uint32_t node = row != 0 ? graph_unit_node(u->graph, row) : 0;
	csv_number_if(&u->csv, node != 0, u->node_offset + node);
}

static void put_stream(struct unit_table *u, bool is_known, uint32_t stream)
{
	csv_number_if(&u->csv, is_known, is_known ? u->trace->dump.streams[stream].number : 0);
}

static void put_rank(struct unit_table *u, uint32_t rank)
{
	csv_number_if(&u->csv, rank != UINT32_MAX, rank);
}

static void put_time(struct unit_table *u, uint64_t ticks)
{
	csv_number_if(&u->csv, ticks != 0, dump_ns(&u->trace->dump, ticks));
}

static void put_duration(struct unit_table *u, uint64_t ticks)
{
	csv_number(&u->csv, dump_duration_ns(&u->trace->dump, ticks));
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

static void put_row(struct unit_table *u, const struct work_unit *unit, uint32_t row)
{
	struct csv *csv = &u->csv;
	const struct construct *construct = &u->graph->model->constructs[unit->construct];
	bool is_created = (unit->state & UNIT_CREATED) != 0, has_run = (unit->state & UNIT_STARTED) != 0;
	csv_number(csv, u->trace->process);
	put_node(u, row);
	csv_handle(csv, unit->handle);
	csv_number(csv, unit->generation);
	csv_number(csv, unit->ordinal);
	csv_word(csv, unit_kind_name(unit->kind));
	csv_text(csv, construct->label);
	csv_text(csv, construct->file);
	csv_number_if(csv, construct->line != 0, construct->line);
	csv_text(csv, construct->function);
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
	put_duration(u, u->graph->unit_busy->busy.ticks[row]);
	put_duration(u, unit->wait_ticks);
	put_duration(u, unit->queued_ticks);
	csv_end_row(csv);
}

int units_csv(const struct graphs *graphs, const char *dir)
{
	struct unit_table u;
	if (csv_open(&u.csv, dir, "units.csv",
		     "process,node,handle,generation,run,kind,label,file,line,function,state,flags,life,creator,pool,last_pool,"
		     "stack_bytes,depth,create_stream,stream,rank,last_stream,last_rank,moves,creates,runs,yields,suspends,polls,"
		     "create_ns,begin_ns,end_ns,free_ns,busy_ns,wait_ns,queued_ns") != 0)
		return -1;
	for (size_t i = 0; i < graphs->n; i++) {
		const struct model *m = graphs->graphs[i].model;
		u.trace = &graphs->traces[i];
		u.graph = &graphs->graphs[i];
		u.node_offset = graphs_offset(graphs, i);
		for (uint32_t row = 1; row < m->n_units; row++)
			if (is_shown(&m->units[row]))
				put_row(&u, &m->units[row], row);
	}
	return csv_close(&u.csv);
}
