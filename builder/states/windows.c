/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps what the replay reports, as a sink, on the thread of each stream; and sweeps over it in windows: see windows.h.
 * Each thread sweeps a range of consecutive windows, from one change to the next, merging all series by the time of their
 * next step.
 */
#include "builder/states/windows.h"
#include "builder/support/memory.h"
#include "builder/support/series.h"
#include "builder/support/sort.h"

#include <omp.h>
#include <stdlib.h>

#define MAX_USERS 4
#define FEW_STEPS (1 << 14) /* sweeping fewer steps takes less time than waking up threads */
#define MOST_TOLD 64        /* windows for each change of a state: an interval is reported this often at most, on average */
#define FEW       1024      /* this number of windows is never too large */

struct sweeper {
	char *dir;
	struct spill spill;
	size_t n_max;
	struct window_user users[MAX_USERS];
	size_t n_users;
	bool wants_all;
	struct windows windows; /* of the current process */
	struct part {
		struct series states; /* of the stream's thread */
		struct series ready;  /* how many tasks became ready on the stream, without those that it began */
		char apart[64];       /* so that no two streams share a cache line */
	} * parts;                    /* by row of dump.streams */
	struct ready_delays delays;
	struct series delayed; /* how many of the tasks that had to wait for others became ready */
};

/* ---- What the replay reports ---- */

static int add_delayed(struct sweeper *s, const struct model *m)
{
	s->delays = ready_delays_find(m);
	uint64_t *ticks = memory_get(s->delays.n + 1, sizeof *ticks, "what happens at once");
	size_t n = 0;
	for (size_t i = 0; i < s->delays.n; i++)
		if (ready_is_for_others(m, s->delays.delays[i].task) && s->delays.delays[i].ticks != UINT64_MAX)
			ticks[n++] = s->delays.delays[i].ticks;
	sort_array(ticks, n, by_u64);
	int rc = 0;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = series_step(&s->delayed, &s->spill, ticks[i], (int64_t)i + 1);
	free(ticks);
	return rc;
}

static int begin(void *self, const struct trace *trace)
{
	struct sweeper *s = self;
	s->windows.trace = trace;
	s->parts = memory_zeroed(trace->dump.n_streams, sizeof *s->parts, "what happens at once");
	return add_delayed(s, &trace->model);
}

/* The values of the series are the states' numbers minus STATE_NONE, so that 0 is no thread. */
static int pass_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct sweeper *s = self;
	(void)from;
	(void)since_ticks;
	return series_step(&s->parts[stream].states, &s->spill, ticks, (int64_t)to - STATE_NONE);
}

static int count_ready(struct sweeper *s, const struct point *at, int change)
{
	struct series *ready = &s->parts[at->stream].ready;
	return series_step(ready, &s->spill, at->ticks > ready->ticks ? at->ticks : ready->ticks, ready->value + change);
}

static int task_create(void *self, const struct point *at, uint32_t task)
{
	struct sweeper *s = self;
	if (!ready_is_for_others(&s->windows.trace->model, task) || ready_since(&s->delays, task) != 0)
		return 0;
	return count_ready(s, at, 1);
}

/* Does the task begin now, or end without having begun? Then no other thread can take it any more. */
static bool is_taken(const struct model *m, uint32_t task, bool is_end, uint64_t ticks)
{
	const struct task *row = &m->tasks[task];
	return task != 0 && is_end == !(row->state & TASK_STARTED) && ready_is_for_others(m, task) &&
	       ready_begins(m, task) == ticks;
}

static int task_switch(void *self, const struct point *at, uint32_t prior, uint32_t next, unsigned status)
{
	struct sweeper *s = self;
	const struct model *m = &s->windows.trace->model;
	(void)status;
	int n = is_taken(m, prior, true, at->ticks) + is_taken(m, next, false, at->ticks);
	return n != 0 ? count_ready(s, at, -n) : 0;
}

static const struct replay_ops ops = {.task_create = task_create, .task_switch = task_switch, .is_by_stream = true};

/* ---- The sweep of a range ---- */

struct window_range {
	const struct sweeper *s;
	size_t first; /* window */
	struct source {
		struct series_reader reader;
		uint32_t stream; /* row of the stream that has these states; NO_STREAM: tasks that became ready */
		uint64_t since_ticks;
	} * sources;
	size_t n, n_leaves; /* a power of two */
	struct next {
		uint64_t ticks; /* of the source's next step */
		struct source *source;
	} * tree; /* winner tree: node i is the earlier one of nodes 2 i and 2 i + 1; the sources are from n_leaves on */
	struct moment moment;
};

#define NO_STREAM UINT32_MAX

