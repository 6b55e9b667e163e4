/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/in_place.h"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/file.h"

#define BCACHEFS_MAGIC 0xca451a4eu /* linux/magic.h has it from Linux 6.7 on */

static bool set_flags(int fd, int flags)
{
	return ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

/* Does it copy on write, with no way to turn that off for one file? */
static bool is_hopeless(const struct statfs *fs)
{
	return (unsigned)fs->f_type == BCACHEFS_MAGIC || fs->f_type == NILFS_SUPER_MAGIC;
}

/* Does btrfs count what users have? Once a quota is used up, a store into a page that was written back raises SIGBUS, even
 * where it is written in place: metadata is counted, too. There is no ordinary user's way to ask for the limit itself. */
static bool has_quotas(int fd)
{
	struct btrfs_ioctl_fs_info_args info = {0};
	char path[] = "/sys/fs/btrfs/00000000-0000-0000-0000-000000000000/qgroups", *at = path + sizeof "/sys/fs/btrfs/" - 1;
	struct directory_id id;
	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0)
		return false;
	for (unsigned i = 0; i < sizeof info.fsid; i++) {
		at += *at == '-';
		*at++ = "0123456789abcdef"[info.fsid[i] >> 4];
		*at++ = "0123456789abcdef"[info.fsid[i] & 15];
	}
	return directory_identify(path, &id);
}

bool in_place_set(int fd)
{
	struct statfs fs;
	int flags;
	if (fstatfs(fd, &fs) != 0)
		return true;
	if (fs.f_type == BTRFS_SUPER_MAGIC && has_quotas(fd))
		return false;
	if (fs.f_type != BTRFS_SUPER_MAGIC && fs.f_type != OVERLAYFS_SUPER_MAGIC)
		return !is_hopeless(&fs);
	bool is_btrfs = fs.f_type == BTRFS_SUPER_MAGIC; /* an overlay does not say what it lies on */
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return !is_btrfs;
	if (flags & FS_NOCOW_FL)
		return true;
	/* btrfs refuses the flag as long as the file is to be compressed. */
	if ((flags & FS_COMPR_FL) && !set_flags(fd, flags &= ~FS_COMPR_FL))
		return !is_btrfs;
	return set_flags(fd, flags | FS_NOCOW_FL) || !is_btrfs;
}

bool in_place_can(const char *directory)
{
	struct statfs fs;
	if (statfs(directory, &fs) != 0)
		return true;
	int fd = fs.f_type == BTRFS_SUPER_MAGIC ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool is_limited = fd >= 0 && has_quotas(fd);
	if (fd >= 0)
		close(fd);
	return !is_limited && !is_hopeless(&fs);
}
