/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See memory_files.h. One thread.
 */
#include "tests/fuzz/memory_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FD_FIRST (1 << 20)         /* no process has so many */
#define FDS      (IMAGE_FILES + 1) /* large files stay open */
#define MAPPINGS IMAGE_FILES

static const struct image *shown;

/* What is open: a file of the image, or a text of /proc. */
static struct open_file {
	const unsigned char *bytes; /* NULL: free */
	size_t n_bytes, at;
} open_files[FDS];

static void *mappings[MAPPINGS];
static struct {
	size_t next;
	bool is_open;
	struct dirent entry;
} directory;

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __real_pread(int fd, void *to, size_t n, off_t at);
int __real_fstat(int fd, struct stat *st);
int __real_stat(const char *path, struct stat *st);
void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t n);
int __real_madvise(void *at, size_t n, int advice);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *dir);
int __real_closedir(DIR *dir);
int __real_gethostname(char *name, size_t n);

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t n);
int __wrap_madvise(void *at, size_t n, int advice);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *dir);
int __wrap_closedir(DIR *dir);
int __wrap_gethostname(char *name, size_t n);
int __wrap_strcmp(const char *left, const char *right);

void memory_files_show(const struct image *image)
{
	shown = image;
}

bool memory_files_are_closed(void)
{
	bool is_closed = !directory.is_open;
	for (size_t i = 0; i < FDS; i++)
		is_closed = is_closed && open_files[i].bytes == NULL;
	for (size_t i = 0; i < MAPPINGS; i++)
		is_closed = is_closed && mappings[i] == NULL;
	return is_closed;
}

static bool is_within(const char *path)
{
	return shown != NULL && strncmp(path, MEMORY_ROOT, sizeof MEMORY_ROOT - 1) == 0;
}

static const struct image_file *find_file(const char *path)
{
	size_t n = sizeof MEMORY_DUMP - 1;
	if (strncmp(path, MEMORY_DUMP "/", n + 1) != 0)
		return NULL;
	for (size_t i = 0; i < shown->n_files; i++)
		if (strcmp(shown->files[i].name, path + n + 1) == 0)
			return &shown->files[i];
	return NULL;
}

static struct open_file *of_fd(int fd)
{
	return fd >= FD_FIRST && fd < FD_FIRST + FDS ? &open_files[fd - FD_FIRST] : NULL;
}

static int open_bytes(const void *bytes, size_t n_bytes)
{
	for (int i = 0; i < FDS; i++)
		if (open_files[i].bytes == NULL) {
			open_files[i] = (struct open_file){bytes, n_bytes, 0};
			return FD_FIRST + i;
		}
	abort(); /* there are no more files than that */
}

int __wrap_open(const char *path, int flags, ...)
{
	static const char boot_id[] = IMAGE_BOOT_ID "\n";
	static char state[128];
	if (shown != NULL && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
		return open_bytes(boot_id, sizeof boot_id - 1);
	snprintf(state, sizeof state, "/proc/%d/stat", IMAGE_PID);
	if (shown != NULL && shown->is_live && strcmp(path, state) == 0) {
		int n = snprintf(state, sizeof state, "%d (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d 20\n",
				 IMAGE_PID, IMAGE_PID_START);
		return open_bytes(state, (size_t)n);
	}
	if (is_within(path)) {
		const struct image_file *file = find_file(path);
		if (file != NULL)
			return open_bytes(file->bytes, file->n_bytes);
		errno = ENOENT;
		return -1;
	}
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return __real_open(path, flags, mode);
}

int __wrap_close(int fd)
{
	struct open_file *file = of_fd(fd);
	if (file == NULL)
		return __real_close(fd);
	file->bytes = NULL;
	return 0;
}

ssize_t __wrap_read(int fd, void *to, size_t n)
{
	struct open_file *file = of_fd(fd);
	if (file == NULL)
		return __real_read(fd, to, n);
	if (n > file->n_bytes - file->at)
		n = file->n_bytes - file->at;
	memcpy(to, file->bytes + file->at, n);
	file->at += n;
	return (ssize_t)n;
}

ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at)
{
	const struct open_file *file = of_fd(fd);
	if (file == NULL)
		return __real_pread(fd, to, n, at);
	size_t rest = (size_t)at < file->n_bytes ? file->n_bytes - (size_t)at : 0;
	n = n < rest ? n : rest;
	memcpy(to, file->bytes + at, n);
	return (ssize_t)n;
}