/* Node i: the earlier child; of steps at the same time the first source's. Without a branch, which would be unpredictable. */
static inline void meet(struct next *tree, size_t i)
{
	tree[i] = tree[2 * i + (tree[2 * i + 1].ticks < tree[2 * i].ticks)];
}

static enum state state_of(const struct source *source)
{
	return (enum state)(source->reader.value + STATE_NONE);
}

/* Reports the state of the source's thread from its last change up to `ticks`. */
static void emit_interval(const struct window_range *range, size_t window, struct source *source, uint64_t ticks)
{
	enum state state = state_of(source);
	for (size_t i = 0; i < range->s->n_users && state != STATE_NONE && source->since_ticks < ticks; i++) {
		const struct window_user *user = &range->s->users[i];
		if (user->interval != NULL)
			user->interval(user->self, window, source->stream, state, source->since_ticks, ticks);
	}
	source->since_ticks = ticks;
}

static void emit_moment(const struct window_range *range, size_t window, uint64_t begin_ticks, uint64_t end_ticks)
{
	for (size_t i = 0; i < range->s->n_users; i++) {
		const struct window_user *user = &range->s->users[i];
		if (user->moment != NULL)
			user->moment(user->self, window, &range->moment, begin_ticks, end_ticks);
	}
}

/* Could a thread in this state begin a task? */
static inline bool is_free(enum state state)
{
	return (state >= STATE_WAIT_BARRIER && state <= STATE_WAIT_TASKGROUP) || state == STATE_IDLE || state == STATE_OVERHEAD;
}

/* Counts one thread more, or (UINT32_MAX) one less, in this state. */
static inline void count_thread(struct moment *moment, enum state state, uint32_t change)
{
	if (state == STATE_NONE)
		return;
	moment->n_threads[state] += change;
	moment->n_working += state_is_work(state) ? change : 0;
	moment->n_free += is_free(state) ? change : 0;
}

static int add_source(struct window_range *range, const struct series *series, uint32_t stream)
{
	if (series->n_steps == 0)
		return 0;
	struct source *source = &range->sources[range->n];
	uint64_t ticks = range->s->windows.bounds[range->first];
	*source = (struct source){.stream = stream, .since_ticks = ticks};
	int rc = series_open(&source->reader, series, &range->s->spill, ticks);
	range->tree[range->n_leaves + range->n++] = (struct next){source->reader.next_ticks, source};
	if (stream == NO_STREAM)
		range->moment.n_ready += source->reader.value;
	else
		count_thread(&range->moment, state_of(source), 1);
	return rc;
}

/* Takes the source's next step. */
static int step(struct window_range *range, size_t window, struct source *source, uint64_t ticks)
{
	if (source->stream == NO_STREAM) {
		range->moment.n_ready += source->reader.next_value - source->reader.value;
		return series_next(&source->reader);
	}
	emit_interval(range, window, source, ticks);
	count_thread(&range->moment, state_of(source), UINT32_MAX);
	int rc = series_next(&source->reader);
	count_thread(&range->moment, state_of(source), 1);
	return rc;
}

static int sweep_window(struct window_range *range, size_t window)
{
	const uint64_t *bounds = range->s->windows.bounds;
	uint64_t at = bounds[window], end = bounds[window + 1], ticks;
	struct next *tree = range->tree;
	while ((ticks = tree[1].ticks) < end) {
		struct source *source = tree[1].source;
		if (at < ticks)
			emit_moment(range, window, at, ticks);
		at = ticks;
		if (step(range, window, source, ticks) != 0)
			return -1;
		size_t leaf = range->n_leaves + (size_t)(source - range->sources);
		tree[leaf].ticks = source->reader.next_ticks;
		for (leaf /= 2; leaf > 0; leaf /= 2)
			meet(tree, leaf);
	}
	if (at < end)
		emit_moment(range, window, at, end);
	for (size_t i = 0; i < range->n; i++)
		if (range->sources[i].stream != NO_STREAM)
			emit_interval(range, window, &range->sources[i], end);
	return 0;
}

static int sweep_range(const struct sweeper *s, size_t first, size_t end)
{
	size_t n_streams = s->windows.trace->dump.n_streams;
	struct window_range range = {.s = s, .first = first};
	range.sources = memory_get(2 * n_streams + 1, sizeof *range.sources, "what happens at once");
	for (range.n_leaves = 1; range.n_leaves < 2 * n_streams + 1;)
		range.n_leaves *= 2;
	range.tree = memory_get(2 * range.n_leaves, sizeof *range.tree, "what happens at once");
	for (size_t i = 0; i < 2 * range.n_leaves; i++)
		range.tree[i] = (struct next){UINT64_MAX, NULL};
	int rc = add_source(&range, &s->delayed, NO_STREAM);
	for (size_t i = 0; i < n_streams && rc == 0; i++)
		if (add_source(&range, &s->parts[i].states, (uint32_t)i) != 0 ||
		    add_source(&range, &s->parts[i].ready, NO_STREAM) != 0)
			rc = -1;
	for (size_t i = range.n_leaves - 1; i > 0; i--)
		meet(range.tree, i);
	for (size_t window = first; window < end && rc == 0; window++)
		rc = sweep_window(&range, window);
	for (size_t i = 0; i < range.n; i++)
		series_close(&range.sources[i].reader);
	free(range.sources);
	free(range.tree);
	return rc;
}

