/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects what limits the run: see answer.h.
 */
#include "builder/summary/answer.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

/* docs/analyses.md: small tasks, and mutexes that pass from processor to processor, hide a part of what they cost. */
static bool is_lower_bound(const struct candidate *c)
{
	return c->limit == LIMIT_GRAIN || c->sort == CAUSE_HOT;
}

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
				   .is_gain_unknown = c->is_gain_unknown,
				   .is_lower_bound = is_lower_bound(c),
				   .nouns = model_nouns(&trace->model),
				   .is_of_units = trace->model.tasking != NULL,
				   .cutoff_ns = c->limit == LIMIT_GRAIN && c->sort == CAUSE_PLAIN && c->construct < answer->prices.n
							? dump_duration_ns(dump, answer->prices.rows[c->construct].cutoff_ticks)
							: 0,
				   .n = c->n,
				   .n_processors = c->n_processors,
				   .own_ns = dump_duration_ns(dump, c->own_ticks),
				   .whole_ns = c->all_own_ticks != 0 ? dump_duration_ns(dump, c->all_own_ticks) / c->n : 0,
				   .price_ns = dump_duration_ns(dump, c->price_ticks),
				   .blamed_ns = dump_duration_ns(dump, c->blamed_ticks),
				   .saved_ns = dump_duration_ns(dump, c->saved_ticks),
				   .all_ns = dump_duration_ns(dump, c->all_ticks)};
}

#define SHOWN 1.005 /* a smaller speedup would be printed as 1.00 */

static bool is_same(const struct candidate *left, const struct candidate *right)
{
	return left->limit == right->limit && left->construct == right->construct && left->other == right->other;
}

static void copy_rows(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	s->limit = copy_row(trace, answer, &answer->limit);
	for (size_t i = 0; i < answer->n_candidates && s->n_others < ANSWER_OTHERS; i++)
		if (!is_same(&answer->candidates[i], &answer->limit) && answer_speedup(answer, &answer->candidates[i]) >= SHOWN)
			s->others[s->n_others++] = copy_row(trace, answer, &answer->candidates[i]);
}

/* ---- Bounds ---- */

static void copy_bounds(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	const struct path *path = answer->net.graph->path;
	const struct answer_bounds *bounds = &answer->bounds;
	s->exclusion_ns = dump_duration_ns(&trace->dump, bounds->exclusion_ticks);
	s->serial_ns = dump_duration_ns(&trace->dump, bounds->serial_ticks);
	s->blocked_ns = dump_duration_ns(&trace->dump, bounds->blocked_ticks);
	s->exclusion = place_copy(&trace->model, bounds->exclusion);
	s->work_ns = dump_duration_ns(&trace->dump, answer->prices.work_ticks);
	s->span_ns = bounds->span_ns;
	s->has_loops = bounds->has_loops;
	s->is_span_exact = path != NULL && path->bound == PATH_EXACT;
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
	return cmp(r->weight, l->weight) ?: cmp(l->row, r->row);
}

static double share_of(double part, double all)
{
	return all > 0 ? part / all : 0;
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
		s->all_path_share += share_of((double)dump_duration_ns(&trace->dump, f->path_ticks), span);
		s->blocked_share += share_of((double)f->path_blocked_ns, span);
		s->device_share += share_of((double)f->path_device_ns, span);
		s->all_blame_share += share_of(f->blamed_ticks, loss);
		if (weight > 0)
			rows[n++] = (struct weighed){weight, c};
	}
	s->n_all_constructs = n;
	s->has_loss = loss > 0;
	s->blocked_share += share_of((double)answer->figures[0].path_blocked_ns, span);
	s->device_share += share_of((double)answer->figures[0].path_device_ns, span);
	sort_array(rows, n, by_weight);
	for (uint32_t i = 0; i < n && i < ANSWER_CONSTRUCTS; i++) {
		const struct figure *f = &answer->figures[rows[i].row];
		double path_ns = (double)dump_duration_ns(&trace->dump, f->path_ticks);
		s->constructs[s->n_constructs++] =
			(struct answer_construct){.place = place_copy(m, rows[i].row),
						  .count = f->count,
						  .own_ns = dump_duration_ns(&trace->dump, f->own_ticks),
						  .path_share = path_ns < span ? path_ns / span : span > 0,
						  .blame_share = share_of(f->blamed_ticks, loss)};
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
	sort_array(rows, n, by_weight);
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

/* ---- The process's end ---- */

static enum ending ending_of(const struct dump *dump)
{
	return dump->is_snapshot                      ? ENDING_RUNNING
	       : dump->meta.process_end == END_KILLED ? ENDING_KILLED
	       : dump->meta.process_end == END_EXITED ? ENDING_EXITED
	       : dump->meta.is_ended                  ? ENDING_FINALIZED
						      : ENDING_UNKNOWN;
}

static void copy_stuck(struct answer_summary *s, const struct trace *trace, const struct answer *answer)
{
	const struct dump *dump = &trace->dump;
	s->hang_since_ns = dump_ns(dump, answer->hang.since_ticks);
	for (uint32_t i = 0; i < answer->account.n_threads && i < ANSWER_STUCK; i++) {
		const struct account_thread *thread = &answer->account.threads[i];
		bool has_holder = thread->holder != UINT32_MAX;
		s->stuck[s->n_stuck++] =
			(struct answer_stuck){.thread = dump->streams[thread->stream].number,
					      .waits = account_waits_last(thread),
					      .is_for_holder = has_holder,
					      .place = place_copy(&trace->model, thread->last_construct),
					      .holder_place = place_copy(&trace->model, has_holder ? thread->holder_construct : 0),
					      .holder = has_holder ? dump->streams[thread->holder].number : 0};
	}
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
				     .nouns = model_nouns(&trace->model),
				     .n_threads = answer->account.n_threads,
				     .n_processors = trace->dump.meta.n_processors};
	s->wall_ns = dump_duration_ns(dump, answer->account.wall_ticks);
	s->recorder_start_ns = dump_duration_ns(dump, answer->recorder_ticks);
	s->simulated_ns = dump_duration_ns(dump, answer->simulated_ticks);
	s->creating_ns = dump_duration_ns(dump, answer->creating_ticks);
	s->handing_ns = dump_duration_ns(dump, answer->handing_ticks);
	for (unsigned i = 0; i < SPENTS; i++)
		s->spent_ns[i] = dump_duration_ns(dump, answer->account.ticks[i]);
	s->efficiency = answer_efficiencies(answer);
	s->ending = ending_of(dump);
	s->end_status = dump->meta.end_status;
	s->is_whole = dump->start_ticks != 0;
	if (answer->hang.is_there)
		copy_stuck(s, trace, answer);
	copy_rows(s, trace, answer);
	copy_bounds(s, trace, answer);
	copy_constructs(s, trace, answer);
	copy_waits(s, trace, answer);
	summary_collect_what_if(&s->what_if, trace, what_if);
	summary_collect_findings(&s->lint, trace, findings);
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
	for (unsigned i = 0; i < s->n_stuck; i++) {
		place_free(&s->stuck[i].place);
		place_free(&s->stuck[i].holder_place);
	}
	for (unsigned i = 0; i < s->n_others; i++)
		free_row(&s->others[i]);
	for (unsigned i = 0; i < s->n_constructs; i++)
		place_free(&s->constructs[i].place);
	for (unsigned i = 0; i < s->n_waits; i++) {
		place_free(&s->waits[i].place);
		place_free(&s->waits[i].culprit);
	}
	summary_free_what_if(&s->what_if);
	summary_free_findings(&s->lint);
	*s = (struct answer_summary){0};
}
