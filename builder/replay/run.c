/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A whole replay: sets up the visitors and streams, replays, and frees. schedule.c decides which stream continues; only where
 * a paradigm requires it, or tasks move in a dump that is not sure (is_sure), streams are merged by time, here.
 */
#include "builder/dump/merge.h"
#include "builder/replay/state.h"
#include "builder/support/lower_bound.h"

#include <stdlib.h>
#include <string.h>

const void *replay_own_ops(const struct visitor *visitor, enum paradigm_number number)
{
	const struct paradigm *p = paradigms[number];
	if (visitor->ops->own != NULL)
		return visitor->ops->own[number];
	for (size_t i = 0; i < p->n_visitors; i++)
		if (p->visitors[i].ops == visitor->ops)
			return p->visitors[i].own;
	return NULL;
}

static bool paradigms_need_order(const struct model *model)
{
	bool need = false;
	for (size_t i = 0; i < N_PARADIGMS; i++)
		need = need || (paradigms[i]->replays_in_order != NULL && paradigms[i]->replays_in_order(model));
	return need;
}

static void begin_paradigms(struct replay *r)
{
	for (size_t i = 0; i < N_PARADIGMS; i++) {
		void *self = paradigms[i]->replay_begin != NULL ? paradigms[i]->replay_begin(r) : NULL;
		if (self == NULL)
			continue;
		r->paradigms[r->n_paradigms++] = (struct replayed){paradigms[i], self};
		if (paradigms[i]->replay_record != NULL)
			r->eager[r->n_eager++] = (struct replayed){paradigms[i], self};
	}
}

static int finish_paradigms(const struct replay *r)
{
	int rc = 0;
	for (size_t i = 0; i < r->n_paradigms && rc == 0; i++)
		if (r->paradigms[i].paradigm->replay_finish != NULL)
			rc = r->paradigms[i].paradigm->replay_finish(r->paradigms[i].self);
	return rc;
}

static void end_paradigms(const struct replay *r)
{
	for (size_t i = 0; i < r->n_paradigms; i++)
		if (r->paradigms[i].paradigm->replay_end != NULL)
			r->paradigms[i].paradigm->replay_end(r->paradigms[i].self);
}

/* is_early of struct merge. */
static bool is_early(void *self, uint32_t stream, const struct record *record)
{
	const struct replay *r = self;
	bool is = false;
	for (size_t i = 0; i < r->n_paradigms && !is; i++) {
		const struct paradigm *p = r->paradigms[i].paradigm;
		is = p->replay_is_early != NULL && p->replay_is_early(r->paradigms[i].self, stream, record);
	}
	return is;
}

/* Where records are missing or contradict each other, and tasks move, only time orders the tasks' parts. */
static int run_merged(struct replay *r)
{
	size_t n_streams = r->model->dump->n_streams;
	struct merge merge;
	int rc = 0;
	merge_begin(&merge, n_streams);
	for (size_t i = 0; i < n_streams; i++)
		merge_add(&merge, &r->streams[i].timeline, (uint32_t)i);
	if (r->n_paradigms > 0) {
		merge.is_early = is_early;
		merge.self = r;
	}
	unsigned n = 0;
	for (uint32_t row; rc == 0 && merge_next(&merge, &row);) {
		rc = replay_record(r, &r->streams[row], timeline_peek(&r->streams[row].timeline));
		if (++n % PROGRESS_EVERY == 0)
			progress_add(r->progress, PROGRESS_EVERY);
	}
	merge_end(&merge);
	return rc == 0 && finish_paradigms(r) == 0 ? replay_end_all(r) : -1;
}

/* Lists for each function the visitors that have it. The result is to be freed. */
static struct visitor_call *list_calls(struct replay *r, const struct visitor *visitors, size_t n)
{
	struct visitor_call *calls = memory_zeroed(REPLAY_FUNCTIONS * (n + 1), sizeof *calls, "the replay");
	r->are_by_stream = true;
	for (size_t i = 0; i < n; i++)
		r->are_by_stream = r->are_by_stream && visitors[i].ops->is_by_stream;
	struct visitor_call *next = calls;
	for (size_t f = 0; f < REPLAY_FUNCTIONS; f++) {
		r->calls[f] = next;
		for (size_t i = 0; i < n; i++) {
			struct visitor_call call = {.self = visitors[i].self};
			memcpy(&call.function, (const char *)visitors[i].ops + f * sizeof call.function, sizeof call.function);
			if (call.function != NULL)
				*next++ = call;
		}
		next++; /* the end, which is NULL */
	}
	return calls;
}

static void begin_streams(struct replay *r)
{
	const struct dump *dump = r->model->dump;
	r->streams = memory_zeroed(dump->n_streams, sizeof *r->streams, "the replay of streams");
	for (size_t i = 0; i < dump->n_streams; i++) {
		struct stream_state *s = &r->streams[i];
		s->row = s->at.stream = (uint32_t)i;
		s->replay = r;
		s->stop = r->handovers.stops != NULL ? &r->handovers.stops[r->handovers.of_stream[i]] : NULL;
		s->stop_end = r->handovers.stops != NULL ? &r->handovers.stops[r->handovers.of_stream[i + 1]] : NULL;
		const struct early_end *ends = r->model->early_ends;
		s->next_early_end = lower_bound(at, 0, r->model->n_early_ends, ends[at].stream < i);
		timeline_init(&s->timeline, dump, &dump->streams[i], !r->is_merged);
		frames_begin(&s->frames, s->row, (uint32_t)dump->n_streams);
	}
}

static void free_streams(struct replay *r)
{
	for (size_t i = 0; i < r->handovers.n; i++) /* after an error */
		if (r->handovers.all[i].frame != NULL)
			frame_drop(&r->streams[0].frames, r->handovers.all[i].frame);
	for (size_t i = 0; i < r->model->dump->n_streams; i++) {
		timeline_end(&r->streams[i].timeline);
		thread_free(&r->streams[i].thread);
		lockset_clear(&r->streams[i].held);
		frames_free(&r->streams[i].frames);
		free(r->streams[i].late_flushes);
		free(r->streams[i].dependences);
	}
	free(r->streams);
}

int replay_run(const struct model *model, const struct visitor *visitors, size_t n_visitors, struct progress *progress)
{
	struct replay r = {.model = model, .visitors = visitors, .n_visitors = n_visitors, .progress = progress};
	r.is_merged = paradigms_need_order(model) || (model->n_migrated > 0 && !model->is_sure);
	struct visitor_call *calls = list_calls(&r, visitors, n_visitors);
	handovers_begin(&r.handovers, model, !r.is_merged);
	begin_streams(&r);
	begin_paradigms(&r);
	int rc = r.is_merged ? run_merged(&r) : replay_schedule(&r);
	free_streams(&r);
	end_paradigms(&r);
	handovers_free(&r.handovers);
	free(calls);
	model_sum_notes(model);
	return rc;
}
