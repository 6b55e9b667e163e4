/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph.graphml: the graph for programs that read GraphML. Declarations that the files of this folder share; others use
 * graphml_open() only:
 *   graphml.c  the sink, and graphs that are written whole, by the tables' own rows
 *   xml.c      elements and their values
 *   fold.c     graphs with too many nodes for such programs, by construct
 */
#ifndef OTTER_BUILDER_GRAPHML_GRAPHML_H
#define OTTER_BUILDER_GRAPHML_GRAPHML_H

#include "builder/graph/files.h"

struct _xmlTextWriter; /* libxml2's */

#define GRAPHML_NODES_MAX 1000000u

/* Fills in the sink. 0, or -1 with the error printed. `graphs` and `dir` live as long as it. */
int graphml_open(struct sink *sink, const struct graphs *graphs, const char *dir);

/* xml.c: declares a column of nodes or edges. is_number: all its values are numbers. */
void graphml_key(struct _xmlTextWriter *out, bool is_node, const char *column, bool is_number);
/* A value of the node or edge that is open; none where it is "". */
void graphml_value(struct _xmlTextWriter *out, bool is_node, const char *column, const char *value);
void graphml_begin(struct _xmlTextWriter *out, const char *element, const char *name, const char *value);
void graphml_attribute(struct _xmlTextWriter *out, const char *name, const char *value);
void graphml_end(struct _xmlTextWriter *out);

/* The graphs of processes by construct and kind of node; fold.c owns it. */
struct folds;
struct folds *folds_make(void);
void folds_add(struct folds *folds, const struct trace *trace, const struct graph *graph);
void folds_write(const struct folds *folds, struct _xmlTextWriter *out);
void folds_free(struct folds *folds);

#endif
