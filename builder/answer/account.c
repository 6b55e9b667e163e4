/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps once over the time of a process, from one change to the next of all threads: see account.h.
 *
 * A thread that waits in a synchronisation waits for what the others do. So at any time the threads that wait are shared
 * out among the nodes that run, and what such a node holds up (blockers.c) is blamed: among those with whose end something
 * can go on, if there are any, as an end that is not the last one for anybody would let nobody go on. The sum over time of
 * (threads that wait) / (nodes that run) is one number for all such nodes: a node gets as much of it as was added while it
 * ran. So a change takes the same time however many threads there are.
 */
#include "builder/answer/lane.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"
#include "builder/support/soonest.h"

#include <stdlib.h>

#define WHAT "what limits the run"

const char *spent_name(enum spent spent)
{
	static const char *const names[SPENTS] = {"work",     "serial",    "waiting", "exclusion", "runtime",
						  "recorder", "preempted", "blocked", "data",      "unknown"};
	return names[spent];
}

/* What the lane does for others, and they for it. */
static struct awaited_role role_of(const struct sweep_over_time *s, size_t i)
{
	const struct lane *lane = &s->lanes[i];
	const struct blocker *blocker = blockers_of(s->blockers, lane->node);
	if (is_seeking(s, lane) || net_unit(s->net, lane->node) != 0) /* units wait, and not their threads */
		return (struct awaited_role){.what = AWAITED_NEITHER};
	if (is_live(lane))
		return (struct awaited_role){AWAITED_RUNS, blocker->sync, blocker->place, blocker->is_last};
	if (track_is_sync(lane->state))
		return (struct awaited_role){.what = AWAITED_WAITS, .sync = lane_awaited(s, i)};
	return (struct awaited_role){.what = AWAITED_NEITHER};
}

/* How many of those that wait, and of those that they may wait for, the lane is. */
static void count(struct sweep_over_time *s, const struct lane *lane, uint32_t change)
{
	if (is_seeking(s, lane))
		ready_units_seek(s, change == 1);
	s->n_waiting += is_waiting(lane->state) || is_seeking(s, lane) ? change : 0;
	s->n_wanting += is_wanting(lane) ? change : 0;
	if (is_live(lane))
		s->n_live[blockers_of(s->blockers, lane->node)->is_last] += change;
}

/* ---- What a lane comes to ---- */

static void take_node(struct sweep_over_time *s, size_t i, uint32_t node)
{
	struct lane *lane = &s->lanes[i];
	lane->node = node;
	for (unsigned late = 0; late < LATES; late++)
		lane->late[late].ticks = 0;
	if (net_unit(s->net, node) != 0) {
		lane->next_unit++;
		ready_units_take(s, node);
	} else if (node < s->net->graph->model->n_tasks) {
		lane->next_started++;
		lane_begin_task(s, lane);
	} else
		lane->next_fragment++;
	lane_find_next(s, i);
}

/* The thread has waited. */
static void end_wait(const struct sweep_over_time *s, size_t i)
{
	const struct track_stream *t = &s->track->streams[i];
	struct lane *lane = &s->lanes[i];
	if (lane->run < t->n_runs && ++lane->n_of_run == t->runs[lane->run].n) {
		lane->run++;
		lane->n_of_run = 0;
	}
}

/* ---- The sweep ---- */

/* Of the threads that have nothing to do, the share for which there is no processor. */
static double crowded_share(const struct sweep_over_time *s)
{
	uint64_t n_processors = s->net->graph->model->dump->meta.n_processors, n_threads = s->account->n_threads;
	if (n_processors == 0 || n_processors >= n_threads || s->n_wanting >= n_threads)
		return 0;
	uint64_t n_free = n_processors > s->n_wanting ? n_processors - s->n_wanting : 0, n_idle = n_threads - s->n_wanting;
	return n_free < n_idle ? 1 - (double)n_free / (double)n_idle : 0;
}

