/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What nodes and edges look like in graph.dot. The colours are a palette for colour-blind readers (Okabe and Ito); kinds
 * differ in shape, too. Called by dot.c and dot_groups.c, on several threads.
 */
#include "builder/graph/dot.h"
#include "builder/graph/shared.h"

static const struct {
	const char *shape, *colour;
} node_styles[NODE_KINDS] = {
	[NODE_INITIAL] = {"doubleoctagon", "#f0e442"},
	[NODE_IMPLICIT] = {"box", "#f0e442"},
	[NODE_TASK] = {"ellipse", "#56b4e9"},
	[NODE_TARGET] = {"ellipse", "#cc79a7"},
	[NODE_TASKLOOP_SPLIT] = {"ellipse", "#dddddd"},
	[NODE_TASKWAIT] = {"diamond", "#e69f00"},
	[NODE_TASKGROUP] = {"hexagon", "#e69f00"},
	[NODE_BARRIER] = {"box", "#d55e00"},
	[NODE_REGION] = {"triangle", "#009e73"},
	[NODE_JOIN] = {"invtriangle", "#009e73"},
	[NODE_FRAGMENT] = {"ellipse", "#b0d8f0"},
	[NODE_TARGET_REGION] = {"component", "#cc79a7"},
	[NODE_DATA_OP] = {"cds", "#ffffff"},
	[NODE_SUBMIT] = {"rarrow", "#cc79a7"},
	[NODE_KERNEL] = {"box3d", "#cc79a7"},
	[NODE_TASK_END] = {"circle", "#56b4e9"},
	[NODE_UNIT] = {"ellipse", "#56b4e9"},
	[NODE_TASKLET] = {"ellipse", "#ffffff"},
	[NODE_SCHEDULER] = {"octagon", "#dddddd"},
	[NODE_PRIMARY_UNIT] = {"doubleoctagon", "#f0e442"},
	[NODE_EXTERNAL] = {"doubleoctagon", "#ffffff"},
	[NODE_UNIT_JOIN] = {"invtriangle", "#009e73"},
	[NODE_UNIT_WAIT] = {"diamond", "#e69f00"},
	[NODE_SCOPE_BEGIN] = {"house", "#dddddd"},
	[NODE_SCOPE_END] = {"invhouse", "#dddddd"},
};

static const char *const edge_styles[EDGE_KINDS + 1] = {
	[EDGE_CREATE] = "color=\"#000000\"",
	[EDGE_SEQUENCE] = "color=\"#999999\",style=dashed",
	[EDGE_DEPEND] = "color=\"#d55e00\",penwidth=1.5",
	[EDGE_TASKWAIT] = "color=\"#0072b2\"",
	[EDGE_TASKGROUP] = "color=\"#0072b2\",style=dotted",
	[EDGE_BARRIER] = "color=\"#cc79a7\"",
	[EDGE_JOIN] = "color=\"#009e73\"",
	[EDGE_UNDEFERRED] = "color=\"#000000\",style=dotted",
	[EDGE_FULFILL] = "color=\"#d55e00\",style=dotted",
	[EDGE_SUBMIT] = "color=\"#cc79a7\",penwidth=1.5",
	[EDGE_COMPLETE] = "color=\"#cc79a7\",style=dashed",
	[EDGE_REVIVE] = "color=\"#000000\",style=dashed",
	[EDGE_RESUME] = "color=\"#d55e00\",penwidth=1.5",
	[PAIR_EXCLUSIVE] = "color=\"#e69f00\",style=dashed,dir=none,constraint=false",
};

bool dot_is_work_unit(enum node_kind kind)
{
	return kind >= NODE_UNIT && kind <= NODE_EXTERNAL;
}

/* Does the label of such a node say what it is? */
static bool is_told_by_label(enum node_kind kind)
{
	return graph_is_operation(kind) || kind == NODE_KERNEL || kind == NODE_TASK || kind == NODE_TASKLOOP_SPLIT ||
	       kind == NODE_TASKWAIT || kind == NODE_TASKGROUP || kind == NODE_BARRIER || kind == NODE_INITIAL ||
	       kind == NODE_TARGET || dot_is_work_unit(kind);
}

void dot_put_label(struct buffer *text, enum node_kind kind, const char *label, size_t n)
{
	if (!is_told_by_label(kind) || n == 0) {
		buffer_put_text(text, node_kind_name(kind));
		buffer_put_text(text, n != 0 ? "\\n" : "");
	}
	buffer_put(text, label, n);
}

void dot_put_node_end(struct buffer *text, enum node_kind kind, bool is_on_path)
{
	buffer_put_text(text, "\",shape=");
	buffer_put_text(text, node_styles[kind].shape);
	buffer_put_text(text, ",fillcolor=\"");
	buffer_put_text(text, node_styles[kind].colour);
	buffer_put_text(text, is_on_path ? "\",penwidth=4];\n" : "\"];\n");
}

const char *dot_edge_style(unsigned kind)
{
	return edge_styles[kind];
}
