/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical list (docs/graph.md): classes do not depend on the numbers of nodes, and lists not on which thread did
 * what.
 */
#include "builder/graph/canonical.h"
#include "tests/unit/replay_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Classes ---- */

#define N_NODES 400
#define N_EDGES 1200

static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

struct sample {
	uint32_t n;
	size_t n_edges;
	uint64_t colours[N_NODES];
	struct refine_edge edges[N_EDGES];
};

static void link_nodes(struct sample *s, uint32_t source, uint32_t target, uint32_t label)
{
	ck_assert_uint_lt(s->n_edges, N_EDGES);
	s->edges[s->n_edges++] = (struct refine_edge){source, target, label};
}

static void make_random(struct sample *s)
{
	*s = (struct sample){.n = 2 + below(N_NODES - 2)};
	for (uint32_t i = 0; i < s->n; i++)
		s->colours[i] = below(3);
	for (uint32_t i = 0, n = below(N_EDGES); i < n; i++)
		link_nodes(s, below(s->n), below(s->n), below(2));
}

/* Many components, in few shapes that differ far from where they begin. */
static void make_chains(struct sample *s)
{
	*s = (struct sample){.n = N_NODES};
	for (uint32_t i = 0; i + 1 < N_NODES; i++)
		if (i % 20 != 19 && (i / 20 % 3 != 0 || i % 20 < 10))
			link_nodes(s, i, i + 1, 0);
}

/* Each node of one row leads to two of the next: only the ends of the rows are different. */
static void make_stencil(struct sample *s)
{
	*s = (struct sample){.n = N_NODES};
	for (uint32_t i = 0; i < N_NODES / 2; i++) {
		link_nodes(s, i, N_NODES / 2 + i, 0);
		if (i > 0)
			link_nodes(s, i, N_NODES / 2 + i - 1, 0);
	}
}

static void shuffle(uint32_t *numbers, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = below(i), other = numbers[j];
		numbers[j] = numbers[i - 1];
		numbers[i - 1] = other;
	}
}

static void (*const makers[])(struct sample *) = {make_random, make_chains, make_stencil};

START_TEST(classes_do_not_depend_on_numbers)
{
	static struct sample s, other;
	static uint32_t number[N_NODES], edge[N_EDGES], classes[N_NODES], of_other[N_NODES];
	for (unsigned turn = 0; turn < 100; turn++) {
		state = turn;
		makers[turn % 3](&s);
		other = s;
		shuffle(number, s.n);
		shuffle(edge, (uint32_t)s.n_edges);
		for (uint32_t i = 0; i < s.n; i++)
			other.colours[number[i]] = s.colours[i];
		for (size_t i = 0; i < s.n_edges; i++)
			other.edges[edge[i]] =
				(struct refine_edge){number[s.edges[i].source], number[s.edges[i].target], s.edges[i].label};
		canonical_refine(s.n, s.colours, s.edges, s.n_edges, classes);
		canonical_refine(s.n, other.colours, other.edges, s.n_edges, of_other);
		for (uint32_t i = 0; i < s.n; i++)
			ck_assert_uint_eq(classes[i], of_other[number[i]]);
	}
}
END_TEST

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	return x ^ x >> 27;
}

static int by_value(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;
	return l < r ? -1 : l > r;
}

static uint32_t count_different(const uint64_t *values, uint32_t n)
{
	static uint64_t sorted[N_NODES];
	uint32_t n_different = 0;
	memcpy(sorted, values, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_value);
	for (uint32_t i = 0; i < n; i++)
		n_different += i == 0 || sorted[i] != sorted[i - 1];
	return n_different;
}

