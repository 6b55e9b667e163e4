/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where units of Argobots waited, and for whom: their joins and waits in the graph. A unit that waits leaves its thread to
 * others, so these are times of units, and not of threads. It waits until the last of what ends its wait, whoever that is;
 * that it runs only later, as others run there, is not waiting. Called by answer.c, on one thread.
 */
#include "builder/answer/figures.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* By node that is no task's first one: the node of another unit that ends it last, 0 none; to be freed. */
static uint32_t *find_enders(const struct net *net)
{
	uint32_t n_tasks = net->n_tasks;
	uint32_t *enders = memory_zeroed(net->n - n_tasks + 1, sizeof *enders, "where units waited");
	uint64_t *ended = memory_zeroed(net->n - n_tasks + 1, sizeof *ended, "where units waited");
	for (uint32_t id = n_tasks; id < net->n; id++)
		for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
			uint32_t target = net->targets[link];
			bool is_end = net->kinds[link] == EDGE_JOIN || net->kinds[link] == EDGE_RESUME;
			if (!is_end || net_unit_wait(net, target) == UNIT_WAITS_NOT)
				continue;
			uint64_t ticks = net_executes(net, id) ? net_end(net, id) : net->ready_ticks[id];
			if (enders[target - n_tasks] == 0 || ticks > ended[target - n_tasks]) {
				enders[target - n_tasks] = id;
				ended[target - n_tasks] = ticks;
			}
		}
	free(ended);
	return enders;
}

static enum state state_of(enum unit_wait_sort sort)
{
	return sort == UNIT_WAITS_MUTEX ? STATE_WAIT_MUTEX
	       : sort == UNIT_WAITS_ALL ? STATE_WAIT_BARRIER_EXPLICIT
					: STATE_WAIT_TASKWAIT;
}

void unit_waits_find(struct causes *waits, struct track *track, const struct net *net)
{
	static const enum limit limits[] = {[UNIT_WAITS_NOT] = LIMIT_NONE,
					    [UNIT_WAITS_JOIN] = LIMIT_WAIT,
					    [UNIT_WAITS_MUTEX] = LIMIT_EXCLUSION,
					    [UNIT_WAITS_ALL] = LIMIT_IMBALANCE,
					    [UNIT_WAITS_SIGNAL] = LIMIT_CHAIN};
	uint32_t n_tasks = net->n_tasks;
	if (net->unit_nodes == NULL)
		return;
	uint32_t *enders = find_enders(net);
	for (uint32_t id = n_tasks; id < net->n; id++) {
		enum unit_wait_sort sort = net_unit_wait(net, id);
		const struct node *node = net_inner(net, id);
		if (sort == UNIT_WAITS_NOT || !node->is_placed)
			continue;
		uint32_t ender = enders[id - n_tasks], construct = net_task_construct(net, id);
		uint64_t begin = net_begin(net, id), end = ender != 0 ? net->ready_ticks[id] : net_end(net, id);
		if (end <= begin) /* it did not have to wait */
			continue;
		track_add_wait(track, construct, state_of(sort), end - begin);
		if (ender != 0)
			causes_blame(waits, causes_row(waits, limits[sort], CAUSE_PLAIN, construct, net_task_construct(net, ender)),
				     (double)(end - begin));
	}
	free(enders);
}

bool wait_is_at(const struct model *model, const struct wait_place *place, const struct cause *wait)
{
	enum construct_kind kind = model->constructs[place->construct].kind;
	if (wait->construct != place->construct || wait->ticks <= 0)
		return false;
	if (kind < CONSTRUCT_UNIT || kind > CONSTRUCT_EXTERNAL)
		return true;
	return place->state == STATE_WAIT_MUTEX              ? wait->limit == LIMIT_EXCLUSION
	       : place->state == STATE_WAIT_BARRIER_EXPLICIT ? wait->limit == LIMIT_IMBALANCE
							     : wait->limit == LIMIT_WAIT || wait->limit == LIMIT_CHAIN;
}
