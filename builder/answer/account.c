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
#include "builder/support/soonest.h"

#include <stdlib.h>

#define WHAT "what limits the run"

const char *spent_name(enum spent spent)
{
	static const char *const names[SPENTS] = {"work",     "serial",    "waiting", "exclusion", "runtime",
						  "recorder", "preempted", "blocked", "data",      "unknown"};
	return names[spent];
}

/* What the lane, which is counted, does for others, and they for it. */
static uint32_t role_of(const struct sweep_over_time *s, const struct lane *lane)
{
	if (lane->counted & LANE_SEEKS || net_unit(s->net, lane->node) != 0) /* units wait, and not their threads */
		return AWAITED_NEITHER;
	if (lane->counted & (LANE_LIVES | LANE_LIVES_LAST))
		return awaited_runs(&s->awaited, lane->blocker);
	return lane->counted & LANE_WAITS ? awaited_waits(lane_awaited(lane)) : AWAITED_NEITHER;
}

/* What the lane is to be counted as. */
static unsigned counted_as(const struct sweep_over_time *s, const struct lane *lane)
{
	unsigned as = is_wanting(lane) ? LANE_WANTS : 0u;
	if (is_seeking(s, lane))
		as |= LANE_WAITS | LANE_SEEKS;
	else if (is_waiting(lane->state))
		as |= LANE_WAITS;
	if (is_live(lane))
		as |= blocker_of(s, lane)->is_last ? LANE_LIVES_LAST : LANE_LIVES;
	return as;
}

/* The lane is counted as what it is now: of those that wait, and of those that they may wait for. */
static void count(struct sweep_over_time *s, struct lane *lane)
{
	unsigned now = counted_as(s, lane), changed = lane->counted ^ now;
	lane->counted = now;
	if (changed & LANE_WAITS)
		s->n_waiting += now & LANE_WAITS ? 1 : UINT32_MAX;
	if (changed & LANE_WANTS)
		s->n_wanting += now & LANE_WANTS ? 1 : UINT32_MAX;
	if (changed & LANE_LIVES)
		s->n_live[false] += now & LANE_LIVES ? 1 : UINT32_MAX;
	if (changed & LANE_LIVES_LAST)
		s->n_live[true] += now & LANE_LIVES_LAST ? 1 : UINT32_MAX;
	if (changed & LANE_SEEKS)
		ready_units_seek(s, now & LANE_SEEKS);
}

/* ---- What a lane comes to ---- */

static void take_node(struct sweep_over_time *s, struct lane *lane, uint32_t node)
{
	lane->node = node;
	lane->blocker = s->blockers->row_of[node];
	lane->told = s->waited_for[blocker_of(s, lane)->is_last];
	for (unsigned late = 0; late < LATES; late++)
		lane->late[late].ticks = 0;
	if (net_unit(s->net, node) != 0) {
		lane->next_unit++;
		ready_units_take(s, node);
	} else if (node < s->net->n_tasks) {
		lane->next_started++;
		lane_find_task(s, lane);
		lane_begin_task(s, lane);
	} else {
		lane->next_fragment++;
		lane_find_fragment(s, lane);
	}
	lane_find_next(s, lane);
}

/* The thread has waited. */
static void end_wait(struct lane *lane)
{
	const struct track_stream *t = lane->stream;
	if (lane->run < t->n_runs && ++lane->n_of_run == t->runs[lane->run].n) {
		lane->run++;
		lane->n_of_run = 0;
	}
}

/* ---- The sweep ---- */

/* Of the threads that have nothing to do, the share for which there is no processor. */
static double crowded_share(const struct sweep_over_time *s)
{
	uint64_t n_threads = s->account->n_threads;
	if (s->n_processors == UINT64_MAX || s->n_wanting >= n_threads)
		return 0;
	uint64_t n_free = s->n_processors > s->n_wanting ? s->n_processors - s->n_wanting : 0, n_idle = n_threads - s->n_wanting;
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
	s->now = ticks;
	if (s->n_waiting == 0) /* and no thread looks for units */
		return;
	bool is_last = s->n_live[true] != 0;
	double n_waiting = s->n_waiting - ready_units_pass(s, length);
	if (s->n_live[is_last] != 0) {
		double shared = length * n_waiting / s->n_live[is_last];
		s->waited_for[is_last].shared += shared;
		s->waited_for[is_last].crowded_shared += shared * crowded;
		s->waited_for[is_last].ticks += n_waiting > 0 ? length : 0;
	} else if (n_waiting > 0)
		causes_blame(s->causes, lane_cause(s, LIMIT_RUNTIME, CAUSE_RESUMING, s->region), length * n_waiting);
}

/* When the lane comes to another state or node. */
static uint64_t next_stretch(const struct lane *lane)
{
	return lane->next_ticks < lane->reader.next_ticks ? lane->next_ticks : lane->reader.next_ticks;
}

static uint64_t next_of_lane(const struct lane *lane)
{
	uint64_t stretch = lane->is_open ? next_stretch(lane) : UINT64_MAX;
	return stretch < lane->mutexes.next_ticks ? stretch : lane->mutexes.next_ticks;
}

/* The states and nodes that the lane comes to now. 0, or -1 with the error printed. */
static int step_lane(struct sweep_over_time *s, struct lane *lane)
{
	lane->ends_with_record = true;
	lane_tell(s, lane);
	lane->ends_with_record = false;
	while (lane->reader.next_ticks <= s->now) {
		if (track_is_mutex(lane->state))
			turns_end_wait(s, lane);
		if (track_has_run(lane->state))
			end_wait(lane);
		if (series_next(&lane->reader) != 0)
			return -1;
		lane->state = (enum state)(lane->reader.value + STATE_NONE);
	}
	while (lane->next_node != 0 && lane->next_ticks <= s->now)
		take_node(s, lane, lane->next_node);
	if (lane->state == STATE_PREEMPTED)
		lane->is_node_over = lane->node != 0 && net_end(s->net, lane->node) <= s->now;
	count(s, lane);
	awaited_change(&s->awaited, &lane->role, role_of(s, lane));
	return 0;
}