/* Until then nothing changes. */
static void pass_time(struct sweep_over_time *s, uint64_t ticks)
{
	if (ticks <= s->now) /* of a part of the time: what began before it */
		return;
	double length = (double)(ticks - s->now);
	if (!is_region_open(s))
		s->account->serial_wall_ticks += ticks - s->now;
	awaited_pass(&s->awaited, length);
	double crowded = crowded_share(s);
	s->crowded += length * crowded;
	bool is_last = s->n_live[true] != 0;
	double n_waiting = s->n_waiting - ready_units_pass(s, length);
	if (s->n_live[is_last] != 0) {
		double shared = length * n_waiting / s->n_live[is_last];
		s->shared[is_last] += shared;
		s->crowded_shared[is_last] += shared * crowded;
		s->waited[is_last] += n_waiting > 0 ? length : 0;
	} else if (n_waiting > 0)
		causes_blame(s->causes, lane_cause(s, LIMIT_RUNTIME, CAUSE_RESUMING, s->region), length * n_waiting);
	s->now = ticks;
}

static uint64_t next_of_lane(const struct sweep_over_time *s, size_t i)
{
	const struct lane *lane = &s->lanes[i];
	return lane->next_ticks < lane->reader.next_ticks ? lane->next_ticks : lane->reader.next_ticks;
}

/* All that happens on the lane now. 0, or -1 with the error printed. */
static int step_lane(struct sweep_over_time *s, size_t i)
{
	struct lane *lane = &s->lanes[i];
	lane->ends_with_record = true;
	lane_tell(s, i);
	lane->ends_with_record = false;
	count(s, lane, UINT32_MAX);
	while (lane->reader.next_ticks <= s->now) {
		if (track_has_run(lane->state))
			end_wait(s, i);
		if (series_next(&lane->reader) != 0)
			return -1;
		lane->state = (enum state)(lane->reader.value + STATE_NONE);
	}
	while (lane->next_node != 0 && lane->next_ticks <= s->now)
		take_node(s, i, lane->next_node);
	lane->is_node_over = lane->node != 0 && net_end(s->net, lane->node) <= s->now;
	count(s, lane, 1);
	awaited_change(&s->awaited, &lane->role, role_of(s, i));
	return 0;
}

/* Regions begin, or end, now: threads without a task wait for something else from now on. */
static void step_regions(struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open) {
			lane_tell(s, i);
			count(s, &s->lanes[i], UINT32_MAX);
		}
	while (s->next_join < s->n_regions && s->joins[s->next_join] <= s->now && s->next_join < s->next_region)
		s->next_join++;
	for (; s->next_region < s->n_regions && s->regions[s->next_region].begin_ticks <= s->now; s->next_region++)
		s->region = s->regions[s->next_region].construct;
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open)
			count(s, &s->lanes[i], 1);
}

static uint64_t next_of_regions(const struct sweep_over_time *s)
{
	uint64_t begin = s->next_region < s->n_regions ? s->regions[s->next_region].begin_ticks : UINT64_MAX;
	uint64_t join = s->next_join < s->next_region ? s->joins[s->next_join] : UINT64_MAX;
	return begin < join ? begin : join;
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *l = left, *r = right;
	return *l < *r ? -1 : *l > *r;
}

/* A time in which there was a unit, or in which one created one after the other. */
struct span {
	uint64_t begin_ticks, end_ticks;
	uint32_t construct;
};

static int by_begin(const void *left, const void *right)
{
	const struct span *l = left, *r = right;
	if (l->begin_ticks != r->begin_ticks)
		return l->begin_ticks < r->begin_ticks ? -1 : 1;
	if (l->end_ticks != r->end_ticks)
		return l->end_ticks < r->end_ticks ? -1 : 1;
	return l->construct < r->construct ? -1 : l->construct > r->construct;
}

/* The construct of the unit that the node ends by creating, 0: it does not. */
static uint32_t created(const struct net *net, uint32_t id)
{
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++)
		if (net->kinds[link] == EDGE_CREATE && net_unit(net, net->targets[link]) != 0 &&
		    net_is_task(net, net->targets[link]))
			return net_task_construct(net, net->targets[link]);
	return 0;
}

/*
 * Units of Argobots are in no region: where there are some that have not ended, and where a unit creates one after the other,
 * threads that have nothing to do could have something. Such times are regions here, those that overlap are one.
 */
