/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library for the loader (LD_AUDIT, rtld-audit(7)), where `otter-record --audit` was given: whatever requests gcc's libgomp, under
 * any name or path, gets the library of recorder/gomp/. The loader calls it, in a name space and with a C library of its own,
 * under its own lock; it allocates and prints nothing.
 */
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/libgomp.h"

#define EXPORT    __attribute__((visibility("default")))
#define STAND_INS 8 /* as many as the Makefile makes */

static const char *library; /* that takes libgomp's place: OTTER_GOMP, which the launcher sets */

static bool begins(const char *name, const char *beginning)
{
	return strncmp(name, beginning, strlen(beginning)) == 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

EXPORT unsigned la_version(unsigned version);
EXPORT unsigned la_version(unsigned version)
{
	library = getenv("OTTER_GOMP");
	return !library || *library != '/' ? 0 : version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* A library that is needed under another name than libgomp.so.1. The loader looks for its versions in what it has found under that
 * very name, and knows a file under one such name at most. So each name gets a file of its own, which has the versions, and needs
 * the library. */
static const char *stand_in_for(const char *name)
{
	static struct {
		char name[NAME_MAX + 1], path[PATH_MAX];
	} all[STAND_INS]; /* the loader has one thread here at a time */
	const char *slash = strrchr(library, '/');
	for (int i = 0; i < STAND_INS; i++) {
		if (strcmp(all[i].name, name) == 0)
			return all[i].path;
		if (all[i].name[0])
			continue;
		int n = snprintf(all[i].path, PATH_MAX, "%.*s/libotter-name-%d.so", (int)(slash - library), library, i);
		if (strlen(name) > NAME_MAX || n >= PATH_MAX || access(all[i].path, R_OK) != 0)
			return NULL;
		strcpy(all[i].name, name);
		return all[i].path;
	}
	return NULL;
}

EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
	(void)cookie;
	/* Two slashes: recorder/gomp/ loads libgomp itself, for OpenACC. */
	if (flag != LA_SER_ORIG || begins(name, "//") || !libgomp_is_name(name))
		return (char *)name;
	bool is_usual = strcmp(base_of(name), "libgomp.so.1") == 0;
	const char *path = is_usual ? library : stand_in_for(base_of(name));
	return (char *)(path ? path : name);
}
