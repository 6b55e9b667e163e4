/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A whole replay, from the visitors to what is freed after it. schedule.c decides which stream goes on; only where there
 * are units of Argobots, or tasks that move in a dump that is not sure, streams are merged by time, here. builder/run.c
 * calls replay_run() once for each dump, after gather.
 */
#include "builder/dump/merge.h"
#include "builder/replay/state.h"

#include <stdlib.h>
#include <string.h>

/*
 * Argobots: which unit a handle means follows from the order of all streams' records in time. And where records are missing
 * or contradict each other, and tasks move, time alone tells the order of their parts.
 */
static int run_merged(struct replay *r)
{
	size_t n_streams = r->model->dump->n_streams;
	struct merge merge;
	int rc = 0;
	merge_begin(&merge, n_streams);
	for (size_t i = 0; i < n_streams; i++)
		merge_add(&merge, &r->streams[i].timeline, (uint32_t)i);
	if (r->model->n_units > 0) {
		merge.is_early = units_is_early;
		merge.self = &r->units;
	}
	unsigned n = 0;
	for (uint32_t row; rc == 0 && merge_next(&merge, &row);) {
		rc = replay_record(r, &r->streams[row], timeline_peek(&r->streams[row].timeline));
		if (++n % PROGRESS_EVERY == 0)
			progress_add(r->progress, PROGRESS_EVERY);
	}
	merge_end(&merge);
	return rc == 0 && replay_unit_finish(r) == 0 ? replay_end_all(r) : -1;
}

/* Lists for each function the visitors that have it. The result is to be freed. */
static struct call *list_calls(struct replay *r, const struct visitor *visitors, size_t n)
{
	struct call *calls = memory_zeroed(REPLAY_FUNCTIONS * (n + 1), sizeof *calls, "the replay");
	r->are_by_stream = true;
	for (size_t i = 0; i < n; i++)
		r->are_by_stream = r->are_by_stream && visitors[i].ops->is_by_stream;
	struct call *next = calls;
	for (size_t f = 0; f < REPLAY_FUNCTIONS; f++) {
		r->calls[f] = next;
		for (size_t i = 0; i < n; i++) {
			struct call call = {.self = visitors[i].self};
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
		s->stop = r->hands.stops != NULL ? &r->hands.stops[r->hands.of_stream[i]] : NULL;
		s->stop_end = r->hands.stops != NULL ? &r->hands.stops[r->hands.of_stream[i + 1]] : NULL;
		timeline_init(&s->timeline, dump, &dump->streams[i], !r->is_merged);
		frames_begin(&s->frames, s->row, (uint32_t)dump->n_streams);
	}
}

static void free_streams(struct replay *r)
{
	for (size_t i = 0; i < r->hands.n; i++) /* after an error */
		if (r->hands.all[i].frame != NULL)
			frame_drop(&r->streams[0].frames, r->hands.all[i].frame);
	for (size_t i = 0; i < r->model->dump->n_streams; i++) {
		timeline_end(&r->streams[i].timeline);
		thread_free(&r->streams[i].thread);
		held_clear(&r->streams[i].held);
		frames_free(&r->streams[i].frames);
		free(r->streams[i].late_flushes);
		free(r->streams[i].dependences);
	}
	free(r->streams);
}

int replay_run(const struct model *model, const struct visitor *visitors, size_t n_visitors, struct progress *progress)
{
	struct replay r = {.model = model, .progress = progress};
	r.is_merged = model->n_units > 0 || (model->n_migrated > 0 && !model->is_sure);
	struct call *calls = list_calls(&r, visitors, n_visitors);
	hands_begin(&r.hands, model, !r.is_merged);
	begin_streams(&r);
	replay_unit_begin(&r);
	int rc = r.is_merged ? run_merged(&r) : replay_schedule(&r);
	free_streams(&r);
	units_end(&r.units);
	hands_free(&r.hands);
	free(calls);
	model_sum_notes(model);
	return rc;
}
