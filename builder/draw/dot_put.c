/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of a folded graph: a node with the figures of what it stands for, one edge between two nodes whatever it stands
 * for. Beside the label, which is for people, a node has what it is made from as attributes of its own (count, own_ns,
 * wait_ns, path_ns), an edge its count. One thread.
 */
#include "builder/draw/dot.h"
#include "builder/support/text.h"
#include "builder/support/sort.h"

#include <stdlib.h>

/* The square root of a share, as a number of steps: 0 to n_steps. */
static unsigned root_share(uint64_t part, uint64_t all, unsigned n_steps)
{
	unsigned n = 0;
	while (n < n_steps && part != 0 &&
	       (unsigned __int128)part * n_steps * n_steps >= (unsigned __int128)all * (n + 1) * (n + 1))
		n++;
	return n;
}

#define WRAP 6 /* nodes side by side below a node that leads to more than these */

static void put_name(struct buffer *text, const struct dot_view *shown, uint32_t node)
{
	buffer_put_text(text, shown->prefix);
	buffer_put_text(text, "c");
	buffer_put_decimal(text, node);
}

/* The sum over all classes that are drawn at a node. */
static struct fold_class sum_of(const struct dot_view *shown, uint32_t node)
{
	struct fold_class sum = {.least_ns = UINT64_MAX};
	for (uint32_t c = 1; c < shown->fold->n_classes; c++) {
		const struct fold_class *class = &shown->fold->classes[c];
		if (shown->as[c] != node)
			continue;
		if (c == node || node == shown->others || class->kind == shown->fold->classes[node].kind) {
			sum.n += class->n;
			sum.n_members += class->n_members;
		}
		sum.own_ns += class->own_ns;
		sum.wait_ns += class->wait_ns;
		sum.n_on_path += class->n_on_path;
		sum.path_ns += class->path_ns;
	}
	return sum;
}

static void put_count(struct buffer *text, uint64_t n, const char *what, const char *many)
{
	buffer_put_decimal(text, n);
	buffer_put_text(text, n == 1 ? what : many);
}

static void put_percent(struct buffer *text, uint64_t ns, uint64_t of_ns)
{
	uint64_t tenths = of_ns != 0 ? (uint64_t)((unsigned __int128)ns * 1000 / of_ns) : 0;
	buffer_put_text(text, " (");
	if (tenths < 100) {
		buffer_put_decimal(text, tenths / 10);
		buffer_put_text(text, ".");
		buffer_put_decimal(text, tenths % 10);
	} else {
		buffer_put_decimal(text, tenths / 10);
	}
	buffer_put_text(text, " %)");
}

/* "88 x 1.20 us (310 ns to 4.05 us)". */
static void put_spread(struct buffer *text, const struct fold_class *class)
{
	buffer_put_text(text, "\\n");
	buffer_put_decimal(text, class->n);
	buffer_put_text(text, " x ");
	dot_put_time(text, class->own_ns / class->n);
	if (class->n > 1 && class->most_ns != 0) {
		buffer_put_text(text, " (");
		dot_put_time(text, class->least_ns);
		buffer_put_text(text, " to ");
		dot_put_time(text, class->most_ns);
		buffer_put_text(text, ")");
	}
}

static bool has_spread(enum node_kind kind)
{
	return kind == NODE_TASK || kind == NODE_TARGET || kind == NODE_TASKLOOP_SPLIT || kind == NODE_UNIT ||
	       kind == NODE_TASKLET || kind == NODE_KERNEL || kind == NODE_DATA_OP;
}

static void put_loops(struct buffer *text, const struct dot_view *shown, const struct fold_class *class)
{
	for (uint32_t i = 0; i < shown->fold->n_loops; i++) {
		const struct fold_loop *loop = &shown->fold->loops[i];
		if (loop->team_label != class->label)
			continue;
		buffer_put_text(text, "\\n");
		text_dot(text, labels_text(shown->labels, loop->label));
		buffer_put_text(text, ": ");
		dot_put_time(text, loop->own_ns);
		if (loop->wait_ns != 0) {
			buffer_put_text(text, ", then waits ");
			dot_put_time(text, loop->wait_ns);
		}
	}
}

static void put_figures(struct buffer *text, const struct dot_view *shown, const struct fold_class *class)
{
	if (class->kind == NODE_REGION) {
		buffer_put_text(text, "\\n");
		put_count(text, class->n, " region, ", " regions, ");
		put_count(text, class->n_members, " implicit task", " implicit tasks");
		put_loops(text, shown, class);
	} else if (has_spread(class->kind) && class->n != 0) {
		put_spread(text, class);
	} else if (class->n > 1) {
		buffer_put_text(text, "\\n");
		buffer_put_decimal(text, class->n);
		buffer_put_text(text, " x");
	}
	if (class->kind == NODE_KERNEL) {
		buffer_put_text(text, class->device < 0 ? "\\ndevice -" : "\\ndevice ");
		buffer_put_decimal(text, (uint64_t)llabs(class->device));
	}
	if (class->kind == NODE_DATA_OP) {
		buffer_put_text(text, "\\n");
		buffer_put_decimal(text, class->n_bytes);
		buffer_put_text(text, " bytes");
	}
}

