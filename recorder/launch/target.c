/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "recorder/launch/elf.h"
#include "recorder/launch/libraries.h"

/* Searches as execvp(3) does: in PATH, if the name has no slash. Takes the first file that may be executed, else the
 * first that is there. */
static enum target_kind find(const char *name, char found[PATH_MAX])
{
	found[0] = '\0';
	const char *path = getenv("PATH");
	if (!path)
		path = "/bin:/usr/bin";
	bool is_searched = *name && !strchr(name, '/');
	for (const char *dir = is_searched ? path : "";;) {
		size_t length = strcspn(dir, ":");
		char candidate[PATH_MAX];
		int n = snprintf(candidate, sizeof candidate, "%.*s%s%s", (int)length, dir, length ? "/" : "", name);
		struct stat st;
		if (n < PATH_MAX && stat(candidate, &st) == 0 && S_ISREG(st.st_mode)) {
			bool is_first = !found[0];
			if (is_first || access(candidate, X_OK) == 0)
				strcpy(found, candidate);
			if (access(candidate, X_OK) == 0)
				return TARGET_OTHER;
		} else if (!is_searched && (errno == EACCES || (n < PATH_MAX && access(candidate, F_OK) == 0))) {
			strcpy(found, candidate);
		}
		if (!is_searched || dir[length] == '\0')
			return found[0] ? TARGET_NOT_EXECUTABLE : TARGET_MISSING;
		dir += length + 1;
	}
}

/* LLVM's runtime under any of its names, Intel's included; a version may follow. */
static bool is_libomp(const char *soname)
{
	return strncmp(soname, "libomp.so", 9) == 0 || strncmp(soname, "libiomp5.so", 11) == 0;
}

static bool is_libgomp(const char *soname)
{
	return strncmp(soname, "libgomp.so", 10) == 0;
}

/* OpenACC's entries have versions of their own. */
static void note_openacc(struct target *target, const struct elf *elf, const char *path)
{
	if (!target->uses_openacc[0] && (elf_needs_version(elf, "GOACC_") || elf_needs_version(elf, "OACC_")))
		snprintf(target->uses_openacc, PATH_MAX, "%s", path);
}

static enum sanitizer sanitizer_of(const char *name)
{
	static const char *const others[] = {"libasan.so", "libhwasan.so", "liblsan.so", "libclang_rt.asan", "libclang_rt.hwasan"};
	if (strncmp(name, "libtsan.so", 10) == 0 || strncmp(name, "libclang_rt.tsan", 16) == 0)
		return SANITIZER_THREADS;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return SANITIZER_OTHER;
	return SANITIZER_NONE;
}

/* Takes one library of the program, in the order in which the loader searches them. `path` is its name if no more is known. */
static void add_library(struct target *target, const char *soname, const char *path)
{
	const char *name = libraries_base(soname);
	if (is_libomp(name) && !target->libomp[0]) {
		snprintf(target->libomp, PATH_MAX, "%s", path);
		target->is_gomp_first = target->libgomp[0] != '\0';
		return;
	}
	if (is_libgomp(name) && !target->libgomp[0]) {
		snprintf(target->libgomp, PATH_MAX, "%s", path);
		target->is_gomp_first = target->libomp[0] == '\0';
	}
	if (strncmp(name, "libabt.so", 9) == 0 && !target->libabt[0])
		snprintf(target->libabt, PATH_MAX, "%s", path);
	if (target->sanitizer == SANITIZER_NONE)
		target->sanitizer = sanitizer_of(name);
	bool is_otter = strncmp(name, "libotter-", 9) == 0;
	target->has_otter |= is_otter;
	if (is_otter || target->own_tool[0] || path[0] != '/')
		return;
	struct elf elf;
	elf_open(&elf, path);
	if (elf_exports(&elf, "ompt_start_tool"))
		snprintf(target->own_tool, PATH_MAX, "%s", path);
	note_openacc(target, &elf, path);
	elf_close(&elf);
}

