/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/gomp.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/launch/elf.h"
#include "recorder/launch/libraries.h"
#include "recorder/launch/variable.h"

#define LIBOMP_NAME  "libomp.so.5" /* the one that the library needs */
#define LIBRARY_NAME "libotter-gomp.so"
#define AUDIT_NAME   "libotter-audit.so"

/* Leaves libgomp alone. */
static bool __attribute__((format(printf, 2, 3))) leave(struct gomp *gomp, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(gomp->reason, sizeof gomp->reason, format, arguments);
	va_end(arguments);
	return false;
}

static bool can_preload(const char *path)
{
	return access(path, R_OK) == 0 && !strpbrk(path, ": \t\n");
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;
	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev;
}

/* Returns the LD_LIBRARY_PATH with the folders that are needed before ours; the caller frees it. NULL: no memory. */
static char *search_path(const struct gomp *gomp)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	char *path;
	return asprintf(&path, "%s%s%s%s%s", gomp->folder, gomp->libomp_dir[0] ? ":" : "", gomp->libomp_dir, old && *old ? ":" : "",
			old && *old ? old : "") < 0
		       ? NULL
		       : path;
}

/* Lets the loader find the library and its libomp for a program that needs nothing, which is the launcher. */
static void locate(struct gomp *gomp)
{
	struct libraries libraries;
	char *search = search_path(gomp), *preload;
	gomp->library[0] = gomp->libomp[0] = '\0';
	if (asprintf(&preload, "%s/" LIBRARY_NAME, gomp->folder) < 0)
		preload = NULL;
	if (search && preload && libraries_begin(&libraries, NULL, search, preload)) {
		while (libraries_next(&libraries)) {
			const char *name = libraries_base(libraries.name);
			if (strcmp(name, LIBRARY_NAME) == 0 && libraries.path[0] == '/')
				strcpy(gomp->library, libraries.path);
			else if (strcmp(name, LIBOMP_NAME) == 0 && libraries.path[0] == '/')
				strcpy(gomp->libomp, libraries.path);
		}
		libraries_end(&libraries);
	}
	free(search);
	free(preload);
}

static bool find_library(struct gomp *gomp, const char *recorder)
{
	const char *slash = strrchr(recorder, '/');
	int length = slash ? (int)(slash - recorder) : 0;
	if (snprintf(gomp->folder, sizeof gomp->folder, "%.*s/otter/$LIB", length, recorder) >= PATH_MAX ||
	    strpbrk(gomp->folder, ":; \t\n"))
		return leave(gomp, "the path of %s has a character that LD_PRELOAD cannot name", recorder);
	locate(gomp);
	return gomp->library[0] || leave(gomp,
					 "the loader does not find " LIBRARY_NAME " below %.*s/otter, which has libomp take "
					 "its place",
					 length, recorder);
}

/* Sets the folder of a libomp if it has it under the name that is needed. */
static bool use_folder_of(struct gomp *gomp, const char *libomp)
{
	char needed[PATH_MAX];
	const char *slash = strrchr(libomp, '/');
	int length = slash ? (int)(slash - libomp) : 0;
	if (!slash || strpbrk(libomp, ":;") || snprintf(needed, sizeof needed, "%.*s/" LIBOMP_NAME, length, libomp) >= PATH_MAX ||
	    !is_same_file(needed, libomp))
		return false;
	snprintf(gomp->libomp_dir, PATH_MAX, "%.*s", length, libomp);
	return true;
}

/* Takes OTTER_LIBOMP, what the loader finds, or the newest below /usr/lib. */
static bool find_libomp(struct gomp *gomp)
{
	static const char missing[] = "there is no LLVM " LIBOMP_NAME " to take its place%s%s (install libomp5-19, or name one in "
				      "OTTER_LIBOMP)";
	const char *given = getenv("OTTER_LIBOMP");
	if (given && *given) {
		if (!can_preload(given))
			return leave(gomp, missing, " at ", given);
		struct elf elf;
		elf_open(&elf, given);
		const char *soname = elf_soname(&elf);
		bool has_name = soname && strcmp(soname, LIBOMP_NAME) == 0;
		elf_close(&elf);
		if (gomp->libomp[0] && is_same_file(given, gomp->libomp))
			return true;
		gomp->is_libomp_preloaded = !use_folder_of(gomp, given) && has_name;
		snprintf(gomp->libomp, PATH_MAX, "%s", given);
		return gomp->libomp_dir[0] || has_name ||
		       leave(gomp, "OTTER_LIBOMP names %s, which is needed under the name " LIBOMP_NAME ": make a link beside it",
			     given);
	}
	glob_t all;
	if (!gomp->libomp[0] && glob("/usr/lib*/llvm-*/lib/" LIBOMP_NAME, 0, NULL, &all) == 0) {
		const char *newest = all.gl_pathv[0];
		for (size_t i = 1; i < all.gl_pathc; i++)
			if (strverscmp(all.gl_pathv[i], newest) > 0)
				newest = all.gl_pathv[i];
		if (use_folder_of(gomp, newest))
			snprintf(gomp->libomp, PATH_MAX, "%s", newest);
		globfree(&all);
	}
	return gomp->libomp[0] || leave(gomp, missing, "", "");
}

