/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fragment graph of a process as a net that can be walked forwards: what follows each node, and when it was ready; and
 * what each node executed, which is in the tables of the graph. Made once when the graph is finished, and read by the other
 * files of this folder. From then on it is constant, except for what answer.c adds (prices.h) and takes away (spare numbers).
 */
#ifndef OTTER_BUILDER_ANALYSIS_NET_H
#define OTTER_BUILDER_ANALYSIS_NET_H

#include "builder/graph/view.h"

/* What a node is, in a byte: passes over all nodes would otherwise wait for the rows of most of them. */
enum {
	NET_KIND = 0x1f,     /* these bits are its enum node_kind */
	NET_EXECUTES = 0x20, /* the beginning of a task or a unit, or a fragment */
	NET_TASK = 0x40, /* the first node of a task that a task-generating construct made, or of a unit that another one created */
	NET_EXPLICIT = 0x80 /* a node of such a task or unit */
};
_Static_assert(NODE_KINDS <= NET_KIND + 1, "a node's kind has five bits");

/* Users of the arrays in net.cleared. */
enum net_cleared { NET_BLOCKERS, NET_LATE, NET_CLEARED };

struct net {
	const struct graph *graph;
	/* Copies from the graph and its model, which passes over the nodes need for each node: */
	uint32_t n_tasks; /* node numbers below are numbers of tasks */
	const struct task *tasks;
	const struct node *inner; /* by number - n_tasks */
	const struct first_fragment *first_fragments;
	struct window window;

	const uint32_t *same;  /* track.same */
	uint64_t record_ticks; /* cost of one record, as far as it is known */
	uint32_t n;            /* all node numbers are below */
	uint8_t *traits;       /* by node: NET_* bits */
	uint32_t *constructs;  /* by node: its construct, as `same` has it */
	size_t *first;         /* by node: index of its first link; one more ends the last */
	uint32_t *targets;     /* by link */
	uint8_t *kinds;        /* by link: enum edge_kind */
	bool has_depends;      /* there is a link of EDGE_DEPEND */
	uint32_t *order;       /* nodes, each after all that come before it */
	uint32_t n_ordered;    /* fewer than there are nodes: there is a cycle */
	uint64_t *ready_ticks; /* by node: when the last of what comes before it was over; 0: nothing comes before it */
	/*
	 * Fragments of Argobots' units, the first ones and others, by stream and in the order in which they began. NULL: the
	 * process has no units.
	 */
	uint32_t *unit_nodes;
	size_t *first_unit_node; /* by stream: index of its first one; one more ends the last */
	bool *units_on;          /* by stream: it executed units, or a scheduler that looked for some */
	/* prices.h. By node: time from when it was ready, and its thread had ended its previous node, until it began. */
	uint32_t *late_ticks;
	/*
	 * Arrays of n numbers that are no longer needed, NULL: none. The next user of such an array takes one: memory that was given
	 * back to the system would have to be found and cleared again.
	 */
	uint32_t *spare[2];
	uint32_t *cleared[NET_CLEARED]; /* arrays of n numbers, all 0, already in memory; NULL: none */
};

/* Makes nodes and links; then the order of the nodes, and when they were ready: of the finished fragment graph of a process. */
void net_make(struct net *net, const struct graph *graph, const uint32_t *same);
void net_make_order(struct net *net);
/* n numbers, not initialised, which the caller then owns: from net.spare, or new ones. */
uint32_t *net_take_spare(struct net *net);
/*
 * Brings net.cleared into memory, on a thread that has nothing else to do, for two threads that have more to do.
 * net_take_cleared(): n numbers, all 0, which the caller then owns: from net.cleared, or new ones.
 */
void net_clear_ahead(struct net *net);
uint32_t *net_take_cleared(struct net *net, enum net_cleared which);
/* Frees ready_ticks: from then on only nodes, links, their order and lateness are needed. */
void net_forget_times(struct net *net);
void net_free(struct net *net);

/* Converts ns to ticks. */
uint64_t net_ticks_of(const struct net *net, uint64_t ns);

/* ---- Queries about a node, by its number ---- */

/* The row of a node that is not a task's first one, else NULL. */
static inline const struct node *net_inner(const struct net *net, uint32_t id)
{
	return id < net->n_tasks ? NULL : &net->inner[id - net->n_tasks];
}

/* The node's kind. The kind of a number that no node has is NODE_NONE. */
static inline enum node_kind net_kind(const struct net *net, uint32_t id)
{
	return (enum node_kind)(net->traits[id] & NET_KIND);
}

/* The row of the Argobots unit that the node belongs to, 0: it belongs to OpenMP. */
static inline uint32_t net_unit(const struct net *net, uint32_t id)
{
	const struct node *node = net->graph->units != NULL ? net_inner(net, id) : NULL;
	return node != NULL && node->is_of_unit ? node->unit : 0;
}

/*
 * Is it the beginning of a unit's run, or of the primary unit? What schedulers and threads outside of Argobots execute is not
 * known.
 */
static inline bool net_begins_unit(const struct node *node)
{
	return node->kind == NODE_UNIT || node->kind == NODE_TASKLET || node->kind == NODE_PRIMARY_UNIT;
}

/* Is it the beginning of a task or a unit, or a fragment? */
static inline bool net_executes(const struct net *net, uint32_t id)
{
	return net->traits[id] & NET_EXECUTES;
}

/* Is it a fragment of a task of OpenMP? */
static inline bool net_is_fragment(const struct net *net, uint32_t id)
{
	return net_kind(net, id) == NODE_FRAGMENT && net_unit(net, id) == 0;
}

