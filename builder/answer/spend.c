/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread's time was spent for, from one change to the next, and what is blamed for it: see account.h. Called by
 * account.c, on one thread.
 */
#include "builder/answer/lane.h"

#define SOON 8 /* what is asked of the task, or the node, that comes so much later is fetched into the cache meanwhile */

void lane_find_task(struct sweep_over_time *s, struct lane *lane)
{
	const struct track_stream *t = lane->stream;
	bool has_task = lane->next_started < t->n_started;
	if (t->n_started - lane->next_started > SOON)
		__builtin_prefetch(&s->net->tasks[t->started[lane->next_started + SOON]].start_ticks);
	lane->next_task = has_task ? t->started[lane->next_started] : 0;
	lane->task_ticks = has_task ? s->net->tasks[lane->next_task].start_ticks : UINT64_MAX;
}

void lane_find_fragment(struct sweep_over_time *s, struct lane *lane)
{
	while (lane->next_fragment < lane->end_fragment && !net_is_fragment(s->net, lane->next_fragment))
		lane->next_fragment++;
	bool has_fragment = lane->next_fragment < lane->end_fragment;
	if (lane->end_fragment - lane->next_fragment > SOON)
		__builtin_prefetch(&s->net->inner[lane->next_fragment + SOON - s->net->n_tasks].begin_ticks);
	lane->fragment_ticks = has_fragment ? net_begin(s->net, lane->next_fragment) : UINT64_MAX;
}

void lane_find_next(struct sweep_over_time *s, struct lane *lane)
{
	bool is_task = net_comes_first(s->net, lane->next_task, lane->task_ticks, lane->next_fragment, lane->fragment_ticks);
	uint32_t fragment = lane->next_fragment < lane->end_fragment ? lane->next_fragment : 0;
	lane->next_node = is_task ? lane->next_task : fragment;
	lane->next_ticks = is_task ? lane->task_ticks : lane->fragment_ticks;
	if (lane->next_unit >= lane->end_unit)
		return;
	uint32_t of_unit = s->net->unit_nodes[lane->next_unit];
	if (lane->next_node != 0 && lane->next_ticks < net_begin(s->net, of_unit))
		return;
	lane->next_node = of_unit;
	lane->next_ticks = net_begin(s->net, of_unit);
}

/* ---- What a stretch of time is spent for ---- */

/* The region that begins next. */
static uint32_t coming_region(const struct sweep_over_time *s)
{
	return s->next_region < s->n_regions ? s->regions[s->next_region].construct : 0;
}

uint32_t lane_cause(struct sweep_over_time *s, enum limit limit, enum cause_sort sort, uint32_t construct)
{
	return causes_row(s->causes, limit, sort, construct, 0);
}

/* Of the time since the lane was told last, the share in which threads with nothing to do would have had no processor. */
static double crowded_since(const struct sweep_over_time *s, const struct lane *lane)
{
	uint64_t length = s->now - lane->since_ticks;
	return length != 0 ? (s->crowded - lane->crowded) / (double)length : 0;
}

/* The thread is in no team, or not there. */
static void spend_idle(struct sweep_over_time *s, struct lane *lane, uint64_t ticks)
{
	const struct model *m = s->net->graph->model;
	uint32_t row;
	const struct task *next = &s->net->tasks[lane->next_task];
	uint64_t length = ticks - lane->since_ticks, fork = 0;
	if (!is_region_open(s))
		row = lane_cause(s, LIMIT_SERIAL, CAUSE_PLAIN, coming_region(s));
	else {
		const struct region *region = lane->next_task != 0 ? &m->regions[next->region] : NULL;
		if (region != NULL && next->flags & task_flags_implicit && region->begin_ticks < ticks) {
			uint64_t begin = region->begin_ticks > lane->since_ticks ? region->begin_ticks : lane->since_ticks;
			fork = ticks - begin;
			causes_blame(s->causes,
				     lane_cause(s, LIMIT_RUNTIME, CAUSE_FORK, net_region_construct(s->net, next->region)),
				     (double)fork);
		}
		row = lane_cause(s, LIMIT_SERIAL, CAUSE_UNUSED, s->region);
	}
	lane->spent[SPENT_RUNTIME] += fork;
	lane->spent[SPENT_SERIAL] += length - fork;
	causes_blame_crowded(s->causes, row, (double)(length - fork), crowded_since(s, lane));
}

