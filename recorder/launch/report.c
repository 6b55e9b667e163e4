/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MUCH_AN_HOUR 100e9 /* bytes */
#define SOME_HOURS   4
#define ENOUGH       (16 << 20) /* bytes */

void report(const char *format, ...)
{
	va_list arguments;
	char line[2 * PATH_MAX];
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "otter-record: %s\n", line); /* in one write: other processes write there, too */
}

/* Returns the path, relative to the working directory if it lies below it. */
static const char *from_here(const char *path)
{
	char here[PATH_MAX];
	size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
	bool is_below = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
	return is_below ? path + length + 1 : path;
}

static void put_bytes(char text[32], uint64_t n_bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double amount = (double)n_bytes;
	unsigned unit = 0;
	for (; amount >= 1000 && unit < 4; unit++)
		amount /= 1000;
	snprintf(text, 32, "%.*f %s", unit ? 1 : 0, amount, units[unit]);
}

static void put_hours(char text[32], double hours)
{
	if (hours * 60 < 2)
		snprintf(text, 32, "%.0f s", hours * 3600);
	else if (hours < 2)
		snprintf(text, 32, "%.0f minutes", hours * 60);
	else
		snprintf(text, 32, "%.1f hours", hours);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Puts the number of OpenMP's tasks, of Argobots' units, or of both. */
static void put_work(char text[64], const struct survey *survey)
{
	int n = 0;
	if (survey->n_tasks || !survey->has_argobots)
		n = snprintf(text, 64, "%" PRIu64 " task%s with implicit ones", survey->n_tasks, plural(survey->n_tasks));
	if (survey->has_argobots)
		snprintf(text + n, 64 - (size_t)n, "%s%" PRIu64 " unit%s", n ? ", " : "", survey->n_units, plural(survey->n_units));
}

static void report_dump(const struct survey *survey)
{
	char bytes[32], work[64];
	put_bytes(bytes, survey->n_bytes);
	put_work(work, survey);
	const char *state = survey->is_running ? ", still running" : survey->is_ended ? "" : ", did not come to its end";
	report("%s: %" PRIu64 " thread%s, %s, %" PRIu64 " record%s, %s, %" PRIu64 " lost, stalled %.1f ms%s",
	       from_here(survey->path), survey->n_streams, plural(survey->n_streams), work, survey->n_records,
	       plural(survey->n_records), bytes, survey->n_lost, (double)survey->stalled_ns / 1e6, state);
	for (const char *note = survey->notes, *end; note && (end = strchr(note, '\n')); note = end + 1)
		report("%s: note: %.*s", from_here(survey->path), (int)(end - note), note);
	if (survey->libgomp[0] && survey->needs_libgomp)
		report("%s: gcc's %s was loaded as well; what calls it and not LLVM's runtime is not recorded",
		       from_here(survey->path), survey->libgomp);
}

/* Says once that libomp took libgomp's place, where that was not known before the run. */
static void report_stand_in(const struct launch *launch, const struct survey_list *list)
{
	bool has_stand_in = false;
	for (size_t i = 0; i < list->n_surveys; i++)
		has_stand_in |= list->surveys[i].has_stand_in && list->surveys[i].needs_libgomp;
	if (has_stand_in && !target_needs_libomp(&launch->target))
		report("LLVM's %s takes the place of gcc's libgomp, which has no tools interface; times may change, and --no-libomp "
		       "leaves libgomp alone",
		       launch->gomp.libomp);
}

/* Reports how much an hour of such a run takes, where that is much, or where the file system has no room for some
 * hours. A few bytes in less than a second are not enough to know. */
static void report_rate(const struct survey_list *list)
{
	const struct survey *first = &list->surveys[0];
	uint64_t n_bytes = 0, end_ns = 0;
	for (size_t i = 0; i < list->n_surveys; i++) {
		const struct survey *survey = &list->surveys[i];
		if (survey->keeps_newest)
			return; /* it takes no more than this */
		n_bytes += survey->n_bytes;
		end_ns = survey->start_ns + survey->recorded_ns > end_ns ? survey->start_ns + survey->recorded_ns : end_ns;
	}
	double hours = (double)(end_ns - first->start_ns) / 3600e9, an_hour = (double)n_bytes / hours;
	double room = first->may_take ? (double)first->may_take / an_hour : HUGE_VAL;
	if ((hours * 3600 < 1 && n_bytes < ENOUGH) || (an_hour < MUCH_AN_HOUR && room >= SOME_HOURS))
		return;
	char bytes[32], time[32];
	put_bytes(bytes, (uint64_t)an_hour);
	put_hours(time, room);
	if (room < SOME_HOURS)
		report("at this rate an hour takes %s, and recording stops after %s, to fill no disk: see --keep=newest, --limit and "
		       "--events in otter-record(1)",
		       bytes, time);
	else
		report("at this rate an hour takes %s", bytes);
}

/* Reports why nothing was recorded, as far as the launcher can know. */
static void report_none(const struct launch *launch)
{
	struct checks checks;
	check_find(&checks, launch);
	report("nothing was recorded");
	unsigned n_reasons = 0;
	for (enum check_kind kind = CHECK_PROBLEM; n_reasons == 0 && kind >= CHECK_WARNING; kind--)
		for (size_t i = 0; i < checks.n; i++)
			if (checks.all[i].kind == kind) {
				report("  %s", checks.all[i].text);
				n_reasons++;
			}
	if (n_reasons == 0)
		report("  the program reached no OpenMP construct, or what started it removed OMP_TOOL_LIBRARIES or OTTER_DIR "
		       "from its environment");
	check_free(&checks);
}

void report_dumps(const struct launch *launch, const struct survey_list *list, bool is_quiet)
{
	for (size_t i = 0; !is_quiet && i < list->n_surveys; i++)
		report_dump(&list->surveys[i]);
	if (list->n_surveys && !is_quiet) {
		report_stand_in(launch, list);
		report_rate(list);
	}
	if (list->n_surveys == 0)
		report_none(launch);
	else if (!is_quiet && launch->target.kind == TARGET_SCRIPT && !launch->gomp.is_replaced)
		report("%s is a script: what it started that uses gcc's libgomp was not recorded: %s", launch->target.path,
		       launch->gomp.reason);
}

int report_check(const struct launch *launch)
{
	static const char *const words[] = {
		[CHECK_GOOD] = "ok", [CHECK_WORTH_KNOWING] = "note", [CHECK_WARNING] = "warning", [CHECK_PROBLEM] = "PROBLEM"};
	struct checks checks;
	check_find(&checks, launch);
	enum check_kind worst = CHECK_GOOD;
	for (size_t i = 0; i < checks.n; i++) {
		printf("%-8s%s\n", words[checks.all[i].kind], checks.all[i].text);
		if (checks.all[i].kind > worst)
			worst = checks.all[i].kind;
	}
	check_free(&checks);
	static const char *const verdicts[] = {[CHECK_GOOD] = "A trace can be made.",
					       [CHECK_WORTH_KNOWING] = "A trace can be made.",
					       [CHECK_WARNING] = "Whether a trace can be made shows when it runs.",
					       [CHECK_PROBLEM] = "A trace cannot be made."};
	printf("%s\n", verdicts[worst]);
	return worst == CHECK_PROBLEM ? 1 : 0;
}
