/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes graph.graphml, by libxml2. Nodes and edges have the columns of the tables nodes and edges (tables.def): the sink is a
 * store that takes their rows. On one thread at a time.
 */
#include "builder/graphml/graphml.h"
#include "builder/support/file.h"
#include "builder/support/text.h"
#include "builder/tables/columns.h"

#include <errno.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "graph.graphml"

struct graphml {
	struct table_store store;  /* must be the first member: takes the rows of a process's nodes, then of its edges */
	enum table_id table;       /* the one that is open */
	const struct graph *graph; /* of the current process */
	const struct graphs *graphs;
	const char *dir;
	FILE *file;
	xmlTextWriterPtr out;
	uint64_t n_nodes;    /* of the processes so far */
	struct folds *folds; /* of all of them, as the next one may have too many nodes */
	bool has_failed, has_keys;
};

static bool is_folded(const struct graphml *g)
{
	return g->n_nodes > GRAPHML_NODES_MAX;
}

/* ---- Rows of tables ---- */

static void put_id(xmlTextWriterPtr out, const char *name, const struct cell *number)
{
	char id[1 + TEXT_DECIMAL_MAX + 1] = "n";
	*text_decimal(id + 1, number->number) = '\0';
	graphml_attribute(out, name, id);
}

static void put_cell(const struct graphml *g, const char *column, const struct cell *cell)
{
	bool is_node = g->table == TABLE_nodes;
	char digits[TEXT_DECIMAL_MAX + 1];
	if (cell->type == CELL_NUMBER) {
		*text_decimal(digits, cell->number) = '\0';
		graphml_value(g->out, is_node, column, digits);
	} else if (cell->type == CELL_TEXT) {
		char room[64], *text = cell->n < sizeof room ? room : memory_get(cell->n + (size_t)1, 1, NAME);
		*text_put(text, cell->text, cell->n) = '\0';
		graphml_value(g->out, is_node, column, text);
		if (text != room)
			free(text);
	}
}

/* Writes the node's construct, which has no column in its table. */
static void put_construct(const struct graphml *g, const struct cell *number)
{
	uint64_t before = g->graph->before.n_constructs;
	const struct construct *c = &g->graph->model->constructs[number->type == CELL_NUMBER ? number->number - before : 0];
	graphml_value(g->out, true, "label", c->label);
	graphml_value(g->out, true, "function", c->function);
	graphml_value(g->out, true, "file", c->file);
}

static void *open_table(struct table_store *store, enum table_id table)
{
	struct graphml *g = (struct graphml *)store;
	g->table = table;
	return g;
}

static ssize_t put_rows(void *self, const char *rows, size_t n_bytes)
{
	struct graphml *g = self;
	struct cell cells[COLUMNS_MAX] = {{0}};
	bool is_node = g->table == TABLE_nodes;
	const struct column *columns = table_formats[g->table].columns;
	unsigned n = table_n_columns(g->table);
	for (const char *at = rows; at < rows + n_bytes;) {
		for (unsigned i = 0; i < n; i++)
			at = cell_read(&cells[i], at);
		graphml_begin(g->out, is_node ? "node" : "edge", NULL, NULL);
		if (is_node) {
			put_id(g->out, "id", &cells[COLUMN_nodes_id]);
		} else {
			put_id(g->out, "source", &cells[COLUMN_edges_source]);
			put_id(g->out, "target", &cells[COLUMN_edges_target]);
		}
		for (unsigned i = 0; i < n; i++)
			put_cell(g, columns[i].name, &cells[i]);
		if (is_node)
			put_construct(g, &cells[COLUMN_nodes_construct]);
		graphml_end(g->out);
	}
	return (ssize_t)n_bytes;
}

static int close_table(void *self)
{
	(void)self;
	return 0;
}