static inline uint64_t net_begin(const struct net *net, uint32_t id)
{
	bool is_inner = id >= net->n_tasks;
	return window_clip(&net->window, is_inner ? net->inner[id - net->n_tasks].begin_ticks : net->tasks[id].start_ticks);
}

/* When it ended; not before it began. */
static inline uint64_t net_end(const struct net *net, uint32_t id)
{
	uint64_t begin, end;
	if (id >= net->n_tasks) {
		begin = net->inner[id - net->n_tasks].begin_ticks;
		end = net->inner[id - net->n_tasks].end_ticks;
	} else {
		begin = net->tasks[id].start_ticks;
		end = net->first_fragments[id].end_ticks;
	}
	return window_clip(&net->window, end > begin ? end : begin);
}

/* For how long it executed, in ticks; 0 for nodes that execute nothing. */
static inline uint64_t net_work(const struct net *net, uint32_t id)
{
	if (!net_executes(net, id))
		return 0;
	return id >= net->n_tasks ? net->inner[id - net->n_tasks].busy_ticks : net->first_fragments[id].busy_ticks;
}

/* The recorder's part of a stretch of time that ends with a record, as each node does. */
static inline uint64_t net_recorded(const struct net *net, uint64_t ticks)
{
	return ticks < net->record_ticks ? ticks : net->record_ticks;
}

/*
 * The node that is NET_SOON places after (or before) the i-th node of the order. 0 beyond the end of the order: a valid row, as
 * every table has a row 0.
 *
 * A pass over all nodes of a large graph mostly waits for memory, unless rows are prefetched that many nodes ahead.
 */
enum { NET_SOON = 32 };

static inline uint32_t net_soon(const struct net *net, uint32_t i)
{
	return net->n_ordered - i > NET_SOON ? net->order[i + NET_SOON] : 0;
}

static inline uint32_t net_soon_backwards(const struct net *net, uint32_t i)
{
	return i >= NET_SOON ? net->order[i - NET_SOON] : 0;
}

/* The task that it belongs to, 0 none. For units see net_owner(). */
static inline uint32_t net_task(const struct net *net, uint32_t id)
{
	return id >= net->n_tasks ? net->inner[id - net->n_tasks].task : id;
}

static inline uint32_t net_construct(const struct net *net, uint32_t id)
{
	return net->constructs[id];
}

/* The owner that executes it: the task that it belongs to, or, from model.n_tasks on, the unit; 0 none. */
static inline uint32_t net_owner(const struct net *net, uint32_t id)
{
	uint32_t unit = net_unit(net, id);
	return unit != 0 ? net->n_tasks + unit : net_task(net, id);
}

static inline uint32_t net_n_owners(const struct net *net)
{
	return net->n_tasks + net->graph->model->n_units;
}

/* Is it the first node of its owner? */
static inline bool net_is_first(const struct net *net, uint32_t id)
{
	return id < net->n_tasks || (net_unit(net, id) != 0 && net_begins_unit(net_inner(net, id)));
}

/* Is it the first node of a task that a task-generating construct made, or of a unit that another one created? */
static inline bool net_is_task(const struct net *net, uint32_t id)
{
	return net->traits[id] & NET_TASK;
}

/* The construct of the task, or the unit, that the node belongs to. */
static inline uint32_t net_task_construct(const struct net *net, uint32_t id)
{
	uint32_t unit = net_unit(net, id);
	if (unit != 0)
		return net->same[net->graph->model->units[unit].construct];
	return net->constructs[net_kind(net, id) == NODE_FRAGMENT ? id : net_task(net, id)]; /* a fragment's is its task's */
}

/* The task of this construct whose creation ends the node, 0: none. */
static inline uint32_t net_created(const struct net *net, uint32_t id, uint32_t construct)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		uint32_t task = net->targets[link];
		if (net->kinds[link] == EDGE_CREATE && net_is_task(net, task) && net_construct(net, task) == construct)
			return task;
	}
	return 0;
}

/* The construct of a region, by its row in the model. */
static inline uint32_t net_region_construct(const struct net *net, uint32_t region)
{
	return net->same[net->graph->model->regions[region].construct];
}

/* Does it belong to an explicit task, or to a unit that another one created? */
static inline bool net_is_explicit(const struct net *net, uint32_t id)
{
	return net->traits[id] & NET_EXPLICIT;
}

/* The kinds of a unit's wait that another unit ends. */
enum unit_wait_sort {
	UNIT_WAITS_NOT,   /* no such wait */
	UNIT_WAITS_JOIN,  /* for the end of another unit */
	UNIT_WAITS_MUTEX, /* for a mutex, or a readers-writer lock */
	UNIT_WAITS_ALL,   /* at a barrier */
	UNIT_WAITS_SIGNAL /* for a condition, an eventual or a future, which another unit signals */
};

/* net.c: the kind of the wait, of any node. */
enum unit_wait_sort net_unit_wait(const struct net *net, uint32_t id);

/* Does the task come before the fragment, on one stream? If they begin at the same time, the one that ends first comes first. */
static inline bool net_comes_first(const struct net *net, uint32_t task, uint64_t task_ticks, uint32_t fragment,
				   uint64_t fragment_ticks)
{
	if (task_ticks != fragment_ticks || task_ticks == UINT64_MAX)
		return task_ticks < fragment_ticks;
	return net_end(net, task) < net_end(net, fragment);
}

#endif
