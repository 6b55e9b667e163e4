/* SPDX-License-Identifier: BSD-3-Clause
 *
 * otter-record: runs a program with the recorder attached and reports what was recorded. This file has the options, the
 * program's environment, and the order of the steps: target.c examines the program, run.c runs it, survey.c and
 * report.c look at the dumps, keep.c puts the binaries into them, and check.c finds what may prevent a trace. There is one thread. The launcher leaves
 * nothing behind but the dumps.
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
#include "recorder/config.h"
#include "recorder/launch/check.h"
#include "recorder/launch/keep.h"
#include "recorder/launch/report.h"
#include "recorder/launch/run.h"
#include "recorder/room.h"

/* Exit statuses of the launcher itself, the same as those of env(1), timeout(1) and shells. */
enum { STATUS_USAGE = 2, STATUS_OWN_FAILURE = 125, STATUS_CANNOT_EXECUTE = 126, STATUS_NOT_FOUND = 127 };

enum {
	OPTION_CHECK = 256,
	OPTION_NO_PRELOAD,
	OPTION_NO_BINARIES,
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
	{"ring-dir", OPTION_VARIABLE + 2, "DIR", 0, "where rings are, a tmpfs for example (OTTER_RING_DIR; the dump)", 1},
	{"drain", OPTION_VARIABLE + 3, "auto|self", 0,
	 "who writes full rings: a thread of lowest priority, or each thread itself (OTTER_DRAIN)", 1},
	{"full", OPTION_VARIABLE + 4, "wait|drop", 0, "when the disk is slower than the program (OTTER_FULL)", 1},
	{"keep", OPTION_VARIABLE + 5, "all|newest", 0, "everything, or the newest records within --limit (OTTER_KEEP)", 1},
	{"pack", OPTION_VARIABLE + 11, "auto|on|off", 0, "small dumps: when the disk is too slow, always, or never (OTTER_PACK)",
	 1},
	{"limit", OPTION_VARIABLE + 6, "BYTES", 0, "the most that a process may write (OTTER_LIMIT)", 1},
	{"ranks", OPTION_VARIABLE + 7, "LIST", 0, "record only these MPI ranks, like 0,8-15 (OTTER_RANKS)", 1},
	{"sample", OPTION_VARIABLE + 10, "HZ[,wall|,cpu]", 0,
	 "ask the runtime for each thread's state HZ times a second (OTTER_SAMPLE)", 1},
	{"verbose", OPTION_VARIABLE + 9, NULL, 0, "the recorder tells on stderr what it does (OTTER_VERBOSE)", 1},
	{"check", OPTION_CHECK, NULL, 0, "run nothing; tell whether PROGRAM can be recorded here, and if not, why", 2},
	{"no-preload", OPTION_NO_PRELOAD, NULL, 0, "leave gcc's libgomp in place (then nothing can be recorded)", 2},
	{"no-binaries", OPTION_NO_BINARIES, NULL, 0, "do not keep the program and its libraries in the dump", 2},
	{"quiet", 'q', NULL, 0, "no line for each dump; tell only if there is none", 2},
	{0},
};

