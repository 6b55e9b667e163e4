/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process's run is what its dump's meta says: an OTTER_RUN or a job is certain. A process without either is a run with
 * its children. Those that were forked have their parent's name of the run; those that began another program are known
 * by their parent's pid. Processes that ran at the same time, and that nothing distinguishes, are one run: a launcher of
 * ranks that leaves no trace in their environment may have started them. The same holds for dumps from before version
 * 0.2.0, which have no line `run`.
 */
#include "builder/run/run.h"
#include "builder/support/array.h"
#include "builder/support/diag.h"
#include "builder/support/map.h"
#include "builder/support/text.h"
#include "builder/support/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILES_SHOWN 4 /* dumps of a run that are named */

struct run_process {
	struct trace *trace;
	size_t up;                  /* another process of its run; itself at the root of the tree */
	uint64_t begin_ns, end_ns;  /* its life, in real time */
	bool is_certain, is_chosen; /* of a root: its run has a name that is certain; it is built */
};

struct runs {
	struct run_process *processes;
	size_t n;
};

/* ---- What a dump shows ---- */

static bool has_certain_id(const struct meta *meta)
{
	return meta->run[0] != '\0' && strncmp(meta->run, "process ", 8) != 0;
}

/* The value of a variable that the recorder noted, "" if there was none. */
static const char *variable(const struct meta *meta, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < meta->n_environment; i++)
		if (strncmp(meta->environment[i], name, n) == 0 && meta->environment[i][n] == '=')
			return meta->environment[i] + n + 1;
	return "";
}

/* When the process's last record was made, as far as the dump shows; it may have been killed later. */
static uint64_t last_ticks(const struct dump *dump)
{
	uint64_t last = dump->first_ticks;
	for (size_t i = 0; i < dump->n_streams; i++) {
		const struct stream *stream = &dump->streams[i];
		if (stream->n_segments == 0)
			continue;
		struct cursor c;
		cursor_begin(&c, stream, stream->n_segments - 1);
		for (const struct record *r; (r = cursor_next(&c)) != NULL;) {
			last = r->time > last ? r->time : last;
			for (uint64_t n = record_continuations(r); n > 0 && cursor_next(&c) != NULL; n--)
				;
		}
	}
	return last;
}

static void find_life(struct run_process *p)
{
	const struct dump *dump = &p->trace->dump;
	/* Where recording began: a process's start is known in steps of 10 ms, and may seem to be in the process before it. */
	p->begin_ns = dump->start_ticks != 0 ? dump->meta.start.realtime_ns : dump->first_realtime_ns;
	if (dump->is_snapshot)
		p->end_ns = UINT64_MAX;
	else if (dump->meta.is_ended)
		p->end_ns = dump->meta.end.realtime_ns;
	else
		p->end_ns = dump->first_realtime_ns + dump_ns(dump, last_ticks(dump));
}

/* ---- Which are one run ---- */

static size_t root_of(const struct runs *runs, size_t i)
{
	while (runs->processes[i].up != i)
		i = runs->processes[i].up = runs->processes[runs->processes[i].up].up;
	return i;
}

/* Joins two runs, unless both are certain. */
static void join(struct runs *runs, size_t a, size_t b)
{
	a = root_of(runs, a);
	b = root_of(runs, b);
	struct run_process *p = runs->processes;
	if (a == b || (p[a].is_certain && p[b].is_certain))
		return;
	if (p[b].is_certain) {
		size_t other = a;
		a = b;
		b = other;
	}
	p[b].up = a;
	p[a].begin_ns = p[b].begin_ns < p[a].begin_ns ? p[b].begin_ns : p[a].begin_ns;
	p[a].end_ns = p[b].end_ns > p[a].end_ns ? p[b].end_ns : p[a].end_ns;
}

static const struct meta *meta_of(const struct runs *runs, size_t i)
{
	return &runs->processes[i].trace->dump.meta;
}

/* Are both names known and equal? */
static bool is_same(const char *a, const char *b)
{
	return a[0] != '\0' && strcmp(a, b) == 0;
}

/* Is the process `child` the child of `parent`, or the same one, which has begun another program? */
static bool is_child(const struct meta *child, const struct meta *parent)
{
	if (strcmp(child->host, parent->host) != 0 || strcmp(child->boot_id, parent->boot_id) != 0)
		return false;
	if (child->pid == parent->pid)
		return child->pid_start == parent->pid_start;
	return child->ppid == parent->pid && child->pid_start >= parent->pid_start &&
	       child->start.monotonic_ns >= parent->start.monotonic_ns;
}

/* Processes by pid: rows[pid] is the first + 1, next[i] the one after i + 1. */
struct pids {
	struct map rows;
	uint32_t *next;
};

static void index_pids(const struct runs *runs, struct pids *pids)
{
	pids->next = memory_zeroed(runs->n, sizeof *pids->next, "the runs");
	for (size_t i = 0; i < runs->n; i++) {
		uint32_t *row = map_put(&pids->rows, (uint64_t)meta_of(runs, i)->pid);
		pids->next[i] = *row;
		*row = (uint32_t)i + 1;
	}
}

