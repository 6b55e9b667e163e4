/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the threads of a team execute between barriers, and in regions, one after the other, as one: see fold.c and
 * fold_parts.h.
 */
#include "builder/simulate/fold_parts.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT "what limits the run"

static int by_length(const void *left, const void *right)
{
	const struct share *l = left, *r = right;
	return cmp(r->ticks, l->ticks) ?: cmp(l->id, r->id);
}

/*
 * If each thread of a team executes one node from this barrier, or region's begin, to the next barrier, or the region's end, and
 * nothing else: that barrier or end; else 0. Their shares are in f->shares, the longest first.
 */
static uint32_t phase_after(struct folding *f, uint32_t id, uint32_t *n_shares, uint64_t *ticks)
{
	const struct net *net = f->net;
	uint32_t end = 0, n = 0, n_beside = 0;
	*ticks = 0;
	for (size_t link = net->first[id]; link < net->first[id + 1]; link++) {
		uint32_t member = net->targets[link];
		if (net_kind(net, member) == NODE_JOIN) {
			n_beside++;
			continue;
		}
		if (!net_executes(net, member) || net_is_explicit(net, member) || f->n_before[member] != 1 ||
		    net->first[member + 1] - net->first[member] != 1 || f->rep[member] != member)
			return 0;
		uint32_t next = net->targets[net->first[member]];
		if (end != 0 && next != end)
			return 0;
		end = next;
		array_push(f->shares, n, f->shares_capacity, (struct share){net_work(net, member), member});
		*ticks += net_work(net, member);
	}
	bool is_end = end != 0 && (net_kind(net, end) == NODE_BARRIER || net_kind(net, end) == NODE_JOIN);
	if (n < 2 || !is_end || n + n_beside >= MANY_BEFORE || f->n_before[end] < n || f->n_before[end] > n + n_beside)
		return 0;
	sort_array(f->shares, n, by_length);
	*n_shares = n;
	return end;
}

/* The region that begins after the end of another one, with only serial work between them; 0: none. `between`: that work. */
static uint32_t region_after(const struct folding *f, uint32_t join, uint32_t *between)
{
	const struct net *net = f->net;
	if (net->first[join + 1] - net->first[join] != 1)
		return 0;
	*between = net->targets[net->first[join]];
	if (!net_executes(net, *between) || f->rep[*between] != *between || net->first[*between + 1] - net->first[*between] != 1)
		return 0;
	uint32_t region = net->targets[net->first[*between]];
	return net_kind(net, region) == NODE_REGION && f->n_before[region] == 1 ? region : 0;
}

void fold_phases(struct folding *f, uint32_t id)
{
	const struct net *net = f->net;
	uint32_t n, n_first, at = id, between;
	uint64_t ticks, all_ticks;
	uint32_t end = phase_after(f, id, &n_first, &all_ticks);
	if (end == 0)
		return;
	uint32_t *reps = memory_get(n_first, sizeof *reps, WHAT);
	uint32_t before = net_kind(net, id) == NODE_REGION ? net_inner(net, id)->previous : 0;
	for (uint32_t i = 0; i < n_first; i++)
		reps[i] = f->shares[i].id;
	for (;;) {
		uint32_t region = 0;
		at = end;
		if (net_kind(net, end) == NODE_JOIN) {
			region = before != 0 && net_executes(net, before) ? region_after(f, end, &between) : 0;
			at = region;
		}
		uint32_t next = at != 0 ? phase_after(f, at, &n, &ticks) : 0;
		if (next == 0 || n != n_first || all_ticks + ticks > f->most_ticks * n)
			break;
		all_ticks += ticks;
		fold_node(f, end, 0);
		fold_node(f, at, 0);
		if (region != 0)
			fold_node(f, between, f->rep[before]);
		for (uint32_t i = 0; i < n; i++)
			fold_node(f, f->shares[i].id, reps[i]);
		end = next;
	}
	free(reps);
}
