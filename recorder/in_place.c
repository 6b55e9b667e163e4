/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/in_place.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

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

bool in_place_set(int fd)
{
	struct statfs fs;
	int flags;
	if (fstatfs(fd, &fs) != 0)
		return true;
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
	return statfs(directory, &fs) != 0 || !is_hopeless(&fs);
}
