/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each node holds up while it runs, as a cause: what can begin only when the node has ended. Threads that wait are waiting
 * for the nodes that run, so their time is blamed on these causes (account.c). Runs on one thread.
 */
#include "builder/answer/candidates.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define LATEST 128 /* size of the cache of latest rows: most look-ups find theirs there */

/*
 * The construct for which a node of an implicit task is late at a barrier: the worksharing that the barrier ends, or the
 * barrier's own construct.
 */
uint32_t blockers_before_barrier(const struct net *net, const struct track *track, uint32_t id, uint32_t barrier)
{
	uint32_t construct = net_construct(net, barrier);
	if (net_is_explicit(net, id))
		return net_task_construct(net, id);
	return track->loop_of[construct] != 0 ? track->loop_of[construct] : construct;
}

/*
 * By node: the longest path from it to the end, itself included; NULL: there are no dependences, and only they need it.
 * To be freed.
 */
static uint64_t *measure_paths(const struct net *net)
{
	if (!net->has_depends)
		return NULL;
	uint64_t *path_ticks = memory_zeroed(net->n, sizeof *path_ticks, "what limits the run");
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t id = net->order[i];
		uint64_t longest = 0;
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint64_t path = path_ticks[net->targets[link]];
			longest = path > longest ? path : longest;
		}
		path_ticks[id] = net_work(net, id) + longest;
	}
	return path_ticks;
}

/* Does one thread of a team execute the construct? */
static bool is_of_one(const struct net *net, uint32_t construct)
{
	enum construct_kind kind = net->graph->model->constructs[construct].kind;
	return kind == CONSTRUCT_SINGLE || kind == CONSTRUCT_MASKED;
}

/* A taskwait with dependences is a task for the runtime: one that waits for others. */
static bool is_wait(const struct net *net, uint32_t construct)
{
	return net->graph->model->constructs[construct].kind == CONSTRUCT_TASKWAIT;
}

/* What follows a node: of each kind the target of the first such link; 0: none. */
struct ahead {
	uint32_t next;       /* after it in its task */
	uint32_t created;    /* a task that it creates */
	uint32_t depends;    /* the task that depends on it, is ready at its end, and begins the longest path to the end */
	uint32_t undeferred; /* the creator's node that resumes after it, the end of an undeferred task */
	uint32_t wait;       /* a taskwait, the end of a taskgroup, a barrier, or a region's end */
	uint8_t wait_kind;   /* enum edge_kind of the link to `wait` */
	uint32_t barrier;    /* a barrier, or a region's end */
	bool is_last;        /* another node can begin when the node ends, as all else that that one waits for is over then */
};

static void set_first(uint32_t *first, uint32_t node)
{
	*first = *first != 0 ? *first : node;
}

static void set_wait(struct ahead *ahead, uint32_t node, uint8_t kind)
{
	if (ahead->wait != 0)
		return;
	ahead->wait = node;
	ahead->wait_kind = kind;
}

static struct ahead see_ahead(const struct net *net, const struct blockers *found, const uint64_t *path_ticks, uint32_t id)
{
	struct ahead ahead = {0};
	uint64_t end_ticks = net_end(net, id);
	for (size_t link = net->first[id], end = net->first[id + 1]; link < end; link++) {
		uint32_t target = net->targets[link];
		uint8_t kind = net->kinds[link];
		bool goes_on = net->ready_ticks[target] <= end_ticks; /* else it does not wait for this node */
		switch (kind) {
		case EDGE_SEQUENCE:
			set_first(&ahead.next, target);
			goes_on = goes_on && blockers_of(found, target)->is_last;
			break;
		case EDGE_CREATE:
			if (ahead.created == 0 && net_is_task(net, target))
				ahead.created = target;
			break;
		case EDGE_DEPEND:
			if (goes_on && (ahead.depends == 0 || path_ticks[target] > path_ticks[ahead.depends]))
				ahead.depends = target;
			break;
		case EDGE_UNDEFERRED: set_first(&ahead.undeferred, target); break;
		case EDGE_BARRIER:
		case EDGE_JOIN:
			set_first(&ahead.barrier, target);
			set_wait(&ahead, target, kind);
			break;
		case EDGE_TASKWAIT:
		case EDGE_TASKGROUP: set_wait(&ahead, target, kind); break;
		default: break;
		}
		ahead.is_last |= goes_on;
	}
	return ahead;
}

/*
 * The construct that the node executes: `own`, its task's; for implicit tasks the worksharing before the next barrier, if there
 * is one.
 */
static uint32_t place_of(const struct net *net, const struct track *track, const struct blockers *found, uint32_t id, uint32_t own,
			 const struct ahead *ahead)
{
	if (net_is_explicit(net, id))
		return own;
	if (ahead->barrier != 0) {
		uint32_t loop = track->loop_of[net_construct(net, ahead->barrier)];
		return loop != 0 ? loop : own;
	}
	return ahead->next != 0 && net_owner(net, ahead->next) == net_owner(net, id) ? blockers_of(found, ahead->next)->place : own;
}

