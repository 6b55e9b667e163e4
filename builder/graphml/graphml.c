/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes graph.graphml, by libxml2. Nodes and edges have the columns of nodes.csv and edges.csv, whatever these are: their rows are
 * written into a directory of temporary files, and read from there. Called by run.c, on one thread.
 */
#include "builder/graphml/graphml.h"
#include "builder/support/array.h"
#include "builder/support/file.h"
#include "builder/support/output.h"
#include "builder/support/text.h"

#include <errno.h>
#include <libxml/xmlwriter.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "graph.graphml"

struct graphml {
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

/* ---- Elements ---- */

static const xmlChar *xml(const char *text)
{
	return (const xmlChar *)text;
}

void graphml_attribute(xmlTextWriterPtr out, const char *name, const char *value)
{
	xmlTextWriterWriteAttribute(out, xml(name), xml(value));
}

void graphml_begin(xmlTextWriterPtr out, const char *element, const char *name, const char *value)
{
	xmlTextWriterWriteString(out, xml("\n"));
	xmlTextWriterStartElement(out, xml(element));
	if (name != NULL)
		graphml_attribute(out, name, value);
}

void graphml_end(xmlTextWriterPtr out)
{
	xmlTextWriterEndElement(out);
}

/* Times and counts, and what is numbered. Handles are hexadecimal, and devices may be the host. */
bool graphml_is_number(const char *column)
{
	static const char *const numbers[] = {"id",     "construct", "line",   "process", "task",  "parent",
					      "region", "stream",    "bytes",  "teams",   "queue", "path",
					      "count",  "source",    "target", "runs",    "number"};
	size_t n = strlen(column);
	if (n > 3 && strcmp(column + n - 3, "_ns") == 0)
		return true;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (strcmp(column, numbers[i]) == 0)
			return true;
	return false;
}

static void put_key_name(xmlTextWriterPtr out, const char *attribute, bool is_node, const char *column)
{
	char *id = text_format("%s_%s", is_node ? "n" : "e", column);
	graphml_attribute(out, attribute, id);
	free(id);
}

void graphml_key(xmlTextWriterPtr out, bool is_node, const char *column)
{
	graphml_begin(out, "key", NULL, NULL);
	put_key_name(out, "id", is_node, column);
	graphml_attribute(out, "for", is_node ? "node" : "edge");
	graphml_attribute(out, "attr.name", column);
	graphml_attribute(out, "attr.type", graphml_is_number(column) ? "long" : "string");
	graphml_end(out);
}

/* What is no text of XML, such as control characters, becomes \xHH. */
void graphml_value(xmlTextWriterPtr out, bool is_node, const char *column, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	char *text = text_utf8(value);
	xmlTextWriterStartElement(out, xml("data"));
	put_key_name(out, "key", is_node, column);
	xmlTextWriterWriteString(out, xml(text));
	graphml_end(out);
	free(text);
}

/* ---- Rows of tables ---- */

/* A table that is read row by row; its fields are those of `line`. */
struct rows {
	FILE *in;
	char *path, *line, *names; /* names: the first line */
	size_t line_bytes;
	char **columns, **fields;
	size_t n_columns, columns_capacity, n_fields, fields_capacity;
};

/* Cuts a line at its commas, and takes quotes away. */
static void split(char *line, char ***fields, size_t *n, size_t *capacity)
{
	char *from = line, *to = line;
	*n = 0;
	for (bool is_last = false; !is_last;) {
		array_reserve((void **)fields, *n + 1, capacity, sizeof **fields);
		(*fields)[(*n)++] = to;
		bool is_quoted = *from == '"';
		for (from += is_quoted; *from != '\0' && (is_quoted || *from != ',');) {
			if (is_quoted && *from == '"' && from[1] != '"')
				is_quoted = false;
			else
				*to++ = *from;
			from += 1 + (is_quoted && *from == '"');
		}
		is_last = *from == '\0';
		from += !is_last;
		*to++ = '\0';
	}
}

static bool take_row(struct rows *rows)
{
	ssize_t n = getline(&rows->line, &rows->line_bytes, rows->in);
	if (n <= 0)
		return false;
	rows->line[strcspn(rows->line, "\n")] = '\0';
	split(rows->line, &rows->fields, &rows->n_fields, &rows->fields_capacity);
	return true;
}

static int rows_open(struct rows *rows, const char *dir, const char *name)
{
	*rows = (struct rows){.path = text_format("%s/%s", dir, name)};
	rows->in = fopen(rows->path, "re");
	if (rows->in == NULL)
		return error("%s: %s", rows->path, strerror(errno));
	unlink(rows->path);
	size_t n_bytes = 0;
	if (getline(&rows->names, &n_bytes, rows->in) <= 0)
		return error("%s: is empty", rows->path);
	rows->names[strcspn(rows->names, "\n")] = '\0';
	split(rows->names, &rows->columns, &rows->n_columns, &rows->columns_capacity);
	return 0;
}

static void rows_close(struct rows *rows)
{
	if (rows->in != NULL)
		fclose(rows->in);
	free(rows->path);
	free(rows->line);
	free(rows->names);
	free(rows->columns);
	free(rows->fields);
}

static const char *field(const struct rows *rows, const char *column)
{
	for (size_t i = 0; i < rows->n_columns && i < rows->n_fields; i++)
		if (strcmp(rows->columns[i], column) == 0)
			return rows->fields[i];
	return "";
}

static void put_values(xmlTextWriterPtr out, const struct rows *rows, bool is_node)
{
	for (size_t i = 0; i < rows->n_columns && i < rows->n_fields; i++)
		graphml_value(out, is_node, rows->columns[i], rows->fields[i]);
}

static void put_id(xmlTextWriterPtr out, const char *name, const char *number)
{
	char *id = text_format("n%s", number);
	graphml_attribute(out, name, id);
	free(id);
}

static void put_nodes(const struct graphml *g, struct rows *rows, const struct graph *graph)
{
	while (take_row(rows)) {
		uint64_t number = strtoull(field(rows, "construct"), NULL, 10);
		const struct construct *c = &graph->model->constructs[number != 0 ? number - graph->before.n_constructs : 0];
		graphml_begin(g->out, "node", NULL, NULL);
		put_id(g->out, "id", field(rows, "id"));
		put_values(g->out, rows, true);
		graphml_value(g->out, true, "label", c->label);
		graphml_value(g->out, true, "function", c->function);
		graphml_value(g->out, true, "file", c->file);
		graphml_end(g->out);
	}
}

static void put_edges(const struct graphml *g, struct rows *rows)
{
	while (take_row(rows)) {
		graphml_begin(g->out, "edge", NULL, NULL);
		put_id(g->out, "source", field(rows, "source"));
		put_id(g->out, "target", field(rows, "target"));
		put_values(g->out, rows, false);
		graphml_end(g->out);
	}
}

static void put_keys(struct graphml *g, const struct rows *nodes, const struct rows *edges)
{
	static const char *const more[] = {"label", "function", "file"};
	if (g->has_keys)
		return;
	g->has_keys = true;
	for (size_t i = 0; i < nodes->n_columns; i++)
		graphml_key(g->out, true, nodes->columns[i]);
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		graphml_key(g->out, true, more[i]);
	for (size_t i = 0; i < edges->n_columns; i++)
		graphml_key(g->out, false, edges->columns[i]);
	graphml_begin(g->out, "graph", "edgedefault", "directed");
}

static int write_whole(struct graphml *g, size_t i)
{
	const struct graphs one = {&g->graphs->traces[i], &g->graphs->graphs[i], 1};
	const char *dir = output_scratch();
	const struct csv_place place = {.dir = dir};
	struct rows nodes = {0}, edges = {0};
	if (dir == NULL || graph_nodes_csv(&one, &place) != 0 || graph_edges_csv(&one, &place) != 0)
		return -1;
	int rc = rows_open(&nodes, dir, "nodes.csv");
	if (rc == 0)
		rc = rows_open(&edges, dir, "edges.csv");
	if (rc == 0) {
		put_keys(g, &nodes, &edges);
		put_nodes(g, &nodes, one.graphs);
		put_edges(g, &edges);
	}
	rows_close(&nodes);
	rows_close(&edges);
	return rc;
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
	output_scratch_end();
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
	g->graphs = graphs;
	g->dir = dir;
	g->file = file;
	g->folds = folds_make();
	begin_file(g);
	*sink = (struct sink){.name = "graphml", .end = add_process, .close = close_graphml, .self = g};
	return 0;
}
