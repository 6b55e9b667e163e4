/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects what limits the run: see answer.h.
 */
#include "builder/summary/answer.h"
#include "builder/support/memory.h"

static struct answer_row copy_row(const struct trace *trace, const struct answer *answer, const struct candidate *c)
{
	const struct dump *dump = &trace->dump;
	return (struct answer_row){.limit = c->limit,
				   .sort = c->sort,
				   .construct = place_copy(&trace->model, c->construct),
				   .other = place_copy(&trace->model, c->other),
				   .loss_share = answer_loss_share(answer, c),
				   .speedup = answer_speedup(answer, c),
				   .is_simulated = c->is_simulated,
				   .n = c->n,
				   .own_ns = dump_duration_ns(dump, c->own_ticks),
				   .whole_ns = c->all_own_ticks != 0 ? dump_duration_ns(dump, c->all_own_ticks) / c->n : 0,
				   .price_ns = dump_duration_ns(dump, c->price_ticks),
				   .blamed_ns = dump_duration_ns(dump, c->blamed_ticks),
				   .saved_ns = dump_duration_ns(dump, c->saved_ticks),
				   .all_ns = dump_duration_ns(dump, c->all_ticks)};
}

static bool is_same(const struct candidate *left, const struct candidate *right)
{
	return left->limit == right->limit && left->construct == right->construct && left->other == right->other;
}

static void copy_rows(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	s->limit = copy_row(trace, answer, &answer->limit);
	for (size_t i = 0; i < answer->n_candidates && s->n_others < ANSWER_OTHERS; i++)
		if (!is_same(&answer->candidates[i], &answer->limit) && answer->candidates[i].saved_ticks != 0)
			s->others[s->n_others++] = copy_row(trace, answer, &answer->candidates[i]);
}

/* ---- Bounds ---- */

struct longest_set {
	const struct answer *answer;
	uint64_t ticks;
	uint32_t construct;
};

static int see_set(void *self, const uint32_t *nodes, uint32_t n)
{
	struct longest_set *longest = self;
	const struct net *net = &longest->answer->net;
	uint64_t ticks = 0;
	for (uint32_t i = 0; i < n; i++)
		ticks += net->graph->busy->ticks[net_task(net, nodes[i])];
	if (ticks > longest->ticks) {
		longest->ticks = ticks;
		longest->construct = net_construct(net, nodes[0]);
	}
	return 0;
}

static void copy_bounds(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	const struct path *path = answer->net.graph->path;
	const struct exclusion *mutex = exclusions_longest(&answer->states->exclusions);
	struct longest_set longest = {answer, 0, 0};
	if (mutex != NULL) {
		longest.ticks = mutex->ticks;
		longest.construct = answer->track.same[mutex->construct];
	}
	graph_each_exclusive(answer->net.graph, see_set, &longest);
	s->exclusion_ns = dump_duration_ns(&trace->dump, longest.ticks);
	s->exclusion = place_copy(&trace->model, longest.construct);
	s->work_ns = dump_duration_ns(&trace->dump, answer->prices.work_ticks);
	if (path != NULL && path->bound != PATH_UNKNOWN) {
		s->span_ns = path->span_ns;
		s->is_span_exact = path->bound == PATH_EXACT;
	}
}

/* ---- Tables ---- */

struct weighed {
	double weight;
	uint32_t row;
};

/* The largest weight first. */
static int by_weight(const void *left, const void *right)
{
	const struct weighed *l = left, *r = right;
	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	return l->row < r->row ? -1 : l->row > r->row;
}

static void copy_constructs(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	const struct model *m = &trace->model;
	struct weighed *rows = memory_get(m->n_constructs, sizeof *rows, "the answer");
	double total = (double)answer->account.wall_ticks * answer->account.n_threads;
	double loss = total - (double)answer->account.ticks[SPENT_WORK], span = (double)s->span_ns;
	uint32_t n = 0;
	for (uint32_t c = 1; c < m->n_constructs; c++) {
		const struct figure *f = &answer->figures[c];
		double weight = (double)f->own_ticks + f->blamed_ticks;
		if (weight > 0)
			rows[n++] = (struct weighed){weight, c};
	}
	qsort(rows, n, sizeof *rows, by_weight);
	for (uint32_t i = 0; i < n && i < ANSWER_CONSTRUCTS; i++) {
		const struct figure *f = &answer->figures[rows[i].row];
		double path_ns = (double)dump_duration_ns(&trace->dump, f->path_ticks);
		s->constructs[s->n_constructs++] =
			(struct answer_construct){.place = place_copy(m, rows[i].row),
						  .count = f->count,
						  .own_ns = dump_duration_ns(&trace->dump, f->own_ticks),
						  .path_share = path_ns < span ? path_ns / span : span > 0,
						  .blame_share = loss > 0 ? f->blamed_ticks / loss : 0};
	}
	free(rows);
}