/* The same classes by the definition: all nodes again and again, as long as there are more. */
static uint32_t refine_slowly(const struct sample *s, uint64_t *hashes)
{
	static uint64_t next[N_NODES];
	memcpy(hashes, s->colours, s->n * sizeof *hashes);
	for (uint32_t n = count_different(hashes, s->n), before = 0; n != before;) {
		for (uint32_t i = 0; i < s->n; i++)
			next[i] = mix(hashes[i] + 1);
		for (size_t i = 0; i < s->n_edges; i++) {
			const struct refine_edge *e = &s->edges[i];
			next[e->source] += mix(mix(hashes[e->target] + 2) + 2 * e->label + 1);
			next[e->target] += mix(mix(hashes[e->source] + 2) + 2 * e->label + 2);
		}
		memcpy(hashes, next, s->n * sizeof *hashes);
		before = n;
		n = count_different(hashes, s->n);
	}
	return count_different(hashes, s->n);
}

START_TEST(classes_are_the_coarsest_that_nothing_tells_apart)
{
	static struct sample s;
	static uint64_t hashes[N_NODES], of_class[N_NODES + 1];
	static uint32_t classes[N_NODES];
	for (unsigned turn = 0; turn < 100; turn++) {
		state = 1000 + turn;
		makers[turn % 3](&s);
		uint32_t n_slowly = refine_slowly(&s, hashes), n_classes = 0;
		canonical_refine(s.n, s.colours, s.edges, s.n_edges, classes);
		memset(of_class, 0, sizeof of_class);
		for (uint32_t i = 0; i < s.n; i++) {
			n_classes += of_class[classes[i]] == 0;
			ck_assert(of_class[classes[i]] == 0 || of_class[classes[i]] == hashes[i]);
			of_class[classes[i]] = hashes[i];
		}
		ck_assert_uint_eq(n_classes, n_slowly);
	}
}
END_TEST

START_TEST(a_long_stencil_takes_no_quadratic_time)
{
	/* Only its ends are different, which takes n / 4 rounds to reach the middle: 10^11 steps in rounds over all nodes. */
	const uint32_t n = 1000000;
	uint64_t *colours = calloc(n, sizeof *colours);
	struct refine_edge *edges = calloc(n, sizeof *edges);
	uint32_t *classes = calloc(n, sizeof *classes);
	size_t n_edges = 0;
	for (uint32_t i = 0; i < n / 2; i++) {
		edges[n_edges++] = (struct refine_edge){i, n / 2 + i, 0};
		if (i > 0)
			edges[n_edges++] = (struct refine_edge){i, n / 2 + i - 1, 0};
	}
	canonical_refine(n, colours, edges, n_edges, classes);
	ck_assert_uint_ne(classes[n / 4], classes[n / 4 + 1]);
	free(colours);
	free(edges);
	free(classes);
}
END_TEST

/* ---- Lists ---- */

/* The list of the graph, to be freed. */
static char *list_of_graph(void)
{
	char *text = NULL;
	size_t n_bytes = 0;
	FILE *out = open_memstream(&text, &n_bytes);
	replay_print_canonical(out);
	fclose(out);
	return text;
}

static unsigned n_of(const char *text, const char *part)
{
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
		n++;
	return n;
}

#define SECTIONS  0x7000
#define TASK_LINE 0x3000

/* In a section: a taskgroup at `codeptr` with a task of one line. */
static uint64_t put_group(uint32_t stream, uint64_t implicit, uint64_t task, uint64_t codeptr)
{
	replay_put(stream, EVENT_sync_region_begin, sync_kind_taskgroup, 0, implicit, codeptr);
	replay_put(stream, EVENT_task_create, task_flags_explicit, id_counter(task), implicit, TASK_LINE);
	replay_put(stream, EVENT_task_schedule, task_status_switch, 0, implicit, task);
	replay_put(stream, EVENT_task_schedule, task_status_complete, 0, task, implicit);
	replay_put(stream, EVENT_sync_region_end, sync_kind_taskgroup, 0, implicit, codeptr);
	return task;
}