/* Regions begin, or end, now: threads without a task wait for something else from now on. */
static void step_regions(struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open)
			lane_tell(s, &s->lanes[i]);
	while (s->next_join < s->n_regions && s->joins[s->next_join] <= s->now && s->next_join < s->next_region)
		s->next_join++;
	for (; s->next_region < s->n_regions && s->regions[s->next_region].begin_ticks <= s->now; s->next_region++)
		s->region = s->regions[s->next_region].construct;
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open)
			count(s, &s->lanes[i]);
}

static uint64_t next_of_regions(const struct sweep_over_time *s)
{
	uint64_t begin = s->next_region < s->n_regions ? s->regions[s->next_region].begin_ticks : UINT64_MAX;
	uint64_t join = s->next_join < s->next_region ? s->joins[s->next_join] : UINT64_MAX;
	return begin < join ? begin : join;
}

/* Is the stream a thread of the account? */
static bool is_counted(const struct net *net, const struct track *track, size_t stream)
{
	return track_executes(track, net, stream) && track->streams[stream].states.n_steps != 0;
}

uint32_t account_n_threads(const struct net *net, const struct track *track)
{
	uint32_t n = 0;
	for (size_t i = 0; i < track->n_streams; i++)
		n += is_counted(net, track, i);
	return n;
}

uint64_t account_wall_ticks(const struct net *net)
{
	const struct model *m = net->graph->model;
	return window_clip(&net->window, m->last_ticks) - window_clip(&net->window, m->first_ticks);
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
		lane->stream = t;
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
		lane_find_task(s, lane);
		lane_find_fragment(s, lane);
		lane_find_next(s, lane);
		lane->is_open = is_counted(s->net, s->track, i);
		if (!lane->is_open)
			continue;
		struct account_thread *thread = &s->account->threads[s->account->n_threads++];
		thread->stream = (uint32_t)i;
		lane->spent = thread->ticks;
		if (series_open(&lane->reader, &t->states, &s->track->aside, s->now) != 0)
			return -1;
		lane->state = (enum state)(lane->reader.value + STATE_NONE);
		count(s, lane);
		awaited_change(&s->awaited, &lane->role, role_of(s, lane));
	}
	uint64_t n_processors = graph->model->dump->meta.n_processors;
	s->n_processors = n_processors != 0 && n_processors < s->account->n_threads ? n_processors : UINT64_MAX;
	return 0;
}

static int sweep(struct sweep_over_time *s, uint64_t end_ticks)
{
	struct soonest soonest;
	uint32_t of_units = (uint32_t)s->n_lanes + 1; /* 0: regions, up to here the lanes */
	int rc = 0;
	step_regions(s); /* what had begun before a part of the time */
	for (uint32_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open && (rc = step_lane(s, &s->lanes[i])) != 0)
			return rc;
	ready_units_step(s);
	soonest_begin(&soonest, of_units + 1, WHAT);
	soonest_set(&soonest, of_units, ready_units_next(s));
	soonest_set(&soonest, 0, next_of_regions(s)); /* before what threads do at the same time */
	for (uint32_t i = 0; i < s->n_lanes; i++)
		soonest_set(&soonest, i + 1, next_of_lane(&s->lanes[i]));
	for (;;) {
		struct soonest_item first = soonest_first(&soonest);
		pass_time(s, first.ticks < end_ticks ? first.ticks : end_ticks);
		if (first.ticks >= end_ticks)
			break;
		uint64_t next_ticks;
		if (first.number == 0) {
			step_regions(s);
			next_ticks = next_of_regions(s);
		} else if (first.number == of_units) {
			ready_units_step(s);
			next_ticks = ready_units_next(s);
		} else {
			struct lane *lane = &s->lanes[first.number - 1];
			if (lane->is_open && next_stretch(lane) <= s->now && (rc = step_lane(s, lane)) != 0)
				break;
			if (lane->mutexes.next_ticks <= first.ticks && (rc = turns_step(s, lane)) != 0)
				break;
			next_ticks = next_of_lane(lane);
		}
		soonest_set(&soonest, first.number, next_ticks);
	}
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open) {
			lane_tell(s, &s->lanes[i]);
			if (track_is_mutex(s->lanes[i].state))
				turns_end_wait(s, &s->lanes[i]);
			awaited_change(&s->awaited, &s->lanes[i].role, AWAITED_NEITHER);
		}
	soonest_free(&soonest);
	return rc;
}

static void close_lanes(struct sweep_over_time *s)
{
	for (size_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].is_open)
			series_close(&s->lanes[i].reader);
	turns_free(s);
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
	*account = (struct account){.wall_ticks = account_wall_ticks(net)};
	s.now = window_clip(&m->window, m->first_ticks);
	awaited_begin(&s.awaited, waits, blockers, m->n_constructs);
	phases_find(&s);
	ready_units_begin(&s);
	int rc = open_lanes(&s);
	if (rc == 0)
		rc = turns_begin(&s);
	if (rc == 0)
		rc = sweep(&s, s.now + account->wall_ticks);
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
	places_free(&account->no_waits);
	places_free(&account->mutex_parts);
	*account = (struct account){0};
}
