/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/file.h"
#include "recorder/in_place.h"
#include "recorder/output.h"
#include "recorder/session.h"
#include "recorder/text.h"

#define NAME_PART_BYTES 64 /* of the program and of the host, in the dump's name */
#define NAME_BYTES      256
#define NAME_TRIES      10000
#define MEMORY_DIR      "/dev/shm" /* for rings that cannot be in the dump (in_place.h) */

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
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	const char *slash = strrchr(path, '/');
	const char *program = slash ? slash + 1 : path;
	out = put_sanitized(out, *program ? program : "program");
	char host[NAME_PART_BYTES + 1] = "";
	gethostname(host, sizeof host - 1);
	*out++ = '-';
	out = put_sanitized(out, *host ? host : "host");
	if (config->rank >= 0) {
		out = stpcpy(out, "-r");
		out = text_decimal(out, (uint64_t)config->rank, 1);
	}
	*out++ = '-';
	return text_decimal(out, (uint64_t)getpid(), 1);
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
		mkdir(path, 0700);
		*p = '/';
	}
	mkdir(path, 0700);
}

/* Makes a new directory `parent`/`name`[-2...].otter. */
static bool make_unique(const char *parent, const char *name, char out[PATH_MAX])
{
	if (!*parent || strlen(parent) + 1 + strlen(name) + sizeof "-10000.otter/99999999.dseg" > PATH_MAX)
		return false;
	bool has_parents = false;
	for (unsigned i = 1; i <= NAME_TRIES; i++) {
		char *end = stpcpy(stpcpy(stpcpy(out, parent), strcmp(parent, "/") ? "/" : ""), name);
		if (i > 1) {
			*end++ = '-';
			end = text_decimal(end, i, 1);
		}
		strcpy(end, ".otter");
		if (mkdir(out, 0700) == 0)
			return true;
		if (errno == ENOENT && !has_parents) {
			make_parents(parent);
			has_parents = true;
			i--;
		} else if (errno != EEXIST) {
			return false;
		}
	}
	return false;
}

bool place_make(struct session *session)
{
	char name[NAME_BYTES];
	*put_name(&session->config, name) = '\0';
	if (!make_unique(session->config.dir, name, session->dir))
		return false;
	char path[PATH_MAX];
	strcpy(stpcpy(path, session->dir), "/meta");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		rmdir(session->dir);
		return false;
	}
	close(fd);
	const char *rings = session->config.ring_dir[0] ? session->config.ring_dir : in_place_can(session->dir) ? "" : MEMORY_DIR;
	if (!*rings || !make_unique(rings, name, session->ring_dir))
		strcpy(session->ring_dir, session->dir);
	if (directory_identify(session->dir, &session->dir_id) && directory_identify(session->ring_dir, &session->ring_dir_id))
		return true;
	place_remove(session);
	return false;
}

void place_remove(struct session *session)
{
	char path[PATH_MAX];
	strcpy(stpcpy(path, session->dir), "/meta");
	unlink(path);
	place_leave(session);
	rmdir(session->dir);
}

void place_leave(struct session *session)
{
	if (strcmp(session->ring_dir, session->dir) != 0 && !session->is_of_parent)
		rmdir(session->ring_dir);
}