static uint32_t find_times_of_units(const struct sweep_over_time *s, struct span **found)
{
	const struct net *net = s->net;
	const struct model *m = net->graph->model;
	uint32_t n = 0, n_joined = 0, n_inner = net->n - m->n_tasks;
	struct span *spans = *found =
		memory_get((size_t)m->n_units + (net->unit_nodes != NULL ? n_inner : 0) + 1, sizeof *spans, WHAT);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		uint32_t id = graph_unit_node(net->graph, row);
		uint64_t end = unit->state & UNIT_ENDED ? unit->end_ticks : m->last_ticks;
		if (id != 0 && net_is_task(net, id) && unit->create_ticks != 0)
			spans[n++] = (struct span){unit->create_ticks, end, net_construct(net, id)};
	}
	for (uint32_t id = m->n_tasks; id < net->n && net->unit_nodes != NULL; id++) {
		const struct node *node = net_inner(net, id);
		if (net_unit(net, id) != 0 && node->kind == NODE_FRAGMENT && node->previous != 0 &&
		    created(net, node->previous) != 0 && created(net, id) != 0)
			spans[n++] = (struct span){node->begin_ticks, node->end_ticks, created(net, id)};
	}
	sort_rows(spans, n, sizeof *spans, by_begin);
	for (uint32_t i = 0; i < n; i++) {
		struct span *last = n_joined > 0 ? &spans[n_joined - 1] : NULL;
		if (last == NULL || spans[i].begin_ticks > last->end_ticks)
			spans[n_joined++] = spans[i];
		else if (spans[i].end_ticks > last->end_ticks)
			last->end_ticks = spans[i].end_ticks;
	}
	return n_joined;
}

static int by_phase(const void *left, const void *right)
{
	const struct phase *l = left, *r = right;
	return l->begin_ticks < r->begin_ticks ? -1 : l->begin_ticks > r->begin_ticks;
}

/* The regions in order, without those of the runtime's own and those around initial tasks. */
static void find_regions(struct sweep_over_time *s)
{
	const struct model *m = s->net->graph->model;
	struct span *spans;
	uint32_t n_spans = find_times_of_units(s, &spans);
	s->regions = memory_get((size_t)m->n_regions + n_spans, sizeof *s->regions, WHAT);
	s->joins = memory_get((size_t)m->n_regions + n_spans, sizeof *s->joins, WHAT);
	for (uint32_t i = 0; i < n_spans; i++) {
		s->joins[s->n_regions] = spans[i].end_ticks;
		s->regions[s->n_regions++] = (struct phase){spans[i].begin_ticks, spans[i].construct};
	}
	free(spans);
	for (uint32_t row = 1; row < m->n_regions; row++) {
		const struct region *r = &m->regions[row];
		if (!(r->state & REGION_ANNOUNCED) || r->state & (REGION_INITIAL | REGION_HELPER | REGION_HIDDEN))
			continue;
		uint64_t join = region_end_ticks(r);
		s->joins[s->n_regions] = join > r->begin_ticks ? join : r->begin_ticks;
		s->regions[s->n_regions++] = (struct phase){r->begin_ticks, net_region_construct(s->net, row)};
	}
	sort_rows(s->regions, s->n_regions, sizeof *s->regions, by_phase);
	sort_rows(s->joins, s->n_regions, sizeof *s->joins, by_number);
}

/* The lanes are those of streams on which something was executed. 0, or -1. */
static int open_lanes(struct sweep_over_time *s)
{
	const struct graph *graph = s->net->graph;
	s->n_lanes = s->track->n_streams;
	s->lanes = memory_zeroed(s->n_lanes + 1, sizeof *s->lanes, WHAT);
	s->account->threads = memory_zeroed(s->n_lanes + 1, sizeof *s->account->threads, WHAT);
	for (size_t i = 0; i < s->n_lanes; i++) {
		struct lane *lane = &s->lanes[i];
		const struct track_stream *t = &s->track->streams[i];
		uint32_t n_tasks = graph->model->n_tasks;
		lane->state = STATE_NONE;
		lane->since_ticks = s->now;
		lane->next_fragment = n_tasks + graph->streams[i].first_node;
		lane->end_fragment = n_tasks + graph->streams[i].end_node;
		lane->reader.next_ticks = UINT64_MAX;
		if (s->net->unit_nodes != NULL) {
			lane->next_unit = s->net->first_unit_node[i];
			lane->end_unit = s->net->first_unit_node[i + 1];
			lane->has_units = s->net->units_on[i];
		}
		lane_find_next(s, i);
		lane->is_open = track_executes(s->track, s->net, i) && t->states.n_steps != 0;
		if (!lane->is_open)
			continue;
		struct account_thread *thread = &s->account->threads[s->account->n_threads++];
		thread->stream = (uint32_t)i;
		lane->spent = thread->ticks;
		if (series_open(&lane->reader, &t->states, &s->track->aside, s->now) != 0)
			return -1;
		lane->state = (enum state)(lane->reader.value + STATE_NONE);
		count(s, lane, 1);
		awaited_change(&s->awaited, &lane->role, role_of(s, i));
	}
	return 0;
}