static bool names_our_loader(const struct elf *elf)
{
	char loader[PATH_MAX];
	const char *named = elf_interpreter(elf);
	return named && libraries_loader(loader) && strcmp(loader, named) == 0;
}

/* Examines what executes a script: the first word after "#!". */
static void examine_interpreter(struct target *target, const struct elf *script)
{
	const char *start = (const char *)script->bytes + 2, *end = (const char *)script->bytes + script->n_bytes;
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	size_t length = 0;
	while (start + length < end && !strchr(" \t\r\n", start[length]))
		length++;
	char path[PATH_MAX];
	if (length >= sizeof path)
		return;
	memcpy(path, start, length);
	path[length] = '\0';
	strcpy(target->executor, path);
	struct elf elf;
	if (elf_open(&elf, path) == ELF_OURS)
		target->has_our_loader = names_our_loader(&elf);
	elf_close(&elf);
}

static void examine_libraries(struct target *target, const struct elf *elf)
{
	struct libraries libraries;
	if (target->has_our_loader && libraries_begin(&libraries, target->path, NULL, NULL)) {
		while (libraries_next(&libraries)) {
			add_library(target, libraries.name, libraries.path);
			if (!libraries.path[0] && !target->not_found[0])
				snprintf(target->not_found, sizeof target->not_found, "%s", libraries.name);
		}
		if (libraries_end(&libraries))
			return;
	}
	/* Takes at least the libraries that the program itself names; those that they need stay unknown. */
	const char *needed;
	for (unsigned i = 0; (needed = elf_needed(elf, i)); i++)
		add_library(target, needed, needed);
}

/* Will the kernel give it privileges that we do not have? */
static bool is_privileged(const char *path)
{
	struct stat st;
	struct statvfs fs;
	char capability[64];
	if (stat(path, &st) != 0 || statvfs(path, &fs) != 0 || fs.f_flag & ST_NOSUID || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) || (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", capability, sizeof capability) > 0);
}

static void examine_elf(struct target *target, const struct elf *elf)
{
	target->is_privileged = is_privileged(target->path);
	target->has_libomp_inside = elf_defines(elf, "__kmpc_fork_call");
	target->has_libabt_inside = elf_defines(elf, "ABT_init");
	target->is_flangs = elf_defines(elf, "_FortranAProgramStart"); /* its own library is linked statically */
	target->has_libgomp_inside = !target->has_libomp_inside && elf_defines(elf, "GOMP_parallel");
	if (elf_exports(elf, "ompt_start_tool") && !target->has_libomp_inside)
		strcpy(target->own_tool, target->path);
	if (elf_interpreter(elf))
		snprintf(target->executor, PATH_MAX, "%s", elf_interpreter(elf));
	target->has_our_loader = names_our_loader(elf);
	if (elf_defines(elf, "__tsan_init"))
		target->sanitizer = SANITIZER_THREADS;
	else if (elf_defines(elf, "__asan_init"))
		target->sanitizer = SANITIZER_OTHER;
	note_openacc(target, elf, target->path);
	target->kind = elf_interpreter(elf) ? TARGET_DYNAMIC : TARGET_STATIC;
	if (target->kind == TARGET_DYNAMIC)
		examine_libraries(target, elf);
}

void target_examine(struct target *target, const char *name)
{
	memset(target, 0, sizeof *target);
	target->kind = find(name, target->path);
	if (target->kind != TARGET_OTHER)
		return;
	struct elf elf;
	switch (elf_open(&elf, target->path)) {
	case ELF_OURS: examine_elf(target, &elf); break;
	case ELF_FOREIGN: target->kind = TARGET_FOREIGN; break;
	case ELF_NOT:
		if (elf.n_bytes >= 2 && memcmp(elf.bytes, "#!", 2) == 0) {
			target->kind = TARGET_SCRIPT;
			examine_interpreter(target, &elf);
		}
		break;
	case ELF_UNREADABLE: break;
	}
	elf_close(&elf);
}

bool target_needs_libomp(const struct target *target)
{
	return target->libgomp[0] && target->is_gomp_first;
}