/* The wait of another unit that this node ends, 0 none; sets the kind of that wait. */
static uint32_t ended_wait(const struct net *net, uint32_t id, enum unit_wait_sort *sort)
{
	if (net->unit_nodes == NULL)
		return 0;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		bool is_end = net->kinds[link] == EDGE_JOIN || net->kinds[link] == EDGE_RESUME;
		*sort = is_end ? net_unit_wait(net, net->targets[link]) : UNIT_WAITS_NOT;
		if (*sort != UNIT_WAITS_NOT)
			return net->targets[link];
	}
	return 0;
}

/* The cause for a node that ends the wait of another unit. */
static uint32_t cause_of_wait(struct causes *causes, const struct net *net, uint32_t id, uint32_t wait, enum unit_wait_sort sort)
{
	uint32_t own = net_task_construct(net, id), waiter = net_task_construct(net, wait);
	switch (sort) {
	case UNIT_WAITS_MUTEX: return causes_row(causes, LIMIT_EXCLUSION, CAUSE_PLAIN, waiter, 0);
	case UNIT_WAITS_ALL: return causes_row(causes, LIMIT_IMBALANCE, CAUSE_PLAIN, own, 0);
	case UNIT_WAITS_SIGNAL: return causes_row(causes, LIMIT_CHAIN, CAUSE_PLAIN, own, waiter);
	case UNIT_WAITS_JOIN:
	case UNIT_WAITS_NOT: break;
	}
	return causes_row(causes, LIMIT_WAIT, CAUSE_PLAIN, waiter, 0);
}

/* ---- Tasks that exclude each other ---- */

struct exclusion_turns {
	const struct net *net;
	bool *excludes; /* by task: when it ends, a task begins that it excludes and that was created before */
};

static int by_start(const void *left, const void *right, void *self)
{
	const struct exclusion_turns *turns = self;
	const struct task *l = &turns->net->tasks[*(const uint32_t *)left], *r = &turns->net->tasks[*(const uint32_t *)right];
	return cmp(l->start_ticks, r->start_ticks) ?: cmp(l, r);
}

static int add_turns(void *self, const uint32_t *nodes, uint32_t n)
{
	struct exclusion_turns *turns = self;
	const struct task *tasks = turns->net->tasks;
	uint32_t *set = memory_get(n, sizeof *set, "what limits the run");
	for (uint32_t i = 0; i < n; i++)
		set[i] = net_task(turns->net, nodes[i]);
	sort_array_r(set, n, by_start, turns);
	for (uint32_t i = 1; i < n; i++) {
		const struct task *before = &tasks[set[i - 1]], *next = &tasks[set[i]];
		if (next->create_ticks < before->end_ticks && before->end_ticks <= next->start_ticks)
			turns->excludes[set[i - 1]] = true;
	}
	free(set);
	return 0;
}

static bool *find_turns(const struct net *net)
{
	bool *excludes = memory_zeroed(net->n_tasks, sizeof *excludes, "what limits the run");
	graph_each_exclusive(net->graph, add_turns, &(struct exclusion_turns){net, excludes});
	return excludes;
}

/* ---- All of it ---- */

