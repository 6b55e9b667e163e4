/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds threads that share processors by their masks or places: see candidates.h.
 */
#include "builder/answer/candidates.h"

#define SHARE_LEAST 0.5 /* of all time without a processor */

static bool is_same_mask(const struct switches_of *left, const struct switches_of *right)
{
	return left->mask_low != 0 && left->mask_low == right->mask_low && left->mask_processors == right->mask_processors;
}

struct binding binding_find(const struct answer *answer)
{
	const struct model *m = answer->net.graph->model;
	const struct account *account = &answer->account;
	struct binding found = {0};
	uint64_t n_usable = m->dump->meta.n_processors;
	if (!m->switches.are_recorded)
		return found;
	if (n_usable != 0 && n_usable < account->n_threads && n_usable < m->dump->meta.n_online)
		return (struct binding){account->n_threads, n_usable, true};
	for (uint32_t i = 0; i < account->n_threads; i++) {
		const struct switches_of *of = &m->switches.streams[account->threads[i].stream];
		struct binding binding = {.n_processors = of->mask_processors};
		double preempted = 0;
		for (uint32_t j = 0; j < account->n_threads; j++) {
			bool is_same = is_same_mask(of, &m->switches.streams[account->threads[j].stream]);
			binding.n_threads += is_same;
			preempted += is_same ? (double)account->threads[j].ticks[SPENT_PREEMPTED] : 0;
		}
		bool has_others = n_usable > binding.n_processors;
		bool is_most = preempted >= SHARE_LEAST * (double)account->ticks[SPENT_PREEMPTED];
		if (has_others && is_most && binding.n_threads > binding.n_processors && binding.n_threads > found.n_threads)
			found = binding;
	}
	return found;
}