static void put_table_keys(xmlTextWriterPtr out, enum table_id table)
{
	const struct column *columns = table_formats[table].columns;
	for (unsigned i = 0; i < table_n_columns(table); i++) {
		enum column_type type = columns[i].type;
		graphml_key(out, table == TABLE_nodes, columns[i].name,
			    type != TYPE_TEXT && type != TYPE_HANDLE && type != TYPE_ANY);
	}
}

static void put_keys(struct graphml *g)
{
	static const char *const more[] = {"label", "function", "file"};
	if (g->has_keys)
		return;
	g->has_keys = true;
	put_table_keys(g->out, TABLE_nodes);
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		graphml_key(g->out, true, more[i], false);
	put_table_keys(g->out, TABLE_edges);
	graphml_begin(g->out, "graph", "edgedefault", "directed");
}

static int write_whole(struct graphml *g, size_t i)
{
	const struct graphs one = {&g->graphs->traces[i], &g->graphs->graphs[i], 1};
	const struct table_place place = {.dir = g->dir, .store = &g->store};
	g->graph = one.graphs;
	put_keys(g);
	return graph_nodes_csv(&one, &place) == 0 ? graph_edges_csv(&one, &place) : -1;
}

/* ---- The sink ---- */

static int begin_file(struct graphml *g)
{
	xmlOutputBufferPtr buffer = xmlOutputBufferCreateFile(g->file, NULL);
	g->out = buffer != NULL ? xmlNewTextWriter(buffer) : NULL;
	if (g->out == NULL)
		memory_fail(0, NAME);
	xmlTextWriterStartDocument(g->out, NULL, "UTF-8", NULL);
	graphml_begin(g->out, "graphml", "xmlns", "http://graphml.graphdrawing.org/xmlns");
	return 0;
}

static void end_file(struct graphml *g)
{
	if (xmlTextWriterEndDocument(g->out) < 0)
		g->has_failed = true;
	xmlFreeTextWriter(g->out);
	g->out = NULL;
}

/* What was written whole is dropped when there are too many nodes. */
static int begin_again(struct graphml *g)
{
	warning("%s: more than %u nodes, which programs that read GraphML can hardly open: it is folded, with a node for each construct",
		NAME, GRAPHML_NODES_MAX);
	end_file(g);
	if (fflush(g->file) != 0 || ftruncate(fileno(g->file), 0) != 0)
		return error("%s/%s: %s", g->dir, NAME, strerror(errno));
	return begin_file(g);
}

static int count_one(void *self, const struct node_view *node)
{
	(void)node;
	++*(uint64_t *)self;
	return 0;
}

static int add_process(void *self, const struct trace *trace)
{
	struct graphml *g = self;
	size_t i = (size_t)(trace - g->graphs->traces);
	bool was_folded = is_folded(g);
	graph_each_node(&g->graphs->graphs[i], count_one, &g->n_nodes);
	if (is_folded(g) || g->graphs->n > 1)
		folds_add(g->folds, trace, &g->graphs->graphs[i]);
	if (is_folded(g))
		return was_folded ? 0 : begin_again(g);
	return write_whole(g, i);
}

static int close_graphml(void *self)
{
	struct graphml *g = self;
	if (is_folded(g))
		folds_write(g->folds, g->out);
	end_file(g);
	int rc = file_close(g->file, g->dir, NAME);
	if (rc == 0 && g->has_failed)
		rc = error("%s/%s: could not be written whole", g->dir, NAME);
	folds_free(g->folds);
	free(g);
	return rc;
}

int graphml_open(struct sink *sink, const struct graphs *graphs, const char *dir)
{
	FILE *file = file_open(dir, NAME);
	if (file == NULL)
		return -1;
	struct graphml *g = memory_zeroed(1, sizeof *g, NAME);
	g->store = (struct table_store){open_table, put_rows, close_table};
	g->graphs = graphs;
	g->dir = dir;
	g->file = file;
	g->folds = folds_make();
	begin_file(g);
	*sink = (struct sink){.name = "graphml", .end = add_process, .close = close_graphml, .self = g};
	return 0;
}