static int sweep(struct sweep_over_time *s, uint64_t end_ticks)
{
	struct soonest soonest;
	uint32_t of_units = (uint32_t)s->n_lanes + 1; /* 0: regions, up to here the lanes */
	int rc = 0;
	step_regions(s); /* what had begun before a part of the time */
	for (uint32_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open && (rc = step_lane(s, i)) != 0)
			return rc;
	ready_units_step(s);
	soonest_begin(&soonest, of_units + 1, WHAT);
	soonest_set(&soonest, of_units, ready_units_next(s));
	soonest_set(&soonest, 0, next_of_regions(s)); /* before what threads do at the same time */
	for (uint32_t i = 0; i < s->n_lanes; i++)
		soonest_set(&soonest, i + 1, s->lanes[i].is_open ? next_of_lane(s, i) : UINT64_MAX);
	for (;;) {
		struct soonest_item first = soonest_first(&soonest);
		pass_time(s, first.ticks < end_ticks ? first.ticks : end_ticks);
		if (first.ticks >= end_ticks)
			break;
		if (first.number == 0)
			step_regions(s);
		else if (first.number == of_units)
			ready_units_step(s);
		else if ((rc = step_lane(s, first.number - 1)) != 0)
			break;
		soonest_set(&soonest, first.number,
			    first.number == 0          ? next_of_regions(s)
			    : first.number == of_units ? ready_units_next(s)
						       : next_of_lane(s, first.number - 1));
	}
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open) {
			lane_tell(s, i);
			awaited_change(&s->awaited, &s->lanes[i].role, (struct awaited_role){.what = AWAITED_NEITHER});
		}
	soonest_free(&soonest);
	return rc;
}

static void close_lanes(struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open)
			series_close(&s->lanes[i].reader);
	free(s->lanes);
	free(s->regions);
	free(s->joins);
	ready_units_free(s);
}

/*
 * What a target construct takes from the serial work that it makes others wait for (blame_data()) may be more than that has,
 * where records contradict each other.
 */
static void keep_blame_positive(struct causes *causes)
{
	for (uint32_t i = 0; i < causes->n; i++)
		if (causes->rows[i].ticks < 0)
			causes->rows[i].ticks = 0;
}

int account_make(struct account *account, struct causes *causes, struct causes *waits, const struct net *net,
		 const struct track *track, const struct blockers *blockers)
{
	const struct model *m = net->graph->model;
	struct sweep_over_time s = {.net = net, .track = track, .blockers = blockers, .account = account, .causes = causes};
	uint64_t first_ticks = window_clip(&m->window, m->first_ticks), last_ticks = window_clip(&m->window, m->last_ticks);
	*account = (struct account){.wall_ticks = last_ticks - first_ticks};
	s.now = first_ticks;
	awaited_begin(&s.awaited, waits);
	find_regions(&s);
	ready_units_begin(&s);
	int rc = open_lanes(&s);
	if (rc == 0)
		rc = sweep(&s, last_ticks);
	keep_blame_positive(causes);
	for (uint32_t i = 0; i < account->n_threads; i++)
		for (unsigned j = 0; j < SPENTS; j++)
			account->ticks[j] += account->threads[i].ticks[j];
	close_lanes(&s);
	awaited_free(&s.awaited);
	return rc;
}

void account_free(struct account *account)
{
	free(account->threads);
	*account = (struct account){0};
}