static struct blocker find(struct causes *causes, const struct net *net, const struct track *track, const struct blockers *found,
			   const bool *excludes, const uint64_t *path_ticks, uint32_t id)
{
	const struct ahead ahead = see_ahead(net, found, path_ticks, id);
	uint32_t own = net_task_construct(net, id);
	struct blocker blocker = ahead.next != 0 ? *blockers_of(found, ahead.next) : (struct blocker){0};
	blocker.place = place_of(net, track, found, id, own, &ahead);
	bool lets_another = ahead.next == 0 && net_is_explicit(net, id) && excludes[net_task(net, id)];
	blocker.is_last = lets_another || ahead.is_last;
	if (ahead.created != 0) {
		blocker.cause = causes_row(causes, LIMIT_CREATION, CAUSE_PLAIN, net_construct(net, ahead.created), 0);
		return blocker;
	}
	if (ahead.depends != 0) {
		uint32_t target = net_construct(net, ahead.depends);
		blocker.cause = is_wait(net, target) ? causes_row(causes, LIMIT_WAIT, CAUSE_PLAIN, target, 0)
						     : causes_row(causes, LIMIT_CHAIN, CAUSE_PLAIN, own, target);
		blocker.sync = blockers_of(found, ahead.depends)->sync;
		return blocker;
	}
	if (ahead.undeferred != 0) {
		blocker.cause = causes_row(causes, LIMIT_WAIT, CAUSE_UNDEFERRED, own, 0);
		blocker.sync = blockers_of(found, ahead.undeferred)->sync;
		return blocker;
	}
	enum unit_wait_sort sort;
	uint32_t wait = ended_wait(net, id, &sort);
	if (wait != 0) {
		blocker.cause = cause_of_wait(causes, net, id, wait, sort);
		blocker.sync = 0;
		return blocker;
	}
	if (ahead.wait != 0) {
		uint32_t construct = net_construct(net, ahead.wait);
		if (ahead.wait_kind == EDGE_TASKWAIT || ahead.wait_kind == EDGE_TASKGROUP)
			blocker.cause = causes_row(causes, LIMIT_WAIT, CAUSE_PLAIN, construct, 0);
		else {
			uint32_t before = blockers_before_barrier(net, track, id, ahead.wait);
			blocker.cause = is_of_one(net, before) ? causes_row(causes, LIMIT_SERIAL, CAUSE_SINGLE, before, 0)
							       : causes_row(causes, LIMIT_IMBALANCE, CAUSE_PLAIN, before, 0);
		}
		bool has_barrier = ahead.wait_kind == EDGE_JOIN && track->end_of[construct] != 0;
		blocker.sync = has_barrier ? track->end_of[construct] : construct; /* where the threads wait */
	}
	if (lets_another)
		blocker.cause = causes_row(causes, LIMIT_EXCLUSION, CAUSE_PLAIN, own, 0);
	else if (ahead.wait == 0 && ahead.next == 0)
		blocker.cause = causes_row(causes, LIMIT_IMBALANCE, CAUSE_PLAIN, own, 0);
	return blocker;
}

static bool is_same(const struct blocker *row, struct blocker blocker)
{
	return row->cause == blocker.cause && row->place == blocker.place && row->sync == blocker.sync &&
	       row->is_last == blocker.is_last;
}

/* The place of a blocker in the cache of latest rows: common blockers should have different places. */
static uint32_t place_in_latest(struct blocker blocker)
{
	return (blocker.cause * 2 + blocker.is_last + blocker.place * 13 + blocker.sync * 5) % LATEST;
}

/* The blocker's row, which is added if it is new. */
static uint32_t search(struct blockers *found, struct blocker blocker)
{
	uint32_t *number = map_put_row(&found->row_numbers, found->rows, blocker);
	array_push_new(found->rows, found->n, found->capacity, number, blocker);
	return *number - 1;
}

/*
 * Prefetches the next nodes, their links, and the targets of these: otherwise a third of the time is spent waiting for memory.
 * Always inline: a compiler may drop calls of a function that changes nothing.
 */
static inline __attribute__((always_inline)) void fetch_ahead(const struct net *net, const struct blockers *blockers, uint32_t i)
{
	enum { FAR = 32, NEARER = 20, NEAR = 8, LINKS = 4 };
	if (i < FAR)
		return;
	uint32_t far = net->order[i - FAR], nearer = net->order[i - NEARER], near = net->order[i - NEAR];
	__builtin_prefetch(&net->first[far]);
	__builtin_prefetch(&net->constructs[far]);
	if (far >= net->n_tasks)
		__builtin_prefetch(&net->inner[far - net->n_tasks].end_ticks);
	else {
		__builtin_prefetch(&net->tasks[far].start_ticks);
		__builtin_prefetch(&net->first_fragments[far]);
	}
	__builtin_prefetch(&net->targets[net->first[nearer]]);
	__builtin_prefetch(&net->kinds[net->first[nearer]]);
	size_t first = net->first[near], n = net->first[near + 1] - first;
	for (size_t link = first; link < first + (n < LINKS ? n : LINKS); link++) {
		__builtin_prefetch(&net->ready_ticks[net->targets[link]]);
		__builtin_prefetch(&blockers->row_of[net->targets[link]]);
	}
}

void blockers_find(struct blockers *blockers, struct causes *causes, struct net *net, const struct track *track)
{
	uint32_t latest[LATEST] = {0};
	*blockers = (struct blockers){.row_of = net_take_cleared(net, NET_BLOCKERS)};
	(void)search(blockers, (struct blocker){0});
	bool *excludes = find_turns(net);
	uint64_t *path_ticks = measure_paths(net);
	for (uint32_t i = net->n_ordered; i-- > 0;) {
		uint32_t id = net->order[i];
		fetch_ahead(net, blockers, i);
		struct blocker blocker = find(causes, net, track, blockers, excludes, path_ticks, id);
		uint32_t *row = &latest[place_in_latest(blocker)];
		if (!is_same(&blockers->rows[*row], blocker))
			*row = search(blockers, blocker);
		blockers->row_of[id] = *row;
	}
	map_free(&blockers->row_numbers);
	free(path_ticks);
	free(excludes);
}

void blockers_free(struct blockers *blockers)
{
	free(blockers->rows);
	free(blockers->row_of);
}
