/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/room.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/clock.h"
#include "recorder/session.h"
#include "recorder/session_turn.h"
#include "recorder/text.h"

/* What is taken without another look. Of a thousand processes that write at the same time none knows what the others take
 * before its next look: so it is less than a thousandth of what there is. */
#define GRANT_SHARE 1024
#define GRANT_MAX   (INT64_C(64) << 20)
#define GRANT_NS    UINT64_C(1000000000)

#define HOST_BYTES 256

/* The start of the run. It is read, or noted, once: a forked child has its parent's. */
static uint64_t start_bytes, start_device;

uint64_t room_free(const struct statfs *fs)
{
	/* Blocks are counted in fragments, where these are told: some file systems have large blocks of small fragments. */
	return (uint64_t)fs->f_bavail * (uint64_t)(fs->f_frsize ? fs->f_frsize : fs->f_bsize);
}

uint64_t room_left(const struct statfs *fs)
{
	uint64_t left = (uint64_t)fs->f_blocks / 20 * (uint64_t)(fs->f_frsize ? fs->f_frsize : fs->f_bsize);
	return left < ROOM_LEFT_MIN ? ROOM_LEFT_MIN : left > ROOM_LEFT_MAX ? ROOM_LEFT_MAX : left;
}

/* Does the file system tell how large it is? */
static bool tells(const struct statfs *fs)
{
	return fs->f_blocks != 0;
}

bool room_put_start(char text[ROOM_START_BYTES], const char *dir)
{
	char part[PATH_MAX], host[HOST_BYTES] = "";
	struct statfs fs;
	struct stat status;
	if (strlen(dir) >= sizeof part)
		return false;
	strcpy(part, dir);
	/* The recorder makes the directories that are missing. */
	while (stat(part, &status) != 0) {
		char *slash = strrchr(part, '/');
		if (errno != ENOENT || !slash || slash == part)
			return false;
		*slash = '\0';
	}
	if (statfs(part, &fs) != 0 || !tells(&fs))
		return false;
	gethostname(host, sizeof host - 1);
	char *end = text_decimal(text, room_free(&fs), 1);
	*end++ = ' ';
	end = text_decimal(end, status.st_dev, 1);
	*end++ = ' ';
	strcpy(end, host);
	return true;
}

/* Reads OTTER_FREE. The number of a device means nothing on another host. */
static void read_start(void)
{
	char host[HOST_BYTES] = "", *end;
	const char *text = getenv("OTTER_FREE");
	if (!text || *text < '0' || *text > '9')
		return;
	gethostname(host, sizeof host - 1);
	uint64_t bytes = strtoull(text, &end, 10);
	uint64_t device = strtoull(end, &end, 10);
	if (*end != ' ' || strcmp(end + 1, host) != 0)
		return;
	start_bytes = bytes;
	start_device = device;
}

void room_begin(struct session *session)
{
	struct room *room = &session->room;
	struct config *config = &session->config;
	struct statfs fs;
	room->left_bytes = ROOM_LEFT_MIN;
	room->most_bytes = config->keeps_newest ? 0 : config->limit_bytes;
	if (statfs(session->dir, &fs) != 0)
		return;
	room->is_ext4 = fs.f_type == EXT4_SUPER_MAGIC;
	if (!tells(&fs))
		return; /* the write will */
	if (!start_bytes)
		read_start();
	if (!start_bytes || start_device != session->dir_id.device) {
		start_bytes = room_free(&fs);
		start_device = session->dir_id.device;
	}
	room->start_bytes = start_bytes;
	if (config->has_limit)
		return;
	uint64_t half = start_bytes / 2;
	room->left_bytes = room_left(&fs);
	if (config->keeps_newest) {
		if (config->limit_bytes > half)
			config->limit_bytes = half ? half : 1;
		return;
	}
	if (room->left_bytes < half)
		room->left_bytes = half;
	room->most_bytes = half;
}

/* Returns why there is less than what is to be left: the disk is as good as full, or the run has taken its half. */
static int refuse(struct room *room, const struct statfs *fs, uint64_t bytes)
{
	if (room->left_bytes <= ROOM_LEFT_MIN || room_free(fs) < room_left(fs) + bytes)
		return loss_cause_no_space;
	__atomic_store_n(&room->is_half_taken, true, __ATOMIC_RELAXED);
	return loss_cause_limit;
}

int room_take(struct session *session, int fd, uint64_t bytes)
{
	struct room *room = &session->room;
	struct statfs fs;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	/* Relaxed: figures of other threads are as good as new ones. */
	if (now_ns < __atomic_load_n(&room->until_ns, __ATOMIC_RELAXED) &&
	    __atomic_fetch_sub(&room->granted, (int64_t)bytes, __ATOMIC_RELAXED) >= (int64_t)bytes)
		return 0;
	if (fstatfs(fd, &fs) != 0 || !tells(&fs))
		return 0; /* it does not tell: the write will */
	uint64_t free_bytes = room_free(&fs);
	if (session_stopped(session) || __atomic_load_n(&session->is_ended, __ATOMIC_RELAXED))
		return free_bytes < ROOM_LEFT_MIN + bytes ? loss_cause_no_space : 0;
	if (free_bytes < room->left_bytes + bytes)
		return refuse(room, &fs, bytes);
	uint64_t granted = (free_bytes - room->left_bytes - bytes) / GRANT_SHARE;
	__atomic_store_n(&room->granted, granted < GRANT_MAX ? (int64_t)granted : GRANT_MAX, __ATOMIC_RELAXED);
	__atomic_store_n(&room->until_ns, now_ns + GRANT_NS, __ATOMIC_RELAXED);
	return 0;
}

bool room_has(const struct session *session, int fd, uint64_t bytes)
{
	struct statfs fs;
	return fstatfs(fd, &fs) != 0 || !tells(&fs) || room_free(&fs) >= session->room.left_bytes + bytes;
}

bool room_has_for_ring(const struct session *session, int fd, uint64_t bytes)
{
	struct statfs fs;
	if (session->ring_dir_id.device == session->dir_id.device)
		return room_has(session, fd, bytes);
	if (fstatfs(fd, &fs) != 0 || !tells(&fs))
		return true;
	return room_free(&fs) >= (session->config.has_limit ? ROOM_LEFT_MIN : room_left(&fs)) + bytes;
}
