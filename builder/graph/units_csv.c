/* SPDX-License-Identifier: BSD-3-Clause
 *
 * units.csv: every run of a unit of Argobots, and who acts without having been created, a row. A unit is (process, handle, generation), its runs are
 * numbered. Nodes have the numbers that they have in nodes.csv.
 */
#include "builder/graph/files.h"
#include "builder/support/text.h"
#include "builder/support/file.h"

#include <inttypes.h>

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

static void put_node(FILE *out, const struct graph *graph, uint64_t offset, uint32_t row)
{
	uint32_t node = row != 0 ? graph_unit_node(graph, row) : 0;
	fputc(',', out);
	if (node != 0)
		fprintf(out, "%" PRIu64, offset + node);
}

static void put_handle(FILE *out, uint64_t handle)
{
	fputc(',', out);
	if (handle != 0)
		fprintf(out, "0x%" PRIx64, handle);
}

static void put_stream(FILE *out, const struct dump *dump, bool is_known, uint32_t stream)
{
	fputc(',', out);
	if (is_known)
		fprintf(out, "%" PRIu32, dump->streams[stream].number);
}

static void put_rank(FILE *out, uint32_t rank)
{
	fputc(',', out);
	if (rank != UINT32_MAX)
		fprintf(out, "%" PRIu32, rank);
}

static void put_time(FILE *out, const struct dump *dump, uint64_t ticks)
{
	fputc(',', out);
	if (ticks != 0)
		fprintf(out, "%" PRIu64, dump_ns(dump, ticks));
}

/* What was done to it, and what is to be thought of it. */
static void put_flags(FILE *out, unsigned state)
{
	static const struct {
		unsigned bit;
		const char *name;
	} flags[] = {{UNIT_JOINED, "joined"}, {UNIT_FREED, "freed"}, {UNIT_CUT, "cut"}, {UNIT_CONTRADICTORY, "doubtful"}};
	const char *separator = "";
	fputc(',', out);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (state & flags[i].bit) {
			fprintf(out, "%s%s", separator, flags[i].name);
			separator = "|";
		}
}

static void put_function(FILE *out, const struct construct *construct)
{
	fputc(',', out);
	text_csv(out, construct->label);
	fputc(',', out);
	text_csv(out, construct->file);
	fputc(',', out);
	if (construct->line != 0)
		fprintf(out, "%u", construct->line);
	fputc(',', out);
	text_csv(out, construct->function);
}

static void put_row(FILE *out, const struct trace *trace, const struct graph *graph, uint64_t offset, uint32_t row)
{
	const struct model *m = graph->model;
	const struct dump *dump = &trace->dump;
	const struct work_unit *unit = &m->units[row];
	bool is_created = (unit->state & UNIT_CREATED) != 0, has_run = (unit->state & UNIT_STARTED) != 0;
	fprintf(out, "%" PRIu32, trace->process);
	put_node(out, graph, offset, row);
	put_handle(out, unit->handle);
	fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%s", unit->generation, unit->ordinal, unit_kind_name(unit->kind));
	put_function(out, &m->constructs[unit->construct]);
	fprintf(out, ",%s", unit_state_name(unit));
	put_flags(out, unit->state);
	fprintf(out, ",%" PRIu32, unit->life);
	put_node(out, graph, offset, unit->creator);
	put_handle(out, unit->pool);
	put_handle(out, unit->last_pool);
	fprintf(out, ",%" PRIu32 ",%u", unit->stack_bytes, unit->depth);
	put_stream(out, dump, is_created, unit->create_stream);
	put_stream(out, dump, has_run, unit->run_stream);
	put_rank(out, unit->run_rank);
	put_stream(out, dump, has_run, unit->last_stream);
	put_rank(out, unit->last_rank);
	fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64, unit->n_moves, unit->n_created,
		unit->n_runs, unit->n_yields, unit->n_suspends, unit->n_polls);
	put_time(out, dump, unit->create_ticks);
	put_time(out, dump, unit->start_ticks);
	put_time(out, dump, unit->end_ticks);
	put_time(out, dump, unit->free_ticks);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", dump_duration_ns(dump, unit->busy_ticks),
		dump_duration_ns(dump, unit->wait_ticks), dump_duration_ns(dump, unit->queued_ticks));
}

int units_csv(const struct graphs *graphs, const char *dir)
{
	FILE *out = file_open(dir, "units.csv");
	if (out == NULL)
		return -1;
	fputs("process,node,handle,generation,run,kind,label,file,line,function,state,flags,life,creator,pool,last_pool,stack_bytes,depth,"
	      "create_stream,stream,rank,last_stream,last_rank,moves,creates,runs,yields,suspends,polls,create_ns,begin_ns,end_ns,free_ns,"
	      "busy_ns,wait_ns,queued_ns\n",
	      out);
	for (size_t i = 0; i < graphs->n; i++) {
		const struct graph *graph = &graphs->graphs[i];
		for (uint32_t row = 1; row < graph->model->n_units; row++)
			if (is_shown(&graph->model->units[row]))
				put_row(out, &graphs->traces[i], graph, graphs_offset(graphs, i), row);
	}
	return file_close(out, dir, "units.csv");
}