/*
 * The runtime is at work before the thread goes on after a synchronisation, or its region's end. As long as that was not to
 * happen yet, there were tasks to begin.
 */
static void blame_resuming(struct sweep_over_time *s, const struct lane *lane, uint32_t node, uint64_t length)
{
	const struct net *net = s->net;
	const struct model *m = net->graph->model;
	bool is_resumed = node >= m->n_tasks && net_unit(net, node) == 0;
	uint32_t region = m->tasks[net_task(net, lane->node)].region;
	uint32_t before = is_resumed ? net->graph->nodes[node - m->n_tasks].previous : 0;
	uint32_t construct = is_resumed ? net_construct(net, before) : net_region_construct(net, region);
	uint64_t ready_ticks = net->ready_ticks[is_resumed ? node : net->graph->join_node[region]], early = 0;
	if (s->task_construct != 0 && ready_ticks > lane->since_ticks)
		early = ready_ticks - lane->since_ticks < length ? ready_ticks - lane->since_ticks : length;
	causes_blame(s->causes, lane_cause(s, LIMIT_RUNTIME, CAUSE_SCHEDULING, s->task_construct), (double)early);
	causes_blame(s->causes, lane_cause(s, LIMIT_RUNTIME, CAUSE_RESUMING, construct), (double)(length - early));
}

/* The runtime is at work: blamed on what it comes to. */
static void spend_overhead(struct sweep_over_time *s, struct lane *lane, uint64_t length)
{
	const struct model *m = s->net->graph->model;
	uint32_t node = lane->next_node;
	bool is_task = node != 0 && node < m->n_tasks;
	const struct region *region = &m->regions[m->tasks[is_task ? node : 0].region];
	lane->spent[SPENT_RUNTIME] += length;
	if (is_task && task_is_explicit(&m->tasks[node]))
		causes_blame(s->causes, lane_cause(s, LIMIT_RUNTIME, CAUSE_SCHEDULING, net_construct(s->net, node)),
			     (double)length);
	else if (is_task && region->begin_ticks <= lane->since_ticks)
		causes_blame(s->causes,
			     lane_cause(s, LIMIT_RUNTIME, CAUSE_FORK, net_region_construct(s->net, m->tasks[node].region)),
			     (double)length);
	else
		blame_resuming(s, lane, node, length);
}

void lane_begin_task(struct sweep_over_time *s, struct lane *lane)
{
	const struct model *m = s->net->graph->model;
	const struct task *task = &m->tasks[lane->node];
	const struct region *region = &m->regions[task->region];
	if (task_is_explicit(task))
		s->task_construct = net_construct(s->net, lane->node);
	if (!(task->flags & task_flags_implicit) || region->begin_ticks >= s->now)
		return;
	lane->late[LATE_FORK].ticks = (double)(s->now - region->begin_ticks);
	lane->late[LATE_FORK].cause = lane_cause(s, LIMIT_RUNTIME, CAUSE_FORK, net_region_construct(s->net, task->region));
}

/*
 * What others have waited for the lane's node since it was told last. For as long as the node is late, however many they
 * are, all of them wait for what made it late.
 */
