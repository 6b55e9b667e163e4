/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What scene.c makes a plan with: its links, its tasks, and where its nodes hold mutexes. A file each.
 */
#ifndef OTTER_BUILDER_ANSWER_SCENE_PARTS_H
#define OTTER_BUILDER_ANSWER_SCENE_PARTS_H

#include "builder/answer/scene.h"

/* scene_links.c: what leads to what in the plan, each pair of nodes once. `variant`: what is different; NULL: nothing. */
void scene_make_links(const struct scene *scene, const struct variant *variant, struct plan_links *links);
void scene_free_links(struct plan_links *links);

/*
 * scene_tasks.c: the tasks and teams of the plan. Before the call node.task of its nodes is an owner in the net (net_owner()),
 * and afterwards a number in plan.tasks.
 */
void scene_make_tasks(struct scene *scene);

/* scene_stretches.c: of more than `most` stretches that hold mutexes several become one. */
void scene_make_stretches(struct scene *scene, uint32_t most);

#endif