/* Two threads execute a section each; `who` executes the first one, whose taskgroup is at another place. */
static char *list_of_sections(uint32_t who)
{
	uint64_t implicit[2] = {replay_begin_program(2), id_make(1, 2)};
	replay_begin_implicit(1, 2, 2, 2, 1);
	for (uint32_t stream = 0; stream < 2; stream++)
		replay_put(stream, EVENT_work_begin, work_kind_sections, 2, implicit[stream], SECTIONS);
	put_group(who, implicit[who], id_make(who, 3), 0x5000);
	put_group(1 - who, implicit[1 - who], id_make(1 - who, 3), 0x6000);
	for (uint32_t stream = 0; stream < 2; stream++)
		replay_put(stream, EVENT_work_end, work_kind_sections, 0, implicit[stream], SECTIONS);
	replay_end_implicit(1, 2, 1);
	replay_end_program();
	replay_build(GRAPH_TASK);
	char *list = list_of_graph();
	replay_done();
	return list;
}

START_TEST(lists_do_not_depend_on_who_executed_what)
{
	char *lists[] = {list_of_sections(0), NULL};
	replay_teardown();
	replay_setup();
	lists[1] = list_of_sections(1);
	ck_assert_str_eq(lists[0], lists[1]);
	ck_assert_uint_eq(n_of(lists[0], "[1.r1.i.1] -> taskgroup@"), 1);
	ck_assert_uint_eq(n_of(lists[0], "[1.r1.i.2] -> taskgroup@"), 1);
	free(lists[0]);
	free(lists[1]);
}
END_TEST

static void depend(uint64_t task, uint64_t variable)
{
	const unsigned type = dependence_type_inout;
	dump_writer_dependences(&replay_writer, 0, replay_now, task, 1, &variable, &type);
}

START_TEST(equal_siblings_are_counted)
{
	uint64_t me = replay_begin_program(1);
	for (uint64_t i = 3; i < 9; i++) /* three pairs, and one task alone */
		depend(replay_create(i, me), 0x10 * ((i + 1) / 2));
	replay_create(9, me);
	replay_end_program();
	replay_build(GRAPH_TASK);
	char *list = list_of_graph();
	ck_assert_uint_eq(n_of(list, " create\n"), 2); /* of the implicit task, and of the one alone */
	ck_assert_uint_eq(n_of(list, " create x3\n"), 2);
	ck_assert_uint_eq(n_of(list, " depend:inout x3\n"), 1);
	free(list);
	replay_done();
}
END_TEST

/* Two tasks before a barrier and two after it, at one address: only one of the edges is not the barrier's as well. */
START_TEST(what_a_barrier_orders_is_no_dependence_of_the_list)
{
	uint64_t me = replay_begin_program(1);
	const unsigned type = _i == 0 ? dependence_type_inout : dependence_type_mutexinoutset;
	const uint64_t variable = 0x10;
	for (uint64_t i = 3; i < 7; i++) {
		if (i == 5) {
			replay_sync_begin(0, sync_kind_barrier_explicit, me);
			replay_sync_end(0, sync_kind_barrier_explicit, me);
		}
		dump_writer_dependences(&replay_writer, 0, replay_now, replay_create(i, me), 1, &variable, &type);
	}
	replay_end_program();
	replay_build(GRAPH_TASK);
	char *list = list_of_graph();
	ck_assert_uint_eq(n_of(list, " depend:inout\n"), _i == 0 ? 2 : 0);
	ck_assert_uint_eq(n_of(list, " exclusive\n"), _i == 0 ? 0 : 2);
	free(list);
	replay_done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("canonical");
	TCase *tests = tcase_create("all");
	tcase_set_timeout(tests, 0); /* tests/check.sh ends what hangs */
	tcase_add_checked_fixture(tests, replay_setup, replay_teardown);
	tcase_add_test(tests, classes_do_not_depend_on_numbers);
	tcase_add_test(tests, classes_are_the_coarsest_that_nothing_tells_apart);
	tcase_add_test(tests, a_long_stencil_takes_no_quadratic_time);
	tcase_add_test(tests, lists_do_not_depend_on_who_executed_what);
	tcase_add_test(tests, equal_siblings_are_counted);
	tcase_add_loop_test(tests, what_a_barrier_orders_is_no_dependence_of_the_list, 0, 2);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