/* ---- A process ---- */

/*
 * Divides the time from the first change of a state to the last one, in the part that outputs are about, into windows.
 * Returns how many changes there are.
 */
static size_t make_bounds(struct sweeper *s, uint64_t **bounds)
{
	uint64_t first = UINT64_MAX, last = 0;
	size_t n_steps = 0, n_streams = s->windows.trace->dump.n_streams;
	for (size_t i = 0; i < n_streams; i++) {
		const struct series *states = &s->parts[i].states;
		n_steps += states->n_steps;
		if (states->n_steps > 0 && states->first_ticks < first)
			first = states->first_ticks;
		if (states->ticks > last)
			last = states->ticks;
	}
	first = window_clip(&s->windows.trace->model.window, first);
	last = window_clip(&s->windows.trace->model.window, last);
	uint64_t length = last > first ? last - first : 0, n = n_steps < s->n_max && !s->wants_all ? n_steps : s->n_max;
	/* Each window reports an interval of each thread. */
	uint64_t told = n_streams != 0 ? (uint64_t)n_steps * MOST_TOLD / n_streams : 0;
	if (n > FEW && n > told && !s->wants_all)
		n = told > FEW ? told : FEW;
	n = n < length ? n : length;
	*bounds = memory_get((size_t)n + 1, sizeof **bounds, "what happens at once");
	for (uint64_t i = 0; i <= n && n > 0; i++)
		(*bounds)[i] = first + length / n * i + length % n * i / n;
	s->windows.bounds = *bounds;
	s->windows.n = (size_t)n;
	s->windows.n_changes = n_steps;
	return n_steps;
}

static void free_parts(struct sweeper *s)
{
	for (size_t i = 0; s->parts != NULL && i < s->windows.trace->dump.n_streams; i++) {
		series_free(&s->parts[i].states);
		series_free(&s->parts[i].ready);
	}
	series_free(&s->delayed);
	free(s->delays.delays);
	free(s->parts);
	s->delays.delays = NULL;
	s->parts = NULL;
}

static int end(void *self, const struct trace *trace)
{
	struct sweeper *s = self;
	(void)trace;
	uint64_t *bounds;
	size_t n_steps = make_bounds(s, &bounds), n = s->windows.n, n_threads = (size_t)omp_get_max_threads();
	size_t n_ranges = n_steps < FEW_STEPS || n_threads == 1 ? 1 : n < 8 * n_threads ? n : 8 * n_threads;
	for (size_t i = 0; i < s->n_users; i++)
		if (s->users[i].begin != NULL)
			s->users[i].begin(s->users[i].self, &s->windows);
	int rc = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(| : rc) if (n_ranges > 1)
	for (size_t i = 0; i < n_ranges; i++)
		if (n > 0)
			rc |= sweep_range(s, n * i / n_ranges, n * (i + 1) / n_ranges);
	for (size_t i = 0; i < s->n_users; i++)
		if (s->users[i].end != NULL)
			s->users[i].end(s->users[i].self, &s->windows);
	free(bounds);
	free_parts(s);
	return rc == 0 ? spill_empty(&s->spill) : -1;
}

static int close_sweeper(void *self)
{
	struct sweeper *s = self;
	int rc = 0;
	for (size_t i = 0; i < s->n_users; i++)
		rc |= s->users[i].close(s->users[i].self);
	free_parts(s);
	spill_close(&s->spill);
	free(s->dir);
	free(s);
	return rc;
}

int sink_windows_open(struct sink *sink, const char *dir, size_t n_max, const struct window_user *users, size_t n_users)
{
	struct sweeper *s = memory_zeroed(1, sizeof *s, "what happens at once");
	s->dir = text_copy(dir);
	s->n_max = n_max;
	s->n_users = n_users;
	for (size_t i = 0; i < n_users; i++) {
		s->users[i] = users[i];
		s->wants_all |= users[i].wants_all;
	}
	if (spill_open(&s->spill, s->dir, "windows") != 0) {
		close_sweeper(s);
		return -1;
	}
	*sink = (struct sink){"windows", &ops, pass_state, begin, end, close_sweeper, s};
	return 0;
}
