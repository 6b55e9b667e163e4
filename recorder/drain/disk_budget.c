/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/disk_budget.h"

#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "recorder/clock.h"
#include "recorder/session/environment.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/sys.h"
#include "recorder/text.h"

/* What is taken until the free space is read again. A thousand processes may write at the same time, and none knows
 * what the others take meanwhile: so it is less than a thousandth of the free space. */
#define GRANT_SHARE 1024
#define GRANT_MAX   (INT64_C(64) << 20)
#define GRANT_NS    UINT64_C(1000000000)

#define HOST_BYTES 256

/* The start of the run. It is read, or noted, once: a forked child inherits it. */
static uint64_t start_bytes, start_device;

uint64_t budget_free(const struct statfs *fs)
{
	/* Blocks are counted in fragments, where their size is given: some file systems have large blocks of small fragments. */
	return (uint64_t)fs->f_bavail * (uint64_t)(fs->f_frsize ? fs->f_frsize : fs->f_bsize);
}

uint64_t budget_left(const struct statfs *fs)
{
	uint64_t left = (uint64_t)fs->f_blocks / 20 * (uint64_t)(fs->f_frsize ? fs->f_frsize : fs->f_bsize);
	return left < BUDGET_LEFT_MIN ? BUDGET_LEFT_MIN : left > BUDGET_LEFT_MAX ? BUDGET_LEFT_MAX : left;
}

/* Does the file system report its size? */
static bool has_size(const struct statfs *fs)
{
	return fs->f_blocks != 0;
}

bool budget_put_start(char text[BUDGET_START_BYTES], const char *dir)
{
	char host[HOST_BYTES] = "";
	struct statfs fs;
	struct stat status;
	if (sys_stat(dir, &status) != 0 || sys_statfs(dir, &fs) != 0 || !has_size(&fs))
		return false;
	sys_hostname(host, sizeof host);
	char *end = text_decimal(text, budget_free(&fs), 1);
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
	const char *text = environment_value("OTTER_FREE");
	if (!text || *text < '0' || *text > '9')
		return;
	sys_hostname(host, sizeof host);
	uint64_t bytes = strtoull(text, &end, 10);
	uint64_t device = strtoull(end, &end, 10);
	if (*end != ' ' || strcmp(end + 1, host) != 0)
		return;
	start_bytes = bytes;
	start_device = device;
}

/* Those of linux/magic.h and of statfs(2), and those of file systems that are not the kernel's. */
static bool is_served(const struct statfs *fs)
{
	static const uint32_t magics[] = {NFS_SUPER_MAGIC,
					  SMB_SUPER_MAGIC,
					  AFS_SUPER_MAGIC,
					  CODA_SUPER_MAGIC,
					  V9FS_MAGIC,
					  FUSE_SUPER_MAGIC,
					  0x0bd00bd0 /* Lustre */,
					  0xff534d42 /* CIFS */,
					  0xfe534d42 /* SMB2 */,
					  0x00c36400 /* Ceph */,
					  0x47504653 /* GPFS */,
					  0x19830326 /* BeeGFS */,
					  0x20030528 /* OrangeFS */};
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if ((uint32_t)fs->f_type == magics[i])
			return true;
	return false;
}

void budget_begin(struct session *session, const struct statfs *fs)
{
	struct disk_budget *budget = &session->budget;
	struct config *config = &session->config;
	budget->left_bytes = BUDGET_LEFT_MIN;
	budget->most_bytes = config->keeps_newest ? 0 : config->limit_bytes;
	budget->is_ext4 = fs->f_type == EXT4_SUPER_MAGIC;
	budget->is_served = is_served(fs);
	if (!has_size(fs))
		return; /* only a write can show that it is full */
	if (!start_bytes)
		read_start();
	if (!start_bytes || start_device != session->dir.id.device) {
		start_bytes = budget_free(fs);
		start_device = session->dir.id.device;
	}
	budget->start_bytes = start_bytes;
	if (config->has_limit)
		return;
	uint64_t half = start_bytes / 2;
	budget->left_bytes = budget_left(fs);
	if (config->keeps_newest) {
		if (config->limit_bytes > half)
			config->limit_bytes = half ? half : 1;
		return;
	}
	if (budget->left_bytes < half)
		budget->left_bytes = half;
	budget->most_bytes = half;
}

/* Returns why less is free than must be left: the disk is almost full, or the run has taken its half. */
static int refuse(struct disk_budget *budget, const struct statfs *fs, uint64_t bytes)
{
	if (budget->left_bytes <= BUDGET_LEFT_MIN || budget_free(fs) < budget_left(fs) + bytes)
		return loss_cause_no_space;
	__atomic_store_n(&budget->is_half_taken, true, __ATOMIC_RELAXED);
	return loss_cause_limit;
}

int budget_take(struct session *session, int fd, uint64_t bytes)
{
	struct disk_budget *budget = &session->budget;
	struct statfs fs;
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC_COARSE);
	/* Relaxed: a figure that another thread has stored a while ago will do. */
	if (now_ns < __atomic_load_n(&budget->until_ns, __ATOMIC_RELAXED) &&
	    __atomic_fetch_sub(&budget->granted_bytes, (int64_t)bytes, __ATOMIC_RELAXED) >= (int64_t)bytes)
		return 0;
	if (sys_fstatfs(fd, &fs) != 0 || !has_size(&fs))
		return 0; /* only a write can show that it is full */
	uint64_t free_bytes = budget_free(&fs);
	uint64_t left_bytes = budget->left_bytes;
	if (session_stopped(session) || __atomic_load_n(&session->is_ended, __ATOMIC_RELAXED)) {
		left_bytes = BUDGET_LEFT_MIN;
		if (free_bytes < left_bytes + bytes)
			return loss_cause_no_space;
	}
	if (free_bytes < left_bytes + bytes)
		return refuse(budget, &fs, bytes);
	uint64_t granted = (free_bytes - left_bytes - bytes) / GRANT_SHARE;
	__atomic_store_n(&budget->granted_bytes, granted < GRANT_MAX ? (int64_t)granted : GRANT_MAX, __ATOMIC_RELAXED);
	__atomic_store_n(&budget->until_ns, now_ns + GRANT_NS, __ATOMIC_RELAXED);
	return 0;
}

bool budget_has(const struct session *session, int fd, uint64_t bytes)
{
	struct statfs fs;
	return sys_fstatfs(fd, &fs) != 0 || !has_size(&fs) || budget_free(&fs) >= session->budget.left_bytes + bytes;
}

bool budget_has_for_ring(const struct session *session, int fd, uint64_t bytes)
{
	struct statfs fs;
	if (session->ring_dir.id.device == session->dir.id.device)
		return budget_has(session, fd, bytes);
	if (sys_fstatfs(fd, &fs) != 0 || !has_size(&fs))
		return true;
	return budget_free(&fs) >= (session->config.has_limit ? BUDGET_LEFT_MIN : budget_left(&fs)) + bytes;
}
