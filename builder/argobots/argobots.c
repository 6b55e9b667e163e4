/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots as a paradigm: which function of this folder each stage of the builder calls.
 */
#include "builder/argobots/argobots.h"
#include "builder/graph/graph.h"
#include "builder/model/tables.h"
#include "builder/otf2/events.h"
#include "builder/slices/slices.h"
#include "builder/states/states.h"

static const struct paradigm_visitor visitors[] = {
	{&states_ops, &argobots_states_ops},
	{&graph_ops, &argobots_graph_ops},
	{&event_ops, &argobots_archive_ops},
	{&slices_ops, &argobots_slices_ops},
};

/* A thread of OpenMP, or one that only hands units to execution streams, is no execution stream. */
static const struct nouns *argobots_nouns(const struct model *model)
{
	static const struct nouns nouns = {true, "execution stream", "an execution stream", "execution streams", "units"};
	if (model->n_events[EVENT_thread_begin] + model->n_events[EVENT_parallel_begin] != 0)
		return NULL;
	for (uint32_t row = 1; row < model->n_units; row++)
		if (model->units[row].kind == UNIT_EXTERNAL)
			return NULL;
	return &nouns;
}

extern const struct paradigm paradigm_argobots;
const struct paradigm paradigm_argobots = {
	.name = "Argobots",
	.gather = argobots_gather,
	.replays_in_order = argobots_replays_in_order,
	.replay_begin = argobots_replay_begin,
	.replay_record = argobots_replay_record,
	.replay_is_early = argobots_replay_is_early,
	.replay_gap = argobots_replay_gap,
	.replay_finish = argobots_replay_finish,
	.replay_end = argobots_replay_end,
	.uncut = argobots_uncut,
	.visitors = visitors,
	.n_visitors = sizeof visitors / sizeof visitors[0],
	.summary = &argobots_summary,
	.graph = &argobots_graph,
	.canonical = &argobots_canonical,
	.states = &argobots_states,
	.archive = &argobots_archive,
	.slices = &argobots_slices,
	.sweep = &argobots_sweep,
	.find_waits = argobots_find_waits,
	.nouns = argobots_nouns,
};
