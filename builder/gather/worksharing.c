/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds worksharing regions without a recorded end (Q21) that end before a taskgroup or scope region begins, and not inside of
 * it. The replay comes to that begin before the records that show it: a barrier, or the next worksharing region, while the
 * taskgroup is open, which is then not the worksharing region's. Each stream for itself; walk_other() calls it.
 */
#include "builder/gather/stream.h"
#include "builder/model/construct.h"
#include "builder/support/sort.h"

static struct open_work *find(struct gather_stream *w, uint32_t task)
{
	size_t n = w->n_works;
	while (n > 0 && w->works[n - 1].task != task)
		n--;
	return n > 0 ? &w->works[n - 1] : NULL;
}

/* The task's open worksharing region is over. If something around this place began inside of it, that was after its end. */
static void end_work(struct gather_stream *w, uint32_t task)
{
	struct open_work *open = find(w, task);
	if (open == NULL)
		return;
	if (open->n_inside != 0)
		array_push(w->early_ends, w->n_early_ends, w->early_ends_capacity,
			   (struct early_end){w->stream, open->inside_ticks});
	*open = w->works[--w->n_works];
}

static void enter(struct gather_stream *w, uint32_t task, uint64_t ticks)
{
	struct open_work *open = find(w, task);
	if (open != NULL && open->n_inside++ == 0)
		open->inside_ticks = ticks;
}

static void leave(struct gather_stream *w, uint32_t task)
{
	struct open_work *open = find(w, task);
	if (open != NULL && open->n_inside > 0)
		open->n_inside--;
}

/* Of which kinds may the end be missing? */
static bool may_lack_end(unsigned work)
{
	return work == work_kind_single_executor || work == work_kind_sections;
}

void gather_worksharing(struct gather_stream *w, const struct record *r)
{
	uint32_t task = w->thread.task;
	unsigned flags = record_flags(r), kind = record_kind(r);
	bool is_group =
		kind == EVENT_work_begin || kind == EVENT_work_end ? flags == work_kind_scope : flags == sync_kind_taskgroup;
	if (task == 0 || gather_is_explicit(w, task))
		return;
	if (is_group && (kind == EVENT_work_begin || kind == EVENT_sync_region_begin))
		enter(w, task, r->time);
	else if (is_group)
		leave(w, task);
	else if (kind == EVENT_sync_region_begin ? sync_is_barrier(flags) : kind == EVENT_work_begin && work_is_sharing(flags))
		end_work(w, task);
	if (kind == EVENT_work_begin && may_lack_end(flags))
		array_push(w->works, w->n_works, w->works_capacity, (struct open_work){.task = task});
	if (kind == EVENT_work_end && may_lack_end(flags) && find(w, task) != NULL) {
		find(w, task)->n_inside = 0;
		end_work(w, task);
	}
}

static int by_ticks(const void *left, const void *right)
{
	const struct early_end *l = left, *r = right;
	return cmp(l->ticks, r->ticks);
}

void gather_join_early_ends(struct gather_stream *w, size_t *capacity)
{
	struct model *m = w->m;
	sort_array(w->early_ends, w->n_early_ends, by_ticks); /* those of regions inside are found before those around */
	for (size_t i = 0; i < w->n_early_ends; i++)
		array_push(m->early_ends, m->n_early_ends, *capacity, w->early_ends[i]);
}