static int fill_stat(struct stat *st, mode_t mode, size_t n_bytes)
{
	memset(st, 0, sizeof *st);
	st->st_mode = mode;
	st->st_size = (off_t)n_bytes;
	st->st_mtim.tv_sec = 1700000000;
	return 0;
}

int __wrap_fstat(int fd, struct stat *st)
{
	const struct open_file *file = of_fd(fd);
	return file == NULL ? __real_fstat(fd, st) : fill_stat(st, S_IFREG | 0600, file->n_bytes);
}

int __wrap_stat(const char *path, struct stat *st)
{
	if (!is_within(path))
		return __real_stat(path, st);
	if (strcmp(path, MEMORY_DUMP) == 0)
		return fill_stat(st, S_IFDIR | 0700, 0);
	const struct image_file *file = find_file(path);
	if (file != NULL)
		return fill_stat(st, S_IFREG | 0600, file->n_bytes);
	errno = ENOENT;
	return -1;
}

void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	const struct open_file *file = of_fd(fd);
	if (file == NULL)
		return __real_mmap(at, n, protection, flags, fd, offset);
	for (size_t i = 0; i < MAPPINGS; i++)
		if (mappings[i] == NULL) {
			mappings[i] = malloc(n);
			if (mappings[i] == NULL || n != file->n_bytes)
				abort();
			return memcpy(mappings[i], file->bytes, n);
		}
	errno = ENOMEM;
	return MAP_FAILED;
}

int __wrap_munmap(void *at, size_t n)
{
	for (size_t i = 0; i < MAPPINGS && shown != NULL; i++)
		if (mappings[i] == at && at != NULL) {
			free(at);
			mappings[i] = NULL;
			return 0;
		}
	return __real_munmap(at, n);
}

/* The heap's pages do not come back from a file. */
int __wrap_madvise(void *at, size_t n, int advice)
{
	return shown != NULL ? 0 : __real_madvise(at, n, advice);
}

DIR *__wrap_opendir(const char *path)
{
	if (!is_within(path))
		return __real_opendir(path);
	if (strcmp(path, MEMORY_DUMP) != 0) {
		errno = ENOENT;
		return NULL;
	}
	if (directory.is_open)
		abort(); /* the reader looks at one at a time */
	directory.is_open = true;
	directory.next = 0;
	return (DIR *)&directory;
}

struct dirent *__wrap_readdir(DIR *dir)
{
	if ((void *)dir != (void *)&directory)
		return __real_readdir(dir);
	if (directory.next == shown->n_files)
		return NULL;
	snprintf(directory.entry.d_name, sizeof directory.entry.d_name, "%s", shown->files[directory.next++].name);
	return &directory.entry;
}

int __wrap_closedir(DIR *dir)
{
	if ((void *)dir != (void *)&directory)
		return __real_closedir(dir);
	directory.is_open = false;
	return 0;
}

int __wrap_gethostname(char *name, size_t n)
{
	if (shown == NULL)
		return __real_gethostname(name, n);
	snprintf(name, n, "%s", IMAGE_HOST);
	return 0;
}

/* libFuzzer takes notes of what the C library's compares, a sixth of all time. */
int __wrap_strcmp(const char *left, const char *right)
{
	while (*left != '\0' && *left == *right) {
		left++;
		right++;
	}
	return (unsigned char)*left - (unsigned char)*right;
}
