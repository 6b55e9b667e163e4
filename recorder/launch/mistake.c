/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/mistake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/launch/elf.h"
#include "recorder/launch/report.h"

/* There is no such program. */
static void report_missing(const char *name, int error)
{
	char here[PATH_MAX];
	size_t word = strcspn(name, " \t");
	const char *equals = strchr(name, '=');
	snprintf(here, sizeof here, "./%s", name);
	if (equals && !memchr(name, '/', (size_t)(equals - name)))
		report("%s: %s (a variable is set before otter-record, or by env: otter-record env %s PROGRAM)", name,
		       strerror(error), name);
	else if (name[word])
		report("%s: %s (one word is the program, and each argument another: otter-record %s without quotes around it)",
		       name, strerror(error), name);
	else if (!strchr(name, '/') && access(here, X_OK) == 0)
		report("%s: %s in PATH (the one in this directory is %s)", name, strerror(error), here);
	else
		report("%s: %s", name, strerror(error));
}

/* Is there such a directory with a dump? */
static bool is_dump(const char *path)
{
	char meta[PATH_MAX];
	return snprintf(meta, sizeof meta, "%s/meta", path) < PATH_MAX && access(meta, F_OK) == 0;
}

/* The file is there. */
static void report_unusable(const char *name, const struct target *target, int error)
{
	struct stat st;
	bool is_there = stat(target->path, &st) == 0;
	if (is_there && S_ISDIR(st.st_mode))
		report("%s: it is a directory%s", name, is_dump(target->path) ? ", a dump: see otter-build(1)" : "");
	else if (is_there && error == ENOENT && target->executor[0])
		report("%s: %s, which executes it, is not there", name, target->executor);
	else if (is_there && error == EACCES && access(target->path, X_OK) != 0)
		report("%s: %s (it has no permission to be executed: is it the program that the compiler made?)", name,
		       strerror(error));
	else if (is_there && target->kind == TARGET_FOREIGN)
		report("%s: %s (it is for another processor or word size)", name, strerror(error));
	else
		report("%s: %s", name, strerror(error));
}

void mistake_report(const char *name, const struct target *target, int error)
{
	if (target->path[0])
		report_unusable(name, target, error);
	else
		report_missing(name, error);
}
