/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/launch/target.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "recorder/launch/elf.h"

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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Takes one library of the program; they come in the order in which the loader searches them. `path` is its name if no
 * more is known. */
static void add_library(struct target *target, const char *soname, const char *path)
{
	const char *name = base_name(soname);
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
	bool is_otter = strncmp(name, "libotter-", 9) == 0;
	target->has_otter |= is_otter;
	if (is_otter || target->own_tool[0] || path[0] != '/')
		return;
	struct elf elf;
	elf_open(&elf, path);
	if (elf_exports(&elf, "ompt_start_tool"))
		snprintf(target->own_tool, PATH_MAX, "%s", path);
	elf_close(&elf);
}

/* Returns the loader that started this launcher. */
static bool our_loader(char loader[PATH_MAX])
{
	struct elf elf;
	elf_open(&elf, "/proc/self/exe");
	const char *path = elf_interpreter(&elf);
	if (path)
		snprintf(loader, PATH_MAX, "%s", path);
	elf_close(&elf);
	return path != NULL;
}

/* Lets the loader list what it would load, as ldd does, and returns its output, NULL if that is not possible. `--list`
 * maps the program and its libraries and runs nothing of them. A program that asks for another loader is not given to
 * this one. */
static FILE *list_libraries(const char *program, const char *preload, pid_t *pid)
{
	char loader[PATH_MAX];
	int pipe_fd[2];
	if (!our_loader(loader) || pipe2(pipe_fd, O_CLOEXEC) != 0)
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(pipe_fd[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		if (preload)
			execl(loader, loader, "--preload", preload, "--list", program, (char *)NULL);
		else
			execl(loader, loader, "--list", program, (char *)NULL);
		_exit(127);
	}
	close(pipe_fd[1]);
	FILE *list = *pid < 0 ? NULL : fdopen(pipe_fd[0], "r");
	if (!list)
		close(pipe_fd[0]);
	return list;
}

/* Parses the next line of the list: "\tNAME => PATH (0xADDRESS)", "\tPATH (0xADDRESS)" or "\tNAME => not found" (an
 * empty path). */
static bool next_library(FILE *list, char soname[PATH_MAX], char path[PATH_MAX])
{
	char line[2 * PATH_MAX];
	while (fgets(line, sizeof line, list)) {
		char *name = line + strspn(line, " \t");
		char *address = strrchr(name, '(');
		if (address && address > name)
			address[-1] = '\0';
		name[strcspn(name, "\n")] = '\0';
		char *arrow = strstr(name, " => ");
		const char *where = arrow ? arrow + 4 : name;
		if (arrow)
			*arrow = '\0';
		if (strcmp(where, "not found") == 0)
			where = "";
		if (*name && strcmp(name, "statically linked") != 0) {
			snprintf(soname, PATH_MAX, "%s", name);
			snprintf(path, PATH_MAX, "%s", where);
			return true;
		}
	}
	return false;
}

static void examine_libraries(struct target *target, const struct elf *elf)
{
	char loader[PATH_MAX], soname[PATH_MAX], path[PATH_MAX];
	pid_t pid;
	bool is_ours = our_loader(loader) && strcmp(loader, elf_interpreter(elf)) == 0;
	FILE *list = is_ours ? list_libraries(target->path, NULL, &pid) : NULL;
	if (list) {
		while (next_library(list, soname, path)) {
			add_library(target, soname, path);
			if (!path[0] && !target->not_found[0])
				snprintf(target->not_found, sizeof target->not_found, "%s", soname);
		}
		fclose(list);
		int status;
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
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
	char capability[64];
	if (stat(path, &st) != 0)
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
		if (elf.n_bytes >= 2 && memcmp(elf.bytes, "#!", 2) == 0)
			target->kind = TARGET_SCRIPT;
		break;
	case ELF_UNREADABLE: break;
	}
	elf_close(&elf);
}

bool target_needs_libomp(const struct target *target)
{
	return target->libgomp[0] && target->is_gomp_first;
}

static bool can_preload(const char *path)
{
	return access(path, R_OK) == 0 && !strpbrk(path, ": \t\n");
}

bool target_find_libomp(const struct target *target, char path[PATH_MAX])
{
	const char *given = getenv("OTTER_LIBOMP");
	if (given && *given) {
		snprintf(path, PATH_MAX, "%s", given);
		return can_preload(path);
	}
	char soname[PATH_MAX];
	pid_t pid;
	bool is_found = false;
	FILE *list = list_libraries(target->path, "libomp.so.5", &pid);
	if (list) {
		while (!is_found && next_library(list, soname, path))
			is_found = path[0] == '/' && is_libomp(base_name(soname)) && can_preload(path);
		fclose(list);
		waitpid(pid, NULL, 0);
	}
	glob_t all;
	if (!is_found && glob("/usr/lib*/llvm-*/lib/libomp.so.5", 0, NULL, &all) == 0) {
		const char *newest = all.gl_pathv[0];
		for (size_t i = 1; i < all.gl_pathc; i++)
			if (strverscmp(all.gl_pathv[i], newest) > 0)
				newest = all.gl_pathv[i];
		snprintf(path, PATH_MAX, "%s", newest);
		is_found = can_preload(path);
		globfree(&all);
	}
	return is_found;
}
