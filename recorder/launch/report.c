/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void report(const char *format, ...)
{
	va_list arguments;
	char line[2 * PATH_MAX];
	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	fprintf(stderr, "otter-record: %s\n", line); /* in one piece, other processes write there too */
}

/* As short as it can be typed from here. */
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

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Tasks of OpenMP, units of Argobots, or both. */
static void put_work(char text[64], const struct survey *survey)
{
	int n = 0;
	if (survey->n_tasks || !survey->has_argobots)
		n = snprintf(text, 64, "%" PRIu64 " task%s", survey->n_tasks, plural(survey->n_tasks));
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
}

/* Why nothing was recorded, as far as it can be told from outside. */
static void report_none(const struct launch *launch)
{
	struct findings findings;
	check_find(&findings, launch);
	report("nothing was recorded");
	unsigned n_reasons = 0;
	for (enum finding_kind kind = FINDING_PROBLEM; n_reasons == 0 && kind >= FINDING_DOUBT; kind--)
		for (size_t i = 0; i < findings.n; i++)
			if (findings.all[i].kind == kind) {
				report("  %s", findings.all[i].text);
				n_reasons++;
			}
	if (n_reasons == 0)
		report("  the program ended before it came to an OpenMP construct, or a program before it took OMP_TOOL_LIBRARIES "
		       "or OTTER_DIR "
		       "out of its environment");
	check_free(&findings);
}

void report_dumps(const struct launch *launch, time_t since, bool is_quiet)
{
	struct survey_list list;
	survey_find(&list, launch->dir, launch->run, since);
	for (size_t i = 0; !is_quiet && i < list.n_surveys; i++)
		report_dump(&list.surveys[i]);
	if (list.n_surveys == 0)
		report_none(launch);
	else if (!is_quiet && launch->target.kind == TARGET_SCRIPT)
		report("%s is a script: if it started programs that gcc linked to libgomp, these were not recorded (see "
		       "otter-record(1))",
		       launch->target.path);
	survey_free(&list);
}

int report_check(const struct launch *launch)
{
	static const char *const words[] = {
		[FINDING_GOOD] = "ok", [FINDING_WORTH_KNOWING] = "note", [FINDING_DOUBT] = "doubt", [FINDING_PROBLEM] = "PROBLEM"};
	struct findings findings;
	check_find(&findings, launch);
	enum finding_kind worst = FINDING_GOOD;
	for (size_t i = 0; i < findings.n; i++) {
		printf("%-8s%s\n", words[findings.all[i].kind], findings.all[i].text);
		if (findings.all[i].kind > worst)
			worst = findings.all[i].kind;
	}
	check_free(&findings);
	static const char *const verdicts[] = {[FINDING_GOOD] = "A trace can be made.",
					       [FINDING_WORTH_KNOWING] = "A trace can be made.",
					       [FINDING_DOUBT] = "Whether a trace can be made shows when it runs.",
					       [FINDING_PROBLEM] = "A trace cannot be made."};
	printf("%s\n", verdicts[worst]);
	return worst == FINDING_PROBLEM ? 1 : 0;
}