/* Puts the path of the system's libgomp, which programs without a libgomp of their own load; "" if it is not installed. */
static void find_libgomp(char path[PATH_MAX])
{
	struct libraries libraries;
	path[0] = '\0';
	if (!libraries_begin(&libraries, NULL, NULL, "libgomp.so.1"))
		return;
	while (libraries_next(&libraries))
		if (strcmp(libraries_base(libraries.name), "libgomp.so.1") == 0)
			strcpy(path, libraries.path);
	libraries_end(&libraries);
}

/* Versions for OpenACC and for plugins: a program with them keeps libgomp. */
static bool is_other_version(const char *version)
{
	return strstr(version, "OACC_") || strncmp(version, "GOMP_PLUGIN_", 12) == 0;
}

/* May the library take this libgomp's place? Not if devices would be used, or if a newer gcc's programs need more. */
static bool is_replaceable(struct gomp *gomp, const char *libgomp)
{
	char *pattern;
	glob_t plugins;
	const char *slash = strrchr(libgomp, '/');
	if (!slash)
		return true;
	if (asprintf(&pattern, "%.*s/libgomp-plugin-*.so*", (int)(slash - libgomp), libgomp) < 0)
		return leave(gomp, "there is no memory");
	bool has_plugin = glob(pattern, 0, NULL, &plugins) == 0;
	if (has_plugin) {
		leave(gomp, "it has a plugin for devices, %s, which libomp cannot use", plugins.gl_pathv[0]);
		globfree(&plugins);
	}
	free(pattern);
	if (has_plugin)
		return false;
	struct elf theirs, ours;
	elf_open(&theirs, libgomp);
	elf_open(&ours, gomp->library);
	const char *version;
	bool is_known = true;
	for (unsigned i = 0; is_known && (version = elf_version(&theirs, i)); i++) {
		const char *own;
		is_known = is_other_version(version) || strncmp(version, "libgomp.so", 10) == 0;
		for (unsigned j = 0; !is_known && (own = elf_version(&ours, j)); j++)
			is_known = strcmp(own, version) == 0;
		if (!is_known)
			leave(gomp, "%s is newer than this otter-record knows: it has version %s", libgomp, version);
	}
	elf_close(&ours);
	elf_close(&theirs);
	return is_known;
}

/* Does a program's own setting need what libomp does not do for gcc's code? */
static bool check_settings(struct gomp *gomp)
{
	const char *cancellation = getenv("OMP_CANCELLATION"), *offload = getenv("OMP_TARGET_OFFLOAD");
	if (cancellation && strcasecmp(cancellation, "true") == 0)
		return leave(gomp, "OMP_CANCELLATION is true: libomp ends a program of gcc's that cancels");
	return !offload || strcasecmp(offload, "mandatory") != 0 || leave(gomp, "OMP_TARGET_OFFLOAD is mandatory");
}

static bool check_target(struct gomp *gomp, const struct target *target)
{
	if (target->uses_openacc[0])
		return leave(gomp, "%s uses OpenACC, which libomp does not have", target->uses_openacc);
	return target->sanitizer != SANITIZER_THREADS ||
	       leave(gomp, "the program has ThreadSanitizer, whose reports depend on the runtime");
}