static void blame_node(struct sweep_over_time *s, struct lane *lane)
{
	const struct blocker *blocker = blocker_of(s, lane);
	const struct waited_for *now = &s->waited_for[blocker->is_last];
	double all = now->shared - lane->told.shared, left = all, waited = now->ticks - lane->told.ticks;
	double crowded = all > 0 ? (now->crowded_shared - lane->told.crowded_shared) / all : 0;
	for (unsigned i = 0; i < LATES && waited > 0; i++) {
		struct late *late = &lane->late[i];
		double part = late->ticks < waited ? late->ticks : waited, blame = left * (part / waited);
		if (part <= 0)
			continue;
		causes_blame_crowded(s->causes, late->cause, blame, crowded);
		late->ticks -= part;
		left -= blame;
		waited -= part;
	}
	causes_blame_crowded(s->causes, blocker->cause, left, crowded);
}

uint32_t lane_awaited(const struct lane *lane)
{
	const struct track_stream *t = lane->stream;
	return lane->run < t->n_runs ? t->runs[lane->run].construct : 0;
}

/* In a target construct. Outside of regions the others wait for it, too, and not for serial work. */
static void blame_data(struct sweep_over_time *s, struct lane *lane, double ticks)
{
	uint32_t cause = lane_cause(s, LIMIT_DATA, CAUSE_PLAIN, lane_awaited(lane));
	causes_blame(s->causes, cause, ticks);
	for (size_t j = 0; j < s->n_lanes && !is_region_open(s); j++)
		if (&s->lanes[j] != lane && s->lanes[j].is_open && !is_live(&s->lanes[j])) {
			causes_blame(s->causes, cause, ticks);
			causes_blame(s->causes, lane_cause(s, LIMIT_SERIAL, CAUSE_PLAIN, coming_region(s)), -ticks);
		}
}

/* Where a thread has no processor, that is blamed on what its node executes. */
static uint32_t preempted_place(const struct sweep_over_time *s, const struct lane *lane)
{
	return lane->node != 0 ? blocker_of(s, lane)->place : 0;
}

static struct late *late_by(struct sweep_over_time *s, struct lane *lane, bool is_preempted)
{
	struct late *late = &lane->late[is_preempted ? LATE_PREEMPTION : LATE_EXCLUSION];
	late->cause = is_preempted ? lane_cause(s, LIMIT_PREEMPTION, CAUSE_PLAIN, preempted_place(s, lane))
				   : lane_cause(s, LIMIT_EXCLUSION, CAUSE_PLAIN, lane_awaited(lane));
	return late;
}

/* The node has not got on for so long. */
static void make_late(struct sweep_over_time *s, struct lane *lane, uint64_t length)
{
	bool is_preempted = lane->state == STATE_PREEMPTED || turns_is_off(lane);
	bool waits = track_is_mutex(lane->state) && !lane->is_mutex_free;
	if (length == 0 || !(is_preempted || waits))
		return;
	bool is_over = lane->state == STATE_PREEMPTED && lane->is_node_over;
	struct late *late = late_by(s, lane, is_preempted);
	late->ticks += is_over ? 0 : (double)length;
	causes_blame_crowded(s->causes, late->cause, (double)length, is_preempted ? 0 : crowded_since(s, lane));
}

/* What the thread waits for is done by the nodes that run, which are blamed; but for what units that are ready could have had. */
static void spend_waiting(struct sweep_over_time *s, struct lane *lane, uint64_t length)
{
	uint64_t taken[UNIT_WISHES] = {0}, left = length; /* ready_units_take() blames these */
	for (unsigned wish = 0; is_seeking(s, lane) && wish < UNIT_WISHES; wish++) {
		uint64_t part = (uint64_t)(s->taken[wish] - lane->taken[wish]);
		taken[wish] = part < left ? part : left;
		left -= taken[wish];
	}
	lane->spent[SPENT_EXCLUSION] += taken[UNIT_WANTS_MUTEX];
	lane->spent[SPENT_RUNTIME] += taken[UNIT_WANTS_THREAD];
	lane->spent[SPENT_WAITING] += left;
}

