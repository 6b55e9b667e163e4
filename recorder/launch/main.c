/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter-record: runs a program with the recorder attached and reports what was recorded. This file has the options, the
 * program's environment, and the order of the steps: target.c examines the program, run.c runs it, survey.c reads the
 * dumps, report.c reports them, keep.c puts the binaries into them, and check.c finds what may prevent a trace. There
 * is one thread. The launcher leaves nothing but the dumps.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/format.h"
#include "recorder/drain/disk_budget.h"
#include "recorder/launch/check.h"
#include "recorder/launch/ended.h"
#include "recorder/launch/keep.h"
#include "recorder/launch/mistake.h"
#include "recorder/launch/place.h"
#include "recorder/launch/report.h"
#include "recorder/launch/run.h"
#include "recorder/launch/variable.h"
#include "recorder/session/config.h"

/* Exit statuses of the launcher itself, the same as those of env(1), timeout(1) and shells. */
enum { STATUS_USAGE = 2, STATUS_NO_DIRECTORY = 123, STATUS_OWN_FAILURE = 125, STATUS_CANNOT_EXECUTE = 126, STATUS_NOT_FOUND = 127 };

enum {
	OPTION_CHECK = 256,
	OPTION_NO_LIBOMP,
	OPTION_NO_PRELOAD,
	OPTION_NO_BINARIES,
	OPTION_RUN_ANYWAY,
	OPTION_AUDIT,
	OPTION_VARIABLE /* and above: OPTION_VARIABLE + index into variables[] */
};

/* The recorder's settings: an option sets the variable of the same index. */
static const char *const variables[] = {"OTTER_DIR",    "OTTER_RING",    "OTTER_RING_DIR", "OTTER_DRAIN",
					"OTTER_FULL",   "OTTER_KEEP",    "OTTER_LIMIT",    "OTTER_RANKS",
					"OTTER_EVENTS", "OTTER_VERBOSE", "OTTER_SAMPLE",   "OTTER_PACK"};
#define N_VARIABLES (sizeof variables / sizeof *variables)

static const struct argp_option options[] = {
	{"dir", OPTION_VARIABLE + 0, "DIR", 0, "where dumps go (OTTER_DIR; the working directory)", 1},
	{"events", OPTION_VARIABLE + 8, "LIST", 0, "what is recorded: all, or the default with +GROUP,-GROUP (OTTER_EVENTS)", 1},
	{"ring", OPTION_VARIABLE + 1, "BYTES", 0, "memory of each thread's ring (OTTER_RING; 2M)", 1},
	{"ring-dir", OPTION_VARIABLE + 2, "DIR", 0, "where rings go, - for the dump (OTTER_RING_DIR; /dev/shm)", 1},
	{"drain", OPTION_VARIABLE + 3, "auto|self", 0,
	 "what writes full segments: a thread of the recorder on idle processors, or each thread itself (OTTER_DRAIN)", 1},
	{"full", OPTION_VARIABLE + 4, "wait|drop", 0,
	 "when the disk is slower than the program: threads wait, or records are dropped (OTTER_FULL)", 1},
	{"keep", OPTION_VARIABLE + 5, "all|newest", 0, "keep all records, or the newest within --limit (OTTER_KEEP)", 1},
	{"pack", OPTION_VARIABLE + 11, "auto|on|off", 0, "pack the dump: when the disk is too slow, always, or never (OTTER_PACK)",
	 1},
	{"limit", OPTION_VARIABLE + 6, "BYTES", 0, "the most that a process may write (OTTER_LIMIT)", 1},
	{"ranks", OPTION_VARIABLE + 7, "LIST", 0, "record only these MPI ranks, like 0,8-15 (OTTER_RANKS)", 1},
	{"sample", OPTION_VARIABLE + 10, "HZ[,wall|,cpu]", 0, "sample each thread's state HZ times a second (OTTER_SAMPLE)", 1},
	{"verbose", OPTION_VARIABLE + 9, NULL, 0, "the recorder prints the dump's name on stderr (OTTER_VERBOSE)", 1},
	{"check", OPTION_CHECK, NULL, 0, "run nothing; report whether PROGRAM can be recorded here, and if not, why", 2},
	{"no-libomp", OPTION_NO_LIBOMP, NULL, 0, "leave gcc's libgomp in place; what uses it is not recorded", 2},
	{"no-preload", OPTION_NO_PRELOAD, NULL, OPTION_ALIAS, NULL, 2},
	{"audit", OPTION_AUDIT, NULL, 0, "find each libgomp, also one that is loaded by its path (LD_AUDIT)", 2},
	{"no-binaries", OPTION_NO_BINARIES, NULL, 0, "do not keep the program and its libraries in the dump", 2},
	{"run-anyway", OPTION_RUN_ANYWAY, NULL, 0, "run PROGRAM, unrecorded, where no dump can be written", 2},
	{"quiet", 'q', NULL, 0, "no line for each dump; only a message if there is none", 2},
	{0},
};

