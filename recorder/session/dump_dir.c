/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/dump_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "common/event.h"
#include "common/rings.h"
#include "recorder/drain/disk_budget.h"
#include "recorder/drain/file.h"
#include "recorder/drain/kept.h"
#include "recorder/ring/nocow.h"
#include "recorder/session/environment.h"
#include "recorder/session/meta.h"
#include "recorder/session/session.h"
#include "recorder/system/proc.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

#define NAME_PART_BYTES 64 /* of the program and of the host, in the dump's name */
#define NAME_BYTES      256
#define NAME_TRIES      10000
#define MEMORY_DIR      "/dev/shm" /* for rings */

/* Puts characters that every file system and shell takes literally, and '_' for all others. */
static char *put_sanitized(char *out, const char *name)
{
	for (int i = 0; *name && i < NAME_PART_BYTES; i++, name++) {
		char c = *name;
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
				(i && (c == '-' || c == '.' || c == '+'));
		*out++ = is_plain ? c : '_';
	}
	return out;
}

/* Puts <program>-<host>[-r<rank>]-<pid>. */
static char *put_name(const struct config *config, char *out)
{
	char path[PATH_MAX];
	ssize_t n = sys_readlink("/proc/thread-self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	const char *slash = strrchr(path, '/');
	const char *program = slash ? slash + 1 : path;
	out = put_sanitized(out, *program ? program : "program");
	char host[NAME_PART_BYTES + 1] = "";
	sys_hostname(host, sizeof host);
	*out++ = '-';
	out = put_sanitized(out, *host ? host : "host");
	if (config->rank >= 0) {
		out = stpcpy(out, "-r");
		out = text_decimal(out, (uint64_t)config->rank, 1);
	}
	*out++ = '-';
	return text_decimal(out, (uint64_t)sys_getpid(), 1);
}

/* Makes `parent` and the directories above it that are missing. */
static void make_parents(const char *parent)
{
	char path[PATH_MAX];
	strcpy(path, parent);
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		sys_mkdir(path, 0700);
		*p = '/';
	}
	sys_mkdir(path, 0700);
}

/* Puts `parent`/`name`[-2...].otter. False: it is too long. */
static bool put_path(char out[PATH_MAX], const char *parent, const char *name, unsigned number)
{
	if (!*parent || strlen(parent) + 1 + strlen(name) + sizeof "-10000.otter/99999999.dseg" > PATH_MAX)
		return false;
	char *end = stpcpy(stpcpy(stpcpy(out, parent), strcmp(parent, "/") ? "/" : ""), name);
	if (number > 1) {
		*end++ = '-';
		end = text_decimal(end, number, 1);
	}
	strcpy(end, ".otter");
	return true;
}

/* Makes a new directory `parent`/`name`[-2...].otter: the first one from this number on. Returns the number that it ends with,
 * 1 if it ends with none; 0: it failed. */
static unsigned make_unique(const char *parent, const char *name, unsigned number, char out[PATH_MAX])
{
	bool has_parents = false;
	while (number <= NAME_TRIES && put_path(out, parent, name, number)) {
		int result = sys_mkdir(out, 0700);
		if (result == 0)
			return number;
		if (result == -ENOENT && !has_parents) {
			make_parents(parent);
			has_parents = true;
		} else if (result == -EEXIST) {
			number++;
		} else {
			break;
		}
	}
	return 0;
}

/* Is there room for the rings of twice as many threads as there are processors, beside what is left to others? */
static bool memory_has_room(const struct session *session)
{
	struct statfs fs;
	uint64_t rings = UINT64_C(2) * RING_SEGMENTS * session->config.segment_bytes * session->n_processors;
	return sys_statfs(MEMORY_DIR, &fs) == 0 && fs.f_type == TMPFS_MAGIC && budget_free(&fs) >= budget_left(&fs) + rings;
}

/* Does the launcher run on this machine? It moves the rings into the dump after any end of the program, so that a killed
 * one leaves nothing in memory. Its number begins OTTER_LAUNCH; a process of another machine may have the same. */
static bool has_launcher(void)
{
	char path[64] = "/proc/", comm[64];
	const char *launch = environment_value("OTTER_LAUNCH");
	if (!launch || *launch < '1' || *launch > '9')
		return false;
	strcpy(text_decimal(path + strlen(path), strtoull(launch, NULL, 10), 1), "/comm");
	proc_read(path, comm, sizeof comm);
	return strcmp(comm, "otter-record\n") == 0;
}

