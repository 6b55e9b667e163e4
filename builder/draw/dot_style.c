/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What nodes and edges look like in graph.dot. The colours are a palette for colour-blind readers (Okabe and Ito); kinds
 * differ in shape, too.
 */
#include "builder/draw/dot.h"

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
	[EDGE_DOACROSS] = "color=\"#d55e00\",style=dashed",
	[PAIR_EXCLUSIVE] = "color=\"#e69f00\",style=dashed,dir=none,constraint=false",
};

static const char *const edge_words[EDGE_KINDS + 1] = {
	[EDGE_CREATE] = "creates",          [EDGE_SEQUENCE] = "then",
	[EDGE_DEPEND] = "comes before",     [EDGE_TASKWAIT] = "is waited for",
	[EDGE_TASKGROUP] = "is waited for", [EDGE_BARRIER] = "is waited for",
	[EDGE_JOIN] = "is waited for",      [EDGE_UNDEFERRED] = "is done before",
	[EDGE_FULFILL] = "fulfils",         [EDGE_SUBMIT] = "launches",
	[EDGE_COMPLETE] = "is complete",    [EDGE_REVIVE] = "revives",
	[EDGE_RESUME] = "resumes",          [EDGE_DOACROSS] = "comes before",
	[PAIR_EXCLUSIVE] = "excludes",
};

bool dot_is_work_unit(enum node_kind kind)
{
	return kind >= NODE_UNIT && kind <= NODE_EXTERNAL;
}

/* Does the label of such a node say what it is? */
static bool is_told_by_label(enum node_kind kind)
{
	return kind == NODE_TARGET_REGION || kind == NODE_DATA_OP || kind == NODE_SUBMIT || kind == NODE_KERNEL ||
	       kind == NODE_TASK || kind == NODE_TASKLOOP_SPLIT || kind == NODE_TASKWAIT || kind == NODE_TASKGROUP ||
	       kind == NODE_BARRIER || kind == NODE_INITIAL || kind == NODE_TARGET || dot_is_work_unit(kind);
}

void dot_put_label(struct buffer *text, enum node_kind kind, const char *label, size_t n)
{
	if (!is_told_by_label(kind) || n == 0) {
		buffer_put_text(text, node_kind_name(kind));
		buffer_put_text(text, n != 0 ? "\\n" : "");
	}
	buffer_put(text, label, n);
}

void dot_put_style(struct buffer *text, enum node_kind kind, bool is_folded, bool is_on_path)
{
	bool is_region = kind == NODE_REGION || kind == NODE_JOIN || kind == NODE_UNIT_JOIN;
	buffer_put_text(text, ",shape=");
	buffer_put_text(text, is_folded && is_region ? "box" : node_styles[kind].shape); /* long labels make triangles too large */
	buffer_put_text(text, ",fillcolor=\"");
	buffer_put_text(text, node_styles[kind].colour);
	buffer_put_text(text, is_on_path ? "\",penwidth=4" : "\"");
}

const char *dot_colour(enum node_kind kind)
{
	return node_styles[kind].colour;
}

const char *dot_edge_style(unsigned kind)
{
	return edge_styles[kind];
}

const char *dot_edge_word(unsigned kind)
{
	return edge_words[kind];
}

void dot_put_time(struct buffer *text, uint64_t ns)
{
	static const char *const units[] = {" ns", " us", " ms", " s"};
	char number[32];
	double value = (double)ns;
	unsigned unit = 0;
	while (unit < 3 && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	snprintf(number, sizeof number, "%.*f%s", unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, units[unit]);
	buffer_put_text(text, number);
}