static void put_sums(struct buffer *text, const struct dot_view *shown, const struct fold_class *sum)
{
	if (sum->own_ns != 0) {
		buffer_put_text(text, "\\nown ");
		dot_put_time(text, sum->own_ns);
		put_percent(text, sum->own_ns, shown->total_own_ns);
	}
	if (sum->wait_ns != 0) {
		buffer_put_text(text, sum->own_ns != 0 ? ", waits " : "\\nwaits ");
		dot_put_time(text, sum->wait_ns);
	}
	if (sum->n_on_path != 0) {
		buffer_put_text(text, "\\ncritical path: ");
		buffer_put_decimal(text, sum->n_on_path);
		buffer_put_text(text, " x");
		if (sum->path_ns != 0) {
			buffer_put_text(text, ", ");
			dot_put_time(text, sum->path_ns);
		}
	}
}

static void put_attributes(struct buffer *text, const struct fold_class *sum)
{
	static const char *const names[] = {",count=", ",own_ns=", ",wait_ns=", ",path_ns="};
	const uint64_t values[] = {sum->n, sum->own_ns, sum->wait_ns, sum->path_ns};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		buffer_put_text(text, names[i]);
		buffer_put_decimal(text, values[i]);
	}
}

static void put_class_label(struct buffer *text, const struct dot_view *shown, uint32_t c)
{
	const struct fold_class *class = &shown->fold->classes[c];
	struct buffer label = {NULL, 0, 0};
	text_dot(&label, labels_text(shown->labels, class->label));
	buffer_room(&label, 1); /* there are bytes, also of no label */
	if (class->kind == NODE_INITIAL)
		buffer_put_text(text, "initial task");
	else if ((class->kind == NODE_REGION || class->kind == NODE_SCOPE_BEGIN) && label.n != 0)
		buffer_put(text, label.bytes, label.n);
	else if (class->kind == NODE_JOIN) {
		buffer_put_text(text, "end of ");
		buffer_put(text, label.bytes, label.n);
	} else
		dot_put_label(text, class->kind, label.bytes, label.n);
	buffer_free(&label);
}

static void put_node(struct buffer *text, const struct dot_view *shown, uint32_t node)
{
	const struct fold_class *class = &shown->fold->classes[node];
	struct fold_class sum = sum_of(shown, node);
	buffer_put_text(text, "  ");
	put_name(text, shown, node);
	if (shown->is_table[node]) {
		buffer_put_text(text, " [shape=plain,label=<");
		dot_put_table(text, shown, node);
		buffer_put_text(text, ">");
	} else {
		buffer_put_text(text, " [label=\"");
		put_class_label(text, shown, node);
		put_figures(text, shown, class);
		put_sums(text, shown, &sum);
		buffer_put_text(text, "\"");
		dot_put_style(text, class->kind, true, 0);
		buffer_put_text(text, ",fontsize="); /* where the time is: what has more of it is larger */
		buffer_put_decimal(text, 10 + root_share(sum.own_ns, shown->total_own_ns, 8));
		if (sum.n_on_path != 0) {
			buffer_put_text(text, ",penwidth=");
			buffer_put_decimal(text, 2 + root_share(sum.path_ns, shown->path_ns, 4));
		}
	}
	put_attributes(text, &sum);
	buffer_put_text(text, "];\n");
}

static void put_others(struct buffer *text, const struct dot_view *shown)
{
	struct fold_class sum = sum_of(shown, shown->others);
	uint64_t n = 0;
	for (uint32_t c = 1; c < shown->fold->n_classes; c++)
		n += shown->as[c] == shown->others;
	buffer_put_text(text, "  ");
	put_name(text, shown, shown->others);
	buffer_put_text(text, " [label=\"");
	put_count(text, n, " other construct", " other constructs");
	buffer_put_text(text, "\\n");
	put_count(text, sum.n, " node", " nodes");
	put_sums(text, shown, &sum);
	buffer_put_text(text, "\",shape=note,fillcolor=\"#ffffff\"");
	buffer_put_text(text, sum.n_on_path != 0 ? ",penwidth=3" : "");
	put_attributes(text, &sum);
	buffer_put_text(text, "];\n");
}

/* ---- Edges ---- */

/* All edges between two nodes. */
struct link {
	uint32_t from, to;
	uint64_t n[EDGE_KINDS + 1], n_on_path; /* and PAIR_EXCLUSIVE */
};

static int by_nodes(const void *left, const void *right)
{
	const struct link *l = left, *r = right;
	return cmp(l->from, r->from) ?: cmp(l->to, r->to);
}