/* Would the program load libgomp in spite of the folder: by a path of its own, or later under another name? */
static bool needs_preload(const struct gomp *gomp, const struct target *target)
{
	if (!target->has_our_loader || target->sanitizer != SANITIZER_NONE || target->is_privileged)
		return false;
	if (gomp->is_libomp_preloaded || (target->kind == TARGET_SCRIPT))
		return true;
	if (target->libomp[0] || target->has_libomp_inside || target->has_libgomp_inside)
		/* A libomp that the user preloads is found before the library, and they answer different questions. */
		return target->libgomp[0] && variable_is_set("LD_PRELOAD");
	if (!target->libgomp[0])
		return true;
	struct libraries libraries;
	char *search = search_path(gomp);
	bool is_found = false;
	if (search && libraries_begin(&libraries, target->path, search, NULL)) {
		while (libraries_next(&libraries))
			is_found |= libraries.path[0] && is_same_file(libraries.path, gomp->library);
		libraries_end(&libraries);
	}
	free(search);
	return !is_found;
}

/* Returns why the loader is not to load the library for auditing; NULL: it may. */
static const char *audit_refusal(const struct gomp *gomp, const struct target *target)
{
	char path[PATH_MAX];
	const char *slash = strrchr(gomp->library, '/');
	if (!slash ||
	    snprintf(path, sizeof path, "%.*s/" AUDIT_NAME, (int)(slash - gomp->library), gomp->library) >= (int)sizeof path ||
	    access(path, R_OK) != 0)
		return AUDIT_NAME " is not beside " LIBRARY_NAME;
	if (target->sanitizer != SANITIZER_NONE)
		return "the program has a sanitizer, whose leak check ends an audited program";
	if (strcmp(libraries_base(target->path), "valgrind") == 0)
		return "valgrind reports errors of the loader's where it audits";
	if (target->kind == TARGET_DYNAMIC && !target->has_our_loader)
		return "the program has another loader than otter-record";
	return NULL;
}

void gomp_choose(struct gomp *gomp, const struct target *target, const char *recorder, const struct gomp_wishes *wishes)
{
	memset(gomp, 0, sizeof *gomp);
	if (!wishes->may_replace) {
		leave(gomp, "--no-libomp or --no-preload forbids that libomp takes its place");
	} else {
		find_libgomp(gomp->libgomp);
		gomp->is_replaced = check_settings(gomp) && check_target(gomp, target) && find_library(gomp, recorder) &&
				    find_libomp(gomp) && is_replaceable(gomp, gomp->libgomp) &&
				    is_replaceable(gomp, target->libgomp);
	}
	gomp->is_preloaded = gomp->is_replaced && needs_preload(gomp, target);
	if (!wishes->audits)
		return;
	const char *refusal = gomp->is_replaced ? audit_refusal(gomp, target) : gomp->reason;
	gomp->is_audited = !refusal;
	if (refusal)
		snprintf(gomp->audit_reason, sizeof gomp->audit_reason, "%s%s",
			 gomp->is_replaced ? "" : "libgomp is left alone: ", refusal);
}

/* Names the library for auditing, and to it the one that libgomp's names lead to. */
static bool apply_audit(const struct gomp *gomp)
{
	char *audit, real[PATH_MAX];
	if (!gomp->is_audited)
		return true;
	if (asprintf(&audit, "%s/" AUDIT_NAME, gomp->folder) < 0)
		return false;
	bool is_done = variable_prepend("LD_AUDIT", audit) &&
		       variable_set("OTTER_GOMP", realpath(gomp->library, real) ? real : gomp->library);
	free(audit);
	return is_done;
}

bool gomp_apply(const struct gomp *gomp)
{
	if (!gomp->is_replaced)
		return true;
	char *search = search_path(gomp), *preload = NULL;
	bool is_done = search && variable_set("LD_LIBRARY_PATH", search) &&
		       (!gomp->libgomp[0] || variable_set("OTTER_LIBGOMP", gomp->libgomp)) && apply_audit(gomp);
	free(search);
	if (!is_done || !gomp->is_preloaded)
		return is_done;
	if (asprintf(&preload, "%s/" LIBRARY_NAME "%s%s", gomp->folder, gomp->is_libomp_preloaded ? ":" : "",
		     gomp->is_libomp_preloaded ? gomp->libomp : "") < 0)
		return false;
	/* AddressSanitizer, in a program that this one starts, refuses to start after a preloaded library; this one has none of
	 * the functions that it wraps. */
	is_done = variable_prepend("LD_PRELOAD", preload) && variable_append("ASAN_OPTIONS", "verify_asan_link_order=0");
	free(preload);
	return is_done;
}