struct request {
	char **argv; /* the program and its arguments */
	bool is_check;
	bool is_quiet;
	bool may_preload;
	bool keeps_binaries;
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
	case OPTION_NO_PRELOAD: request->may_preload = false; return 0;
	case OPTION_NO_BINARIES: request->keeps_binaries = false; return 0;
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

static bool set(const char *name, const char *value)
{
	return setenv(name, value, 1) == 0;
}

/* Puts `first` before what the variable already contains. */
static bool prepend(const char *name, const char *first)
{
	const char *old = getenv(name);
	char *both;
	if (asprintf(&both, "%s%s%s", first, old && *old ? ":" : "", old ? old : "") < 0)
		return false;
	bool is_set = set(name, both);
	free(both);
	return is_set;
}

/* Tells all processes of the run what was free at its start. What an outer launcher has told about the same file system
 * stays: its run began before. */
static bool note_free(const char *dir)
{
	char now[ROOM_START_BYTES];
	if (!room_put_start(now, dir))
		return true;
	const char *before = getenv("OTTER_FREE"), *which = before ? strchr(before, ' ') : NULL;
	return (which && strcmp(which, strchr(now, ' ')) == 0) || set("OTTER_FREE", now);
}

/* If an option has a value that the recorder could not use, that is an error of usage; if a variable was set before,
 * the recorder notes it. The directory is made absolute: a script may change its working directory before it starts the
 * program. */
static bool apply_settings(const struct request *request, struct launch *launch)
{
	static struct config config;
	config_read(&config);
	for (char *line = config.notes, *end; (end = strchr(line, '\n')); line = end + 1)
		for (size_t i = 0; i < N_VARIABLES; i++) {
			size_t length = strlen(variables[i]);
			if (request->is_given[i] && strncmp(line, variables[i], length) == 0 &&
			    strncmp(line + length, ": unusable", 10) == 0) {
				/* After the value, the note tells what is done instead. Here nothing is done. */
				while (end > line && *end != '"')
					end--;
				report("%.*s", (int)(end + 1 - line), line);
				exit(STATUS_USAGE);
			}
		}
	strcpy(launch->dir, config.dir);
	launch->has_switches = config.groups & UINT32_C(1) << GROUP_switch;
	/* What the program starts belongs to its run. Of an MPI job, where each rank has a launcher, all ranks do. */
	bool is_in_job = config.run[0] || config.rank >= 0;
	return (is_in_job || set("OTTER_RUN", launch->id)) && set("OTTER_DIR", config.dir) && note_free(config.dir) &&
	       (!config.ring_dir[0] || set("OTTER_RING_DIR", config.ring_dir));
}

/* Sets the environment in which a runtime finds the recorder, for the program and all that it starts. */
static bool prepare(const struct request *request, struct launch *launch)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(launch->id, sizeof launch->id, "%d-%lld.%09ld", (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
	find_recorder(launch->recorder);
	const char *tool = getenv("OMP_TOOL");
	launch->was_disabled = tool && strcmp(tool, "disabled") == 0;
	launch->may_preload = request->may_preload;
	if (target_needs_libomp(&launch->target) && launch->may_preload)
		launch->is_preloading = target_find_libomp(&launch->target, launch->libomp);
	if (launch->target.libabt[0] && !launch->target.has_otter)
		find_abt(launch->recorder, launch->abt);
	return apply_settings(request, launch) && set("OTTER_LAUNCH", launch->id) && set("OMP_TOOL", "enabled") &&
	       prepend("OMP_TOOL_LIBRARIES", launch->recorder) &&
	       (!launch->is_preloading || prepend("LD_PRELOAD", launch->libomp)) &&
	       (!launch->abt[0] || prepend("LD_PRELOAD", launch->abt));
}

int main(int argc, char *argv[])
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[--] PROGRAM [ARGUMENT...]",
		.doc = "Runs PROGRAM with Otter's recorder attached to its OpenMP runtime, or to Argobots; each process writes a dump "
		       "for otter-build."
		       "\vThe exit status is the program's own; 2 wrong usage, 125 otter-record itself failed, 126 PROGRAM could "
		       "not be executed, 127 it was not found. With --check: 0 a trace can be made, 1 it cannot.",
	};
	struct request request = {.may_preload = true, .keeps_binaries = true};
	static struct launch launch;
	argp_err_exit_status = STATUS_USAGE;
	argp_program_version_hook = print_version;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);

	target_examine(&launch.target, request.argv[0]);
	if (!prepare(&request, &launch)) {
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
	if (launch.is_preloading)
		report("%s is linked to gcc's libgomp, which has no tools interface; LLVM's %s takes its place", request.argv[0],
		       launch.libomp);
	if (launch.was_disabled)
		report("OMP_TOOL is \"disabled\" here; it is \"enabled\" for this run");

	if (check_may_warn(&launch) && !request.is_quiet)
		report("%s: " FLANG_WARNING, request.argv[0]);

	int wait_status;
	time_t since = time(NULL) - 3600; /* a file server's clock may be wrong by some minutes */
	int error = run_program(request.argv, launch.has_switches, &wait_status);
	if (error) {
		report("%s: %s", request.argv[0], strerror(error));
		return error == ENOENT || error == ENOTDIR ? STATUS_NOT_FOUND : STATUS_CANNOT_EXECUTE;
	}
	struct survey_list list;
	survey_find(&list, launch.dir, launch.id, since);
	report_dumps(&launch, &list, request.is_quiet);
	signal(SIGXFSZ, SIG_IGN); /* a copy that RLIMIT_FSIZE does not allow is not kept, and the status stays the program's */
	if (request.keeps_binaries)
		keep_binaries(&list);
	survey_free(&list);
	run_end_alike(wait_status);
}