/* Returns the directory below which the rings get one of their own, "" if they are in the dump. */
static const char *rings_parent(struct session *session, const struct statfs *fs)
{
	const struct config *config = &session->config;
	if (config->ring_dir[0])
		return config->ring_dir;
	if (!nocow_is_possible(session->dir.path, fs))
		return MEMORY_DIR;
	if (config->rings_in_dump || fs->f_type == TMPFS_MAGIC || !has_launcher())
		return "";
	session->lacks_memory = !memory_has_room(session);
	return session->lacks_memory ? "" : MEMORY_DIR;
}

static void put_link_path(const struct session *session, char path[PATH_MAX])
{
	strcpy(stpcpy(path, session->ring_dir.path), "/" RINGS_LINK);
}

/* Makes the link from the rings' directory back to the dump (rings.h). */
static bool link_to_dump(const struct session *session)
{
	char path[PATH_MAX];
	put_link_path(session, path);
	return sys_symlink(session->dir.path, path) == 0;
}

void dump_dir_choose_rings(struct session *session, const struct statfs *fs)
{
	char name[NAME_BYTES];
	struct stat status;
	const char *parent = rings_parent(session, fs);
	*put_name(&session->config, name) = '\0';
	session->are_rings_in_memory = *parent ? directory_is_in_memory(parent) : fs->f_type == TMPFS_MAGIC;
	while (*parent && ++session->ring_dir_number <= NAME_TRIES &&
	       put_path(session->ring_dir.path, parent, name, session->ring_dir_number))
		if (sys_stat(session->ring_dir.path, &status) != 0)
			return;
	session->ring_dir_number = 0;
	session->ring_dir = session->dir;
}

void dump_dir_make_rings(struct session *session)
{
	char name[NAME_BYTES];
	unsigned chosen = session->ring_dir_number;
	if (chosen == 0)
		return;
	*put_name(&session->config, name) = '\0';
	const char *parent = session->config.ring_dir[0] ? session->config.ring_dir : MEMORY_DIR;
	unsigned number = make_unique(parent, name, chosen, session->ring_dir.path);
	bool is_made = number && (link_to_dump(session) || session->config.ring_dir[0]) &&
		       directory_identify(session->ring_dir.path, &session->ring_dir.id);
	if (number && !is_made)
		sys_rmdir(session->ring_dir.path);
	if (!is_made) {
		session->ring_dir = session->dir;
		session->are_rings_in_memory = false;
	}
	if (!is_made || number != chosen) /* another process has taken the name that meta has */
		meta_rings(session);
}

bool dump_dir_make(struct session *session, struct statfs *fs)
{
	char name[NAME_BYTES];
	struct file local, *meta;
	*put_name(&session->config, name) = '\0';
	unsigned number = make_unique(session->config.dir, name, 1, session->dir.path);
	if (number == 0)
		return false;
	session->is_later = number > 1;
	int cause = directory_identify(session->dir.path, &session->dir.id) ? 0 : loss_cause_io_error;
	if (!cause) {
		kept_note_checked(session);
		cause = kept_open(session, KEPT_META, O_WRONLY | O_APPEND | O_CREAT | O_EXCL, &local, &meta);
		kept_close(session, meta, cause);
	}
	if (cause)
		sys_rmdir(session->dir.path);
	else if (sys_statfs(session->dir.path, fs) != 0)
		*fs = (struct statfs){0};
	return !cause;
}

void dump_dir_remove(struct session *session)
{
	char path[PATH_MAX];
	strcpy(stpcpy(path, session->dir.path), "/meta");
	sys_unlink(path);
	dump_dir_leave(session);
	sys_rmdir(session->dir.path);
}

void dump_dir_leave(struct session *session)
{
	char path[PATH_MAX];
	/* The rings have no directory of their own, or it was not made. */
	if (session->ring_dir.id.inode == session->dir.id.inode || session->ring_dir.id.inode == 0 || session->is_of_parent)
		return;
	put_link_path(session, path);
	sys_unlink(path);
	/* A ring that could not be written to the dump stays, and so does its way back. */
	if (sys_rmdir(session->ring_dir.path) != 0)
		link_to_dump(session);
}
