/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks suspended on a thread, the latest last. Tied ones go on in the order of a stack, untied ones in any: taking one out from
 * anywhere takes the same time. Indices do not change while something is above them.
 */
#ifndef OTTER_BUILDER_STORY_SUSPENDED_H
#define OTTER_BUILDER_STORY_SUSPENDED_H

#include "builder/support/map.h"

#include <stdbool.h>

struct suspended_tasks {
	uint32_t *tasks; /* SUSPENDED_GONE: taken out */
	size_t n, capacity;
	struct map below; /* task -> index, of those that others came to lie on */
};

#define SUSPENDED_GONE UINT32_MAX

/* False: memory is out. */
bool suspended_push(struct suspended_tasks *list, uint32_t task);

/* Is there one at index `bottom` or above? Then the last one is none that is gone. */
bool suspended_above(struct suspended_tasks *list, size_t bottom);

/* The last one, which must be there. */
uint32_t suspended_pop(struct suspended_tasks *list);

/* Takes one out. It need not be there. */
void suspended_remove(struct suspended_tasks *list, uint32_t task);

void suspended_free(struct suspended_tasks *list);

#endif