static void copy_waits(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	const struct wait_places *places = &answer->track.places;
	struct weighed *rows = memory_get(places->n + 1, sizeof *rows, "the answer");
	uint32_t n = 0;
	for (uint32_t i = 0; i < places->n; i++)
		if (track_is_wait(places->rows[i].state) && dump_duration_ns(&trace->dump, places->rows[i].ticks) != 0)
			rows[n++] = (struct weighed){(double)places->rows[i].ticks, i};
	qsort(rows, n, sizeof *rows, by_weight);
	for (uint32_t i = 0; i < n && i < ANSWER_WAITS; i++) {
		const struct wait_place *place = &places->rows[rows[i].row];
		const struct figure *f = &answer->figures[place->construct];
		s->waits[s->n_waits++] = (struct answer_wait){.place = place_copy(&trace->model, place->construct),
							      .culprit = place_copy(&trace->model, f->culprit),
							      .count = place->count,
							      .total_ns = dump_duration_ns(&trace->dump, place->ticks),
							      .longest_ns = dump_duration_ns(&trace->dump, place->longest_ticks),
							      .culprit_share = f->culprit_share};
	}
	free(rows);
}

/* ---- All of it ---- */

/* Time in which threads did not work. */
static uint64_t lost_ns(const struct dump *dump, const struct account *account)
{
	return dump_duration_ns(dump, account->wall_ticks * account->n_threads - account->ticks[SPENT_WORK]);
}

void summary_collect_answer(struct answer_summary *s, const struct trace *trace, const struct answer *answer,
			    const struct what_if *what_if, const struct findings *findings)
{
	const struct dump *dump = &trace->dump;
	uint64_t before_ns = s->wall_ns * s->n_threads - s->spent_ns[SPENT_WORK];
	if (!answer->is_made || (s->is_there && lost_ns(dump, &answer->account) <= before_ns))
		return;
	summary_free_answer(s);
	*s = (struct answer_summary){.is_there = true,
				     .process = trace->process,
				     .n_threads = answer->account.n_threads,
				     .n_processors = trace->dump.meta.n_processors};
	s->wall_ns = dump_duration_ns(dump, answer->account.wall_ticks);
	s->simulated_ns = dump_duration_ns(dump, answer->simulated_ticks);
	s->creating_ns = dump_duration_ns(dump, answer->creating_ticks);
	s->handing_ns = dump_duration_ns(dump, answer->handing_ticks);
	for (unsigned i = 0; i < SPENTS; i++)
		s->spent_ns[i] = dump_duration_ns(dump, answer->account.ticks[i]);
	s->efficiency = answer_efficiencies(answer);
	copy_rows(s, trace, answer);
	copy_bounds(s, trace, answer);
	copy_constructs(s, trace, answer);
	copy_waits(s, trace, answer);
	summary_collect_what_if(&s->what_if, trace, what_if);
	summary_collect_lint(&s->lint, trace, findings);
}

static void free_row(struct answer_row *row)
{
	place_free(&row->construct);
	place_free(&row->other);
}

void summary_free_answer(struct answer_summary *s)
{
	free_row(&s->limit);
	place_free(&s->exclusion);
	for (unsigned i = 0; i < s->n_others; i++)
		free_row(&s->others[i]);
	for (unsigned i = 0; i < s->n_constructs; i++)
		place_free(&s->constructs[i].place);
	for (unsigned i = 0; i < s->n_waits; i++) {
		place_free(&s->waits[i].place);
		place_free(&s->waits[i].culprit);
	}
	summary_free_what_if(&s->what_if);
	summary_free_lint(&s->lint);
	*s = (struct answer_summary){0};
}
