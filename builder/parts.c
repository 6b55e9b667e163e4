/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of --process, and the processes that it names. Callers are in parts.h.
 */
#include "builder/parts.h"
#include "builder/support/diag.h"

#include <errno.h>
#include <stdlib.h>

struct range {
	uint64_t first, last;
};

/* The next number of a list; false: there is none. */
static bool take_number(const char **list, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(*list, &end, 10);
	bool is_number = **list >= '0' && **list <= '9' && errno == 0;
	*list = end;
	return is_number;
}

/* The next range of a list, which ends with it or with a comma; false: there is none. */
static bool take_range(const char **list, struct range *range)
{
	if (!take_number(list, &range->first))
		return false;
	range->last = range->first;
	if (**list == '-') {
		(*list)++;
		if (!take_number(list, &range->last))
			return false;
	}
	if (**list == ',')
		return range->last >= range->first && *++*list != '\0';
	return range->last >= range->first && **list == '\0';
}

bool parts_is_list(const char *list)
{
	struct range range;
	do {
		if (!take_range(&list, &range))
			return false;
	} while (*list != '\0');
	return true;
}

static bool is_named(const char *list, uint64_t number)
{
	struct range range;
	while (*list != '\0' && take_range(&list, &range))
		if (number >= range.first && number <= range.last)
			return true;
	return false;
}

size_t parts_choose(struct trace *traces, size_t n, const char *list)
{
	if (list == NULL)
		return n;
	struct range range;
	for (const char *rest = list; *rest != '\0' && take_range(&rest, &range);)
		if (range.last >= n) {
			error("--process=%s: the run has no process %llu: it has %zu, which are numbered from 0", list,
			      (unsigned long long)range.last, n);
			return 0;
		}
	size_t n_chosen = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_named(list, traces[i].process))
			continue;
		struct trace chosen = traces[i];
		traces[i] = traces[n_chosen];
		traces[n_chosen++] = chosen;
	}
	return n_chosen;
}