/* Joins a child to its parent. If several processes had the parent's pid one after the other, the latest is taken. */
static void join_parent(struct runs *runs, const struct pids *pids, size_t child)
{
	const struct meta *meta = meta_of(runs, child), *found = NULL;
	const long of[] = {meta->pid, meta->ppid};
	size_t parent = child;
	for (size_t k = 0; k < 2; k++) {
		const uint32_t *row = map_get(&pids->rows, (uint64_t)of[k]);
		for (size_t i = row != NULL ? *row : 0; i > 0; i = pids->next[i - 1]) {
			const struct meta *other = meta_of(runs, i - 1);
			if (i - 1 == child || !is_child(meta, other) || (found != NULL && other->pid_start < found->pid_start))
				continue;
			found = other;
			parent = i - 1;
		}
	}
	join(runs, child, parent);
}

static int by_run(const void *left, const void *right, void *processes)
{
	const struct run_process *p = processes;
	return strcmp(p[*(const size_t *)left].trace->dump.meta.run, p[*(const size_t *)right].trace->dump.meta.run);
}

static int by_launch(const void *left, const void *right, void *processes)
{
	const struct run_process *p = processes;
	const struct meta *l = &p[*(const size_t *)left].trace->dump.meta, *r = &p[*(const size_t *)right].trace->dump.meta;
	return strcmp(variable(l, "OTTER_LAUNCH"), variable(r, "OTTER_LAUNCH"));
}

static int by_begin(const void *left, const void *right, void *processes)
{
	const struct run_process *p = processes;
	uint64_t l = p[*(const size_t *)left].begin_ns, r = p[*(const size_t *)right].begin_ns;
	return cmp(l, r);
}

static void join_equal(struct runs *runs, size_t *order)
{
	sort_array_r(order, runs->n, by_run, runs->processes);
	for (size_t i = 1; i < runs->n; i++) {
		const struct meta *before = meta_of(runs, order[i - 1]), *meta = meta_of(runs, order[i]);
		if (!is_same(before->run, meta->run))
			continue;
		size_t root = root_of(runs, order[i - 1]);
		runs->processes[order[i]].is_certain = false; /* it is the run of the root */
		join(runs, root, order[i]);
	}
	sort_array_r(order, runs->n, by_launch, runs->processes);
	for (size_t i = 1; i < runs->n; i++)
		if (is_same(variable(meta_of(runs, order[i - 1]), "OTTER_LAUNCH"),
			    variable(meta_of(runs, order[i]), "OTTER_LAUNCH")))
			join(runs, order[i - 1], order[i]);
}

/* Runs that are not certain, and were there at the same time, are never called two. */
static void join_overlapping(struct runs *runs, size_t *order)
{
	size_t n = 0;
	for (size_t i = 0; i < runs->n; i++)
		if (root_of(runs, i) == i && !runs->processes[i].is_certain)
			order[n++] = i;
	sort_array_r(order, n, by_begin, runs->processes);
	for (size_t i = 1, latest = 0; i < n; i++) {
		size_t root = root_of(runs, order[latest]);
		if (runs->processes[order[i]].begin_ns <= runs->processes[root].end_ns)
			join(runs, root, order[i]);
		else
			latest = i;
	}
}

static void find_runs(struct runs *runs)
{
	size_t *order = memory_get(runs->n, sizeof *order, "the runs");
	for (size_t i = 0; i < runs->n; i++) {
		struct run_process *p = &runs->processes[i];
		p->up = i;
		p->is_certain = has_certain_id(&p->trace->dump.meta);
		find_life(p);
		order[i] = i;
	}
	join_equal(runs, order);
	struct pids pids = {0};
	index_pids(runs, &pids);
	for (size_t i = 0; i < runs->n; i++)
		if (!has_certain_id(meta_of(runs, i)))
			join_parent(runs, &pids, i);
	map_free(&pids.rows);
	free(pids.next);
	join_overlapping(runs, order);
	free(order);
}

/* ---- Choice ---- */

/* The first process of a run: the one with the certain name if there is one. */
static const char *name_of(const struct runs *runs, size_t root)
{
	const char *id = meta_run_id(meta_of(runs, root));
	return id[0] != '\0' ? id : runs->processes[root].trace->dump.name;
}

static bool is_named(const struct runs *runs, size_t root, const char *id)
{
	for (size_t i = 0; i < runs->n; i++)
		if (root_of(runs, i) == root && strcmp(meta_run_id(meta_of(runs, i)), id) == 0)
			return true;
	return strcmp(name_of(runs, root), id) == 0;
}

static size_t last_run(const struct runs *runs)
{
	size_t last = root_of(runs, 0);
	for (size_t i = 0; i < runs->n; i++)
		if (root_of(runs, i) == i && runs->processes[i].begin_ns > runs->processes[last].begin_ns)
			last = i;
	return last;
}