/* The kind that gives the edge its style: among its kinds the one that is rarer in programs, and says more. */
static unsigned main_kind(const struct link *link)
{
	static const uint8_t order[] = {EDGE_DEPEND,  EDGE_DOACROSS, EDGE_CREATE,    EDGE_REVIVE,   EDGE_RESUME,
					EDGE_SUBMIT,  EDGE_TASKWAIT, EDGE_TASKGROUP, EDGE_COMPLETE, EDGE_UNDEFERRED,
					EDGE_FULFILL, EDGE_BARRIER,  EDGE_JOIN,      EDGE_SEQUENCE, PAIR_EXCLUSIVE};
	for (unsigned i = 0; i < sizeof order; i++)
		if (link->n[order[i]] != 0)
			return order[i];
	return EDGE_SEQUENCE;
}

/* The word for edges of a kind. A task encounters a region; what follows a barrier is no wait for it. */
static const char *word_of(const struct dot_view *shown, const struct link *link, unsigned kind)
{
	const struct fold_class *classes = shown->fold->classes;
	if (link->to == shown->others || link->from == shown->others)
		return dot_edge_word(kind);
	if (kind == EDGE_SEQUENCE && classes[link->to].kind == NODE_REGION && classes[link->from].kind == NODE_INITIAL)
		return "runs";
	bool is_wait = kind == EDGE_BARRIER || kind == EDGE_JOIN;
	return dot_edge_word(is_wait && classes[link->from].kind == NODE_BARRIER ? EDGE_SEQUENCE : kind);
}

static void put_link(struct buffer *text, const struct dot_view *shown, const struct link *link, unsigned min_length)
{
	unsigned kind = main_kind(link);
	const char *separator = "";
	uint64_t n = 0;
	buffer_put_text(text, "  ");
	put_name(text, shown, link->from);
	buffer_put_text(text, " -> ");
	put_name(text, shown, link->to);
	buffer_put_text(text, " [");
	buffer_put_text(text, dot_edge_style(kind));
	buffer_put_text(text, ",label=\" "); /* off the line */
	for (unsigned k = 0; k <= PAIR_EXCLUSIVE; k++) {
		n += link->n[k];
		if (link->n[k] == 0 || (k == EDGE_SEQUENCE && kind != k)) /* what else is between the two says it better */
			continue;
		buffer_put_text(text, separator);
		buffer_put_text(text, word_of(shown, link, k));
		if (link->n[k] > 1) {
			buffer_put_text(text, " x");
			buffer_put_decimal(text, link->n[k]);
		}
		separator = "\\n ";
	}
	buffer_put_text(text, "\"");
	if (min_length > 1) {
		buffer_put_text(text, ",minlen=");
		buffer_put_decimal(text, min_length);
	}
	buffer_put_text(text, ",count=");
	buffer_put_decimal(text, n);
	if (link->n_on_path != 0) {
		buffer_put_text(text, ",path=");
		buffer_put_decimal(text, link->n_on_path);
		buffer_put_text(text, ",penwidth=");
		buffer_put_decimal(text, 2 + root_share(link->n_on_path, shown->n_path_steps, 3));
		buffer_put_text(text, ",arrowsize=1.2");
	}
	buffer_put_text(text, "];\n");
}

/* Is the edge drawn? Not inside of a node, unless it is from a class to itself: tasks that create tasks of their class. */
static bool is_drawn(const struct dot_view *shown, const struct fold_edge *edge)
{
	uint32_t from = shown->as[edge->from], to = shown->as[edge->to];
	if (from != to)
		return true;
	bool is_within = edge->from == edge->to && edge->from == from && from != shown->others && !shown->is_table[from];
	return is_within && edge->kind != EDGE_SEQUENCE && shown->fold->classes[from].kind != NODE_REGION;
}

static void put_links(struct buffer *text, const struct dot_view *shown)
{
	const struct fold *fold = shown->fold;
	struct link *links = memory_zeroed(fold->n_edges + (size_t)1, sizeof *links, "graph.dot");
	struct map rows = {0};
	uint32_t n = 0;
	for (uint32_t i = 0; i < fold->n_edges; i++) {
		const struct fold_edge *edge = &fold->edges[i];
		uint32_t from = shown->as[edge->from], to = shown->as[edge->to];
		if (!is_drawn(shown, edge))
			continue;
		uint32_t *row = map_put(&rows, (uint64_t)from << 32 | to);
		if (*row == 0) {
			links[n] = (struct link){.from = from, .to = to};
			*row = ++n;
		}
		links[*row - 1].n[edge->kind] += edge->n;
		links[*row - 1].n_on_path += edge->n_on_path;
	}
	sort_array(links, n, by_nodes);
	for (uint32_t i = 0, n_below = 0; i < n; i++) {
		n_below = i > 0 && links[i].from == links[i - 1].from ? n_below + 1 : 0;
		put_link(text, shown, &links[i], links[i].from != links[i].to ? 1 + n_below / WRAP : 1);
	}
	map_free(&rows);
	free(links);
}

void dot_put_fold(struct buffer *text, const struct dot_view *shown)
{
	for (uint32_t c = 1; c < shown->fold->n_classes; c++)
		if (shown->as[c] == c)
			put_node(text, shown, c);
	if (shown->others != 0)
		put_others(text, shown);
	put_links(text, shown);
}
