/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of causes: see causes.h.
 */
#include "builder/answer/causes.h"
#include "builder/support/array.h"

const char *limit_name(enum limit limit)
{
	static const char *const names[LIMITS] = {"none",      "creation", "grain",   "chain",      "wait", "imbalance",
						  "exclusion", "serial",   "runtime", "preemption", "data"};
	return names[limit];
}

const char *cause_sort_name(enum cause_sort sort)
{
	static const char *const names[CAUSE_SORTS] = {NULL,      "undeferred", "scheduling", "resuming", "fork",   "acquiring",
						       "blocked", "crowded",    "unused",     "single",   "chunks", "regions"};
	return names[sort];
}

void causes_begin(struct causes *causes)
{
	*causes = (struct causes){0};
	(void)causes_search(causes, LIMIT_NONE, CAUSE_PLAIN, 0, 0);
}

void causes_free(struct causes *causes)
{
	free(causes->rows);
	map_free(&causes->buckets);
	*causes = (struct causes){0};
}

uint32_t causes_search(struct causes *causes, enum limit limit, enum cause_sort sort, uint32_t construct, uint32_t other)
{
	uint64_t key = (((uint64_t)limit << 4 | sort) << 56) ^ ((uint64_t)other << 28) ^ construct;
	for (;; key += UINT64_C(0x9e3779b97f4a7c15)) {
		uint32_t *row = map_put(&causes->buckets, key);
		if (*row == 0) {
			array_reserve((void **)&causes->rows, causes->n + (size_t)1, &causes->capacity, sizeof *causes->rows);
			causes->rows[causes->n++] =
				(struct cause){.limit = limit, .sort = sort, .construct = construct, .other = other};
			*row = causes->n;
		}
		const struct cause *found = &causes->rows[*row - 1];
		if (found->limit == limit && found->sort == sort && found->construct == construct && found->other == other)
			return *row - 1;
	}
}
