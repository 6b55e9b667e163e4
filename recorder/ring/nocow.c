/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/ring/nocow.h"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <string.h>
#include <sys/vfs.h>

#include "recorder/compiler.h"
#include "recorder/drain/file.h"
#include "recorder/system/sys.h"

#define BCACHEFS_MAGIC 0xca451a4eu /* linux/magic.h has it from Linux 6.7 on */

static bool set_flags(int fd, int flags)
{
	return sys_ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
}

/* May a page of a mapped file become inaccessible, with no way to prevent that for one file? Some file systems copy on write. FUSE has
 * a server that is a program: once it has ended, a page that is not in memory raises SIGBUS. */
static bool is_unfit(const struct statfs *fs)
{
	return (unsigned)fs->f_type == BCACHEFS_MAGIC || fs->f_type == NILFS_SUPER_MAGIC || fs->f_type == FUSE_SUPER_MAGIC;
}

/* Does btrfs count the space of users? Once a quota is used up, a store into a page that was written back raises
 * SIGBUS, even where it is written in place: metadata is counted, too. An ordinary user cannot read the limit
 * itself. Not inlined: the ioctl's argument takes 1 KiB of stack, which only btrfs needs. */
static NOINLINE bool has_quotas(int fd)
{
	struct btrfs_ioctl_fs_info_args info = {0};
	char path[] = "/sys/fs/btrfs/00000000-0000-0000-0000-000000000000/qgroups", *at = path + sizeof "/sys/fs/btrfs/" - 1;
	struct directory_id id;
	if (sys_ioctl(fd, BTRFS_IOC_FS_INFO, &info) != 0)
		return false;
	for (unsigned i = 0; i < sizeof info.fsid; i++) {
		at += *at == '-';
		*at++ = "0123456789abcdef"[info.fsid[i] >> 4];
		*at++ = "0123456789abcdef"[info.fsid[i] & 15];
	}
	return directory_identify(path, &id);
}

#define SPACES 16 /* kinds of space: data, metadata, system, or two of them together, each with its redundancy */

/* Does btrfs keep data and metadata in the same blocks (mkfs.btrfs --mixed)? Then a page that is written in place still needs
 * metadata, which the data may have used up. Not inlined, for its stack. */
static NOINLINE bool is_mixed(int fd)
{
	union {
		struct btrfs_ioctl_space_args args;
		unsigned char bytes[sizeof(struct btrfs_ioctl_space_args) + SPACES * sizeof(struct btrfs_ioctl_space_info)];
	} all = {.args.space_slots = SPACES};
	const uint64_t both = BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA;
	if (sys_ioctl(fd, BTRFS_IOC_SPACE_INFO, &all) != 0)
		return false;
	for (uint64_t i = 0; i < all.args.total_spaces && i < SPACES; i++) {
		struct btrfs_ioctl_space_info space;
		memcpy(&space, all.bytes + sizeof all.args + i * sizeof space, sizeof space);
		if ((space.flags & both) == both)
			return true;
	}
	return false;
}

bool nocow_set(int fd)
{
	struct statfs fs;
	int flags;
	if (sys_fstatfs(fd, &fs) != 0)
		return true;
	if (fs.f_type == BTRFS_SUPER_MAGIC && (has_quotas(fd) || is_mixed(fd)))
		return false;
	if (fs.f_type != BTRFS_SUPER_MAGIC && fs.f_type != OVERLAYFS_SUPER_MAGIC)
		return !is_unfit(&fs);
	bool is_btrfs = fs.f_type == BTRFS_SUPER_MAGIC; /* an overlay does not say what it lies on */
	if (sys_ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		return !is_btrfs;
	if (flags & FS_NOCOW_FL)
		return true;
	/* btrfs refuses the flag as long as the file is to be compressed. */
	if ((flags & FS_COMPR_FL) && !set_flags(fd, flags &= ~FS_COMPR_FL))
		return !is_btrfs;
	return set_flags(fd, flags | FS_NOCOW_FL) || !is_btrfs;
}

bool nocow_is_possible(const char *directory, const struct statfs *fs)
{
	int fd = fs->f_type == BTRFS_SUPER_MAGIC ? sys_open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
	bool is_limited = fd >= 0 && (has_quotas(fd) || is_mixed(fd));
	if (fd >= 0)
		sys_close(fd);
	return !is_limited && !is_unfit(fs);
}