struct request {
	char **argv; /* the program and its arguments */
	bool is_check;
	bool is_quiet;
	struct gomp_wishes wishes;
	bool keeps_binaries;
	bool runs_anyway;           /* also where no dump can be written */
	bool is_given[N_VARIABLES]; /* set by an option */
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct request *request = state->input;
	if (key >= OPTION_VARIABLE && (size_t)(key - OPTION_VARIABLE) < N_VARIABLES) {
		request->is_given[key - OPTION_VARIABLE] = true;
		if (setenv(variables[key - OPTION_VARIABLE], argument ? argument : "1", 1) != 0)
			argp_failure(state, STATUS_OWN_FAILURE, errno, "%s", variables[key - OPTION_VARIABLE]);
		return 0;
	}
	switch (key) {
	case OPTION_CHECK: request->is_check = true; return 0;
	case OPTION_NO_LIBOMP:
	case OPTION_NO_PRELOAD: request->wishes.may_replace = false; return 0;
	case OPTION_AUDIT: request->wishes.audits = true; return 0;
	case OPTION_NO_BINARIES: request->keeps_binaries = false; return 0;
	case OPTION_RUN_ANYWAY: request->runs_anyway = true; return 0;
	case 'q': request->is_quiet = true; return 0;
	case ARGP_KEY_ARG:
		/* The first word that is not an option is the program; all after it are the program's arguments. */
		request->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS: argp_error(state, "the name of a program is missing"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* The recorder is installed beside the launcher: bin/otter-record, lib/libotter-ompt.so. */
static void find_recorder(char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
	}
	if (snprintf(path, PATH_MAX, "%s/lib/libotter-ompt.so", self) >= PATH_MAX)
		path[0] = '\0';
}

static void print_version(FILE *stream, struct argp_state *state)
{
	(void)state;
	char path[PATH_MAX], version[64];
	fprintf(stream, "otter-record %s, dump format %s\n", OTTER_VERSION_STRING, FORMAT_VERSION_STRING);
	find_recorder(path);
	if (!check_recorder_version(path, version))
		fprintf(stream, "%s: no recorder there\n", path);
	else
		fprintf(stream, "%s: recorder %s%s\n", path, version,
			strcmp(version, RECORDER_VERSION) == 0 ? "" : ": another version than this launcher");
}

/* The same library, by the name under which it is preloaded. Empty: it is not there, or LD_PRELOAD cannot name its
 * path. */
static void find_abt(const char *recorder, char path[PATH_MAX])
{
	const char *slash = strrchr(recorder, '/');
	int length = slash ? (int)(slash - recorder) : 0;
	if (snprintf(path, PATH_MAX, "%.*s/libotter-abt.so", length, recorder) >= PATH_MAX || access(path, R_OK) != 0 ||
	    strpbrk(path, ": \t\n"))
		path[0] = '\0';
}

/* Sets OTTER_FREE: the space that was free at the start of the run, for all of its processes. The value of an outer
 * launcher for the same file system stays: its run began before. */
static bool note_free(const char *dir)
{
	char now[BUDGET_START_BYTES], part[PATH_MAX];
	place_part(dir, part); /* the recorder makes the directories that are missing */
	if (!budget_put_start(now, part))
		return true;
	const char *before = getenv("OTTER_FREE"), *which = before ? strchr(before, ' ') : NULL;
	const char *here = strchr(now, ' ');
	return (which && here && strcmp(which, here) == 0) || variable_set("OTTER_FREE", now);
}

/* Checks the settings. An option with a value that the recorder cannot use is an error of usage; for a variable that
 * was set before, the recorder writes a note. The directory is made absolute: a script may change its working directory
 * before it starts the program. */
static void apply_settings(const struct request *request, struct launch *launch)
{
	static struct config config;
	config_read(&config);
	for (char *line = config.notes, *end; (end = strchr(line, '\n')); line = end + 1)
		for (size_t i = 0; i < N_VARIABLES; i++) {
			size_t length = strlen(variables[i]);
			if (request->is_given[i] && strncmp(line, variables[i], length) == 0 &&
			    strncmp(line + length, ": unusable", 10) == 0) {
				/* After the value, the note says what is done instead. Here nothing is done. */
				while (end > line && *end != '"')
					end--;
				report("%.*s", (int)(end + 1 - line), line);
				exit(STATUS_USAGE);
			}
		}
	strcpy(launch->dir, config.dir);
	launch->is_in_job = place_is_in_job(config.rank);
	launch->has_switches = config.groups & UINT32_C(1) << GROUP_switch;
	strcpy(launch->ring_dir, config.ring_dir);
	launch->has_run = config.run[0] || config.rank >= 0;
}

/* Sets the environment in which a runtime finds the recorder, for the program and all that it starts. */
static bool attach(const struct launch *launch)
{
	/* Processes that the program starts belong to its run. In an MPI job, where each rank has a launcher, all ranks do. */
	return (launch->has_run || variable_set("OTTER_RUN", launch->id)) && variable_set("OTTER_DIR", launch->dir) &&
	       note_free(launch->dir) && (!launch->ring_dir[0] || variable_set("OTTER_RING_DIR", launch->ring_dir)) &&
	       variable_set("OTTER_LAUNCH", launch->id) && variable_set("OMP_TOOL", "enabled") &&
	       variable_prepend("OMP_TOOL_LIBRARIES", launch->recorder) && gomp_apply(&launch->gomp) &&
	       (!launch->abt[0] || variable_append("LD_PRELOAD", launch->abt)); /* other tools find ours after theirs */
}

/* Finds what the program will need. */
static void prepare(const struct request *request, struct launch *launch)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(launch->id, sizeof launch->id, "%d-%lld.%09ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
	find_recorder(launch->recorder);
	const char *tool = getenv("OMP_TOOL");
	launch->was_disabled = tool && strcmp(tool, "disabled") == 0;
	gomp_choose(&launch->gomp, &launch->target, launch->recorder, &request->wishes);
	if (launch->target.libabt[0] && !launch->target.has_otter)
		find_abt(launch->recorder, launch->abt);
	apply_settings(request, launch);
}

/* Returns the path of a program of a known kind. Any other file is for execvp(3), which may give it to a shell. */
static const char *path_to_run(const struct target *target)
{
	bool is_known = target->kind == TARGET_DYNAMIC || target->kind == TARGET_STATIC || target->kind == TARGET_FOREIGN;
	return is_known ? target->path : NULL;
}

static int report_not_run(const struct request *request, const struct target *target, int error)
{
	mistake_report(request->argv[0], target, error);
	return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_EXECUTE;
}

/* Runs the program without the recorder, and ends as it does. */
static _Noreturn void run_unrecorded(const struct request *request, const struct target *target)
{
	struct child child;
	int error = run_program(path_to_run(target), request->argv, false, &child);
	if (error)
		exit(report_not_run(request, target, error));
	run_end_alike(child.wait_status);
}

int main(int argc, char *argv[])
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[--] PROGRAM [ARGUMENT...]",
		.doc = "Runs PROGRAM with Otter's recorder attached to its OpenMP runtime, or to Argobots; each process writes a dump "
		       "for otter-build."
		       "\vThe exit status is the program's own; 2 wrong usage, 123 no dump can be written here, 125 otter-record itself "
		       "failed, 126 PROGRAM could "
		       "not be executed, 127 it was not found. With --check: 0 a trace can be made, 1 it cannot.",
	};
	struct request request = {.wishes.may_replace = true, .keeps_binaries = true};
	static struct launch launch;
	argp_err_exit_status = STATUS_USAGE;
	argp_program_version_hook = print_version;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);

	target_examine(&launch.target, request.argv[0]);
	prepare(&request, &launch);
	char part[PATH_MAX];
	int place = request.is_check ? 0 : place_error(launch.dir, part);
	if (place && !request.runs_anyway && !launch.is_in_job) {
		report("no dump can be written below %s: %s; %s was not run (--dir=DIR names another directory, --run-anyway runs it "
		       "unrecorded)",
		       part, strerror(place), request.argv[0]);
		return STATUS_NO_DIRECTORY;
	}
	if (place) {
		report("no dump can be written below %s: %s; %s runs unrecorded", part, strerror(place), request.argv[0]);
		run_unrecorded(&request, &launch.target);
	}
	if (!attach(&launch)) {
		report("%s", strerror(errno));
		return STATUS_OWN_FAILURE;
	}
	if (request.is_check)
		return report_check(&launch);
	char version[64];
	if (!check_recorder_version(launch.recorder, version)) {
		report("%s is not there, or is not Otter's recorder", launch.recorder);
		return STATUS_OWN_FAILURE;
	}
	if (strcmp(version, RECORDER_VERSION) != 0)
		report("the recorder is version %s, this launcher " RECORDER_VERSION, version);
	if (launch.gomp.is_replaced && target_needs_libomp(&launch.target))
		report("%s is linked to gcc's libgomp, which has no tools interface; LLVM's %s takes its place, and times may change",
		       request.argv[0], launch.gomp.libomp);
	if (launch.gomp.audit_reason[0])
		report("--audit is not used: %s", launch.gomp.audit_reason);
	else if (launch.gomp.is_audited && !target_needs_libomp(&launch.target))
		report("--audit: what %s starts may end in the leak check of a sanitizer, and valgrind reports errors of the loader's there",
		       request.argv[0]);
	if (launch.was_disabled)
		report("OMP_TOOL is \"disabled\" here; it is \"enabled\" for this run");

	if (check_may_warn(&launch) && !request.is_quiet)
		report("%s: " FLANG_WARNING, request.argv[0]);

	struct child child;
	time_t since = time(NULL) - 3600; /* a file server's clock may be wrong by some minutes */
	int error = run_program(path_to_run(&launch.target), request.argv, launch.has_switches, &child);
	if (error)
		return report_not_run(&request, &launch.target, error);
	struct survey_list list;
	survey_find(&list, launch.dir, launch.id, since);
	report_dumps(&launch, &list, request.is_quiet);
	signal(SIGXFSZ, SIG_IGN); /* a write that RLIMIT_FSIZE does not allow fails, and the status stays the program's */
	ended_note(&list, &child);
	if (request.keeps_binaries)
		keep_binaries(&list);
	survey_free(&list);
	run_end_alike(child.wait_status);
}
