/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/format.h"
#include "recorder/drain/disk_budget.h"
#include "recorder/launch/elf.h"
#include "recorder/launch/place.h"
#include "recorder/session/config.h"

static void __attribute__((format(printf, 3, 4))) add(struct checks *checks, enum check_kind kind, const char *format, ...)
{
	if (checks->n == CHECKS_MAX)
		return;
	va_list arguments;
	va_start(arguments, format);
	struct check *check = &checks->all[checks->n];
	check->kind = kind;
	if (vasprintf(&check->text, format, arguments) >= 0)
		checks->n++;
	va_end(arguments);
}

bool check_recorder_version(const char *path, char version[64])
{
	static const char mark[] = "otter-recorder ";
	struct elf elf;
	elf_open(&elf, path);
	const char *at = elf.bytes ? memmem(elf.bytes, elf.n_bytes, mark, sizeof mark - 1) : NULL;
	if (at) {
		at += sizeof mark - 1;
		size_t rest = (size_t)((const char *)elf.bytes + elf.n_bytes - at);
		snprintf(version, 64, "%.*s", (int)(rest < 63 ? rest : 63), at);
	}
	elf_close(&elf);
	return at != NULL;
}

static void check_recorder(struct checks *checks, const struct launch *launch)
{
	char version[64];
	if (access(launch->recorder, R_OK) != 0)
		add(checks, CHECK_PROBLEM, "the recorder %s cannot be read: %s", launch->recorder, strerror(errno));
	else if (strchr(launch->recorder, ':'))
		add(checks, CHECK_PROBLEM, "the recorder %s cannot be named to the runtime: its path has a colon",
		    launch->recorder);
	else if (!check_recorder_version(launch->recorder, version))
		add(checks, CHECK_PROBLEM, "%s is not Otter's recorder", launch->recorder);
	else if (strcmp(version, RECORDER_VERSION) != 0)
		add(checks, CHECK_WARNING, "the recorder is version %s, this launcher " RECORDER_VERSION, version);
	else
		add(checks, CHECK_GOOD, "recorder %s (%s)", launch->recorder, version);
}

bool check_may_warn(const struct launch *launch)
{
	static struct config config;
	config_read(&config);
	return launch->target.is_flangs && config.groups & UINT32_C(1) << GROUP_work;
}

/* Returns true if the program uses Argobots; then it may do without OpenMP. */
static bool check_argobots(struct checks *checks, const struct launch *launch)
{
	const struct target *target = &launch->target;
	if (target->has_libabt_inside && !target->has_otter)
		add(checks, CHECK_PROBLEM,
		    "Argobots is linked into it statically: to be recorded it has to be linked to libotter-abt.so (otter(7))");
	else if (target->libabt[0] && !launch->abt[0] && !target->has_otter)
		add(checks, CHECK_PROBLEM,
		    "it is linked to Argobots, and there is no libotter-abt.so beside %s that can be preloaded", launch->recorder);
	else if (target->libabt[0])
		add(checks, CHECK_GOOD, "Argobots %s", target->libabt);
	return target->libabt[0] || target->has_libabt_inside;
}

static void check_runtime(struct checks *checks, const struct launch *launch)
{
	const struct target *target = &launch->target;
	bool has_argobots = check_argobots(checks, launch);
	if (launch->gomp.is_replaced && target_needs_libomp(target))
		add(checks, CHECK_WORTH_KNOWING,
		    "it is linked to gcc's libgomp, which has no tools interface: LLVM's %s takes its place, and times may change",
		    launch->gomp.libomp);
	else if (target_needs_libomp(target))
		add(checks, CHECK_PROBLEM, "it is linked to gcc's libgomp, which has no tools interface, and is left alone: %s",
		    launch->gomp.reason);
	else if (target->libomp[0])
		add(checks, CHECK_GOOD, "OpenMP runtime %s", target->libomp);
	else if (target->has_libgomp_inside)
		add(checks, CHECK_PROBLEM,
		    "gcc's libgomp is linked into it statically: it has no tools interface, and cannot be replaced");
	else if (target->has_libomp_inside && target->kind == TARGET_STATIC)
		add(checks, CHECK_PROBLEM, "it and its OpenMP runtime are linked statically: that runtime cannot load a recorder");
	else if (target->has_libomp_inside)
		add(checks, CHECK_GOOD, "LLVM's OpenMP runtime is linked into it");
	else if (target->kind == TARGET_STATIC)
		add(checks, CHECK_PROBLEM, "it is linked statically: a recorder cannot be loaded into it");
	else if (target->kind == TARGET_DYNAMIC && !has_argobots)
		add(checks, CHECK_WARNING,
		    "it is not linked to an OpenMP runtime (compiled without -fopenmp?); one that it loads later, or that a program it "
		    "starts has, is recorded if it has the environment of otter-record%s%s",
		    launch->gomp.is_replaced ? "" : ", but not gcc's libgomp: ", launch->gomp.reason);
}

