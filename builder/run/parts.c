/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of --process, and the processes that it names; --from and --to, and the part of a process's time that they
 * name. Callers are in parts.h.
 */
#include "builder/run/run.h"
#include "builder/model/paradigm.h"
#include "builder/support/diag.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct number_range {
	uint64_t first, last;
};

/* The next number of a list; false: none. */
static bool take_number(const char **list, uint64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoull(*list, &end, 10);
	bool is_number = **list >= '0' && **list <= '9' && errno == 0;
	*list = end;
	return is_number;
}

/* The next range of a list, which ends with it or with a comma; false: none. */
static bool take_range(const char **list, struct number_range *range)
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
	struct number_range range;
	do {
		if (!take_range(&list, &range))
			return false;
	} while (*list != '\0');
	return true;
}

static bool is_named(const char *list, uint64_t number)
{
	struct number_range range;
	while (*list != '\0' && take_range(&list, &range))
		if (number >= range.first && number <= range.last)
			return true;
	return false;
}

size_t parts_choose(struct trace *traces, size_t n, const char *list)
{
	if (list == NULL)
		return n;
	struct number_range range;
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

/* ---- Times ---- */

#define SHARE_ALL UINT64_C(1000000)
#define NS_MAX    9e18L

bool parts_read_time(struct part_time *time, const char *text)
{
	static const struct {
		long double factor;
		const char *name;
		bool is_share;
	} units[] = {{1e9L, "", false},   {1e9L, "s", false}, {1e6L, "ms", false},
		     {1e3L, "us", false}, {1, "ns", false},   {1e4L, "%", true}};
	size_t n = strspn(text, "0123456789.");
	char *end;
	long double number = strtold(text, &end);
	if (n == 0 || end != text + n)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		long double value = number * units[i].factor;
		if (strcmp(end, units[i].name) != 0)
			continue;
		if (value > (units[i].is_share ? (long double)SHARE_ALL : NS_MAX))
			return false;
		*time = (struct part_time){true, units[i].is_share, (uint64_t)(value + 0.5L)};
		return true;
	}
	return false;
}

bool parts_are_reversed(const struct part_times *times)
{
	bool are_alike = times->from.is_share == times->to.is_share;
	return times->to.is_given &&
	       (times->to.value == 0 || (times->from.is_given && are_alike && times->from.value >= times->to.value));
}

/* The first tick that outputs show as this time, or a later one. */
static uint64_t ticks_at(const struct model *m, const struct part_time *time)
{
	const struct dump *dump = m->dump;
	uint64_t ns = time->value;
	if (time->is_share)
		ns = (uint64_t)((unsigned __int128)dump_ns(dump, m->last_ticks) * time->value / SHARE_ALL);
	unsigned __int128 ticks = ((unsigned __int128)ns << 48) / (dump->ns_scale != 0 ? dump->ns_scale : 1);
	if (ticks >= UINT64_MAX - dump->first_ticks)
		return UINT64_MAX;
	uint64_t at = dump->first_ticks + (uint64_t)ticks;
	while (at > dump->first_ticks && dump_ns(dump, at) >= ns)
		at--;
	while (dump_ns(dump, at) < ns)
		at++;
	return at;
}

int parts_set_window(struct trace *trace, const struct part_times *times)
{
	struct model *m = &trace->model;
	if (!parts_have_times(times))
		return 0;
	for (size_t i = 0; i < N_PARADIGMS; i++) {
		const char *uncut = paradigms[i]->uncut != NULL ? paradigms[i]->uncut(m) : NULL;
		if (uncut != NULL)
			return error("%s: --from and --to do not cut a process with %s", trace->dump.path, uncut);
	}
	bool has_from = times->from.is_given && times->from.value != 0, has_to = times->to.is_given;
	m->window = (struct window){true, has_from ? ticks_at(m, &times->from) : 0, has_to ? ticks_at(m, &times->to) : UINT64_MAX};
	if (m->window.from > m->last_ticks || m->window.from >= m->window.to) /* all of it is before the part */
		m->window.from = m->window.to = m->last_ticks + 1;
	return 0;
}