static void put_time(char out[32], uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm local;
	if (realtime_ns == UINT64_MAX)
		strcpy(out, "now");
	else if (localtime_r(&seconds, &local) == NULL || strftime(out, 32, "%Y-%m-%d %H:%M:%S", &local) == 0)
		strcpy(out, "?");
}

static void list_run(const struct runs *runs, size_t root)
{
	char begin[32], end[32];
	size_t n = 0, n_bytes = 0;
	char *files = NULL;
	FILE *out = memory_open_stream(&files, &n_bytes, "the runs");
	for (size_t i = 0; i < runs->n; i++) {
		if (root_of(runs, i) != root)
			continue;
		char *path = text_utf8(runs->processes[i].trace->dump.path);
		if (n++ < FILES_SHOWN)
			fprintf(out, " %s", path);
		free(path);
	}
	if (n > FILES_SHOWN)
		fprintf(out, " and %zu more", n - FILES_SHOWN);
	memory_close_stream(out, "the runs");
	put_time(begin, runs->processes[root].begin_ns);
	put_time(end, runs->processes[root].end_ns);
	char *id = text_utf8(name_of(runs, root));
	error("  %s, %s to %s, %zu process%s:%s", id, begin, end, n, n == 1 ? "" : "es", files);
	free(id);
	free(files);
}

/* Lists the runs, the earliest first. */
static int list_runs(const struct runs *runs)
{
	size_t n = 0, *roots = memory_get(runs->n, sizeof *roots, "the runs");
	for (size_t i = 0; i < runs->n; i++)
		if (root_of(runs, i) == i)
			roots[n++] = i;
	sort_array_r(roots, n, by_begin, runs->processes);
	for (size_t i = 0; i < n; i++)
		list_run(runs, roots[i]);
	free(roots);
	return -1;
}

/* Marks what is to be built. */
static int choose(struct runs *runs, const struct run_choice *choice)
{
	size_t n_runs = 0, n_found = 0, found = 0;
	for (size_t i = 0; i < runs->n; i++) {
		if (root_of(runs, i) != i)
			continue;
		n_runs++;
		if (choice->id != NULL && is_named(runs, i, choice->id)) {
			found = i;
			n_found++;
		}
	}
	if (choice->id != NULL && strcmp(choice->id, "last") == 0) {
		found = last_run(runs);
		n_found = 1;
	}
	if (choice->id != NULL && n_found != 1) {
		error(n_found == 0 ? "no dump is of the run %s. These runs are there:" : "several runs are called %s:", choice->id);
		return list_runs(runs);
	}
	if (choice->id == NULL && n_runs > 1 && !choice->merges) {
		error("these dumps are of %zu runs. Choose one by --run=ID, or the latest by --run=last; --merge builds all as one:",
		      n_runs);
		return list_runs(runs);
	}
	for (size_t i = 0; i < runs->n; i++)
		runs->processes[i].is_chosen = choice->id == NULL || root_of(runs, i) == found;
	return 0;
}

/* ---- Order ---- */

static int by_process(const void *left, const void *right)
{
	const struct run_process *l = left, *r = right;
	const struct meta *a = &l->trace->dump.meta, *b = &r->trace->dump.meta;
	if (l->is_chosen != r->is_chosen)
		return l->is_chosen ? -1 : 1;
	if (a->rank != b->rank && (a->rank < 0 || b->rank < 0))
		return a->rank < 0 ? 1 : -1;
	int order = cmp(a->rank, b->rank) ?: cmp(l->begin_ns, r->begin_ns) ?: cmp(a->pid, b->pid);
	return order ?: strcmp(l->trace->dump.path, r->trace->dump.path);
}

int runs_choose(struct trace *traces, size_t *n, const struct run_choice *choice)
{
	if (*n == 1 && choice->id == NULL) /* there is nothing to choose or to order */
		return 0;
	struct runs runs = {memory_zeroed(*n, sizeof *runs.processes, "the runs"), *n};
	for (size_t i = 0; i < *n; i++)
		runs.processes[i].trace = &traces[i];
	find_runs(&runs);
	int rc = choose(&runs, choice);
	if (rc == 0) {
		struct trace *sorted = memory_get(*n, sizeof *sorted, "the runs");
		size_t n_chosen = 0;
		/* The life of the root became that of its run: the order is by each process's own. */
		for (size_t i = 0; i < *n; i++)
			runs.processes[i].begin_ns = runs.processes[i].trace->dump.first_realtime_ns;
		sort_array(runs.processes, *n, by_process);
		for (size_t i = 0; i < *n; i++) {
			sorted[i] = *runs.processes[i].trace;
			n_chosen += runs.processes[i].is_chosen;
		}
		memcpy(traces, sorted, *n * sizeof *sorted);
		free(sorted);
		*n = n_chosen;
	}
	free(runs.processes);
	return rc;
}