static void check_target(struct checks *checks, const struct launch *launch)
{
	const struct target *target = &launch->target;
	switch (target->kind) {
	case TARGET_MISSING: add(checks, CHECK_PROBLEM, "there is no such program"); return;
	case TARGET_NOT_EXECUTABLE: add(checks, CHECK_PROBLEM, "%s may not be executed", target->path); return;
	case TARGET_FOREIGN:
		add(checks, CHECK_PROBLEM, "%s is for another processor or word size than the recorder", target->path);
		return;
	case TARGET_SCRIPT:
		add(checks, CHECK_WARNING, "%s is a script: what it starts is recorded%s%s", target->path,
		    launch->gomp.is_replaced ? "" : ", but not what uses gcc's libgomp: ", launch->gomp.reason);
		return;
	case TARGET_OTHER: add(checks, CHECK_WARNING, "%s is not a program of a known kind", target->path); return;
	case TARGET_STATIC:
	case TARGET_DYNAMIC: add(checks, CHECK_GOOD, "program %s", target->path); break;
	}
	check_runtime(checks, launch);
	if (target->own_tool[0])
		add(checks, CHECK_PROBLEM, "%s defines ompt_start_tool: it is a tool itself, and is found before any other",
		    target->own_tool);
	if (check_may_warn(launch))
		add(checks, CHECK_WORTH_KNOWING, FLANG_WARNING);
	if (target->is_privileged)
		add(checks, CHECK_PROBLEM,
		    "%s runs with privileges of its own (set-user-id, set-group-id or capabilities): it is not recorded",
		    target->path);
	if (target->not_found[0])
		add(checks, CHECK_PROBLEM, "the loader does not find its library %s", target->not_found);
}

/* `has_limit`: the user has set a limit, or the size is known; then the message does not say how much a run takes. */
static void check_dir(struct checks *checks, const char *what, const char *dir, bool has_limit)
{
	char part[PATH_MAX];
	struct statfs fs;
	int error = place_error(dir, part);
	if (error || statfs(part, &fs) != 0) {
		add(checks, CHECK_PROBLEM, "the %s directory %s cannot be written: %s", what, part,
		    strerror(error ? error : errno));
		return;
	}
	uint64_t free_bytes = budget_free(&fs);
	bool is_short = free_bytes < 2 * BUDGET_LEFT_MIN;
	add(checks, is_short ? CHECK_PROBLEM : CHECK_GOOD, "%s directory %s, %.1f GB free%s", what, dir, (double)free_bytes / 1e9,
	    is_short    ? ": that is too little"
	    : has_limit ? ""
			: ", of which a run takes half at most");
}

static void check_settings(struct checks *checks, const struct launch *launch)
{
	static struct config config;
	config_read(&config);
	for (char *line = config.notes, *end; (end = strchr(line, '\n')); line = end + 1)
		add(checks, CHECK_WORTH_KNOWING, "%.*s", (int)(end - line), line);
	if (!config_is_rank_selected(&config))
		add(checks, CHECK_PROBLEM, "OTTER_RANKS=%s does not select this rank, %lld", config.ranks, (long long)config.rank);
	check_dir(checks, "dump", launch->dir, config.has_limit || config.keeps_newest);
	if (config.ring_dir[0])
		check_dir(checks, "ring", config.ring_dir, true);
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		add(checks,
		    limit.rlim_cur < (rlim_t)RING_SEGMENTS * config.segment_bytes + RING_CONTROL_BYTES ? CHECK_PROBLEM
												       : CHECK_WARNING,
		    "files may not grow beyond %.1f MB here (ulimit -f)", (double)limit.rlim_cur / 1e6);
	if (launch->gomp.audit_reason[0])
		add(checks, CHECK_WORTH_KNOWING, "--audit is not used: %s", launch->gomp.audit_reason);
	if (launch->was_disabled)
		add(checks, CHECK_WORTH_KNOWING, "OMP_TOOL was \"disabled\"; it is \"enabled\" for this run");
}

void check_find(struct checks *checks, const struct launch *launch)
{
	checks->n = 0;
	check_target(checks, launch);
	check_recorder(checks, launch);
	check_settings(checks, launch);
}

void check_free(struct checks *checks)
{
	for (size_t i = 0; i < checks->n; i++)
		free(checks->all[i].text);
	checks->n = 0;
}