/* It asks for a mutex, and waits if another one has it. */
static void spend_mutex(struct sweep_over_time *s, struct lane *lane, uint64_t length, uint64_t recorded)
{
	if (turns_is_off(lane)) {
		lane->off_ticks += length;
		lane->spent[SPENT_PREEMPTED] += length;
	} else if (lane->is_mutex_free) {
		uint32_t cause = lane_cause(s, LIMIT_RUNTIME, CAUSE_ACQUIRING, lane_awaited(lane));
		lane->free_ticks += length;
		lane->spent[SPENT_RUNTIME] += length - recorded;
		causes_blame(s->causes, cause, (double)(length - recorded));
	} else {
		lane->spent[SPENT_EXCLUSION] += length;
		turns_blame(s, lane, length);
	}
}

void lane_take_back(struct sweep_over_time *s, struct lane *lane)
{
	uint64_t *runtime = &lane->spent[SPENT_RUNTIME];
	uint64_t free_ticks =
		lane->free_ticks < *runtime ? lane->free_ticks : *runtime; /* less where records ended nodes meanwhile */
	double off = (double)lane->off_ticks, all = off + (double)free_ticks;
	if (all <= 0)
		return;
	*runtime -= free_ticks;
	lane->spent[SPENT_PREEMPTED] -= lane->off_ticks;
	lane->spent[SPENT_EXCLUSION] += lane->off_ticks + free_ticks;
	causes_blame(s->causes, lane_cause(s, LIMIT_RUNTIME, CAUSE_ACQUIRING, lane_awaited(lane)), -(double)free_ticks);
	struct late *late = late_by(s, lane, true);
	late->ticks -= off < late->ticks ? off : late->ticks; /* others may have been told that they waited for that */
	causes_blame(s->causes, late->cause, -off);
	late = late_by(s, lane, false);
	late->ticks += all;
	causes_blame(s->causes, late->cause, all);
}

void lane_tell(struct sweep_over_time *s, struct lane *lane)
{
	uint64_t length = s->now - lane->since_ticks;
	uint64_t *spent = lane->spent, recorded = 0;
	enum state state = lane->state;
	const struct waited_for *now = &s->waited_for[blocker_of(s, lane)->is_last];
	make_late(s, lane, length);
	if (now->ticks != lane->told.ticks) { /* else nobody has waited meanwhile */
		if (lane->counted & (LANE_LIVES | LANE_LIVES_LAST))
			blame_node(s, lane);
		lane->told = *now;
	}
	if (length == 0)
		return;
	bool is_free = track_is_mutex(state) && lane->is_mutex_free && !lane->is_off;
	if (lane->ends_with_record && (state_is_work(state) || state == STATE_OVERHEAD || is_free)) {
		recorded = net_recorded(s->net, length);
		spent[SPENT_RECORDER] += recorded;
	}
	if (state_is_work(state))
		spent[SPENT_WORK] += length - recorded;
	else if (lane->counted & LANE_WAITS)
		spend_waiting(s, lane, length);
	else if (track_is_mutex(state))
		spend_mutex(s, lane, length, recorded);
	else if (state == STATE_OVERHEAD)
		spend_overhead(s, lane, length - recorded);
	else if (state == STATE_PREEMPTED)
		spent[SPENT_PREEMPTED] += length;
	else if (state == STATE_BLOCKED) {
		spent[SPENT_BLOCKED] += length;
		if (!is_region_open(s)) {
			uint32_t cause = lane_cause(s, LIMIT_SERIAL, CAUSE_PLAIN, coming_region(s)); /* may move the rows */
			s->causes->rows[cause].blocked_ticks += (double)length;
		}
	} else if (track_is_target(state)) {
		spent[SPENT_DATA] += length;
		blame_data(s, lane, (double)length);
	} else if (state == STATE_UNDEFINED && is_region_open(s) && lane->node != 0)
		spent[SPENT_UNKNOWN] += length;
	else
		spend_idle(s, lane, s->now);
	lane->since_ticks = s->now;
	lane->crowded = s->crowded;
	for (unsigned wish = 0; lane->has_units && wish < UNIT_WISHES; wish++)
		lane->taken[wish] = s->taken[wish];
}
