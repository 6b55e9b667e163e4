/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers of the reader's tests; reader_fixture.h describes them.
 */
#include "tests/unit/reader_fixture.h"
#include "tests/unit/said.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char reader_root[64];
char reader_dir[128];
char reader_said[65536];

void reader_setup(void)
{
	strcpy(reader_root, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(reader_root));
	snprintf(reader_dir, sizeof reader_dir, "%s/fib-host-1.otter", reader_root);
}

void reader_teardown(void)
{
	dump_writer_remove(reader_dir);
	dump_writer_remove(reader_root);
}

int reader_open(struct dump *dump, const char *path)
{
	struct said said = said_begin();
	int result = dump_open(dump, path);
	said_end(said, reader_said, sizeof reader_said);
	return result;
}

void reader_assert_said(const char *text)
{
	said_assert(reader_said, text);
}

uint64_t reader_found(const struct dump *dump, const char *name)
{
	for (unsigned i = 0; i < dump->damage.n_rows; i++)
		if (strcmp(dump->damage.rows[i].name, name) == 0)
			return dump->damage.rows[i].count;
	return 0;
}

char *reader_file(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", reader_dir, name);
	return path;
}

void reader_patch(const char *name, uint64_t at, const void *bytes, size_t n)
{
	int fd = open(reader_file(name), O_WRONLY);
	ck_assert_msg(fd >= 0, "%s", reader_file(name));
	ck_assert_int_eq(pwrite(fd, bytes, n, (off_t)at), (ssize_t)n);
	close(fd);
}

void reader_flip(const char *name, uint64_t at)
{
	unsigned char byte;
	int fd = open(reader_file(name), O_RDONLY);
	ck_assert(fd >= 0 && pread(fd, &byte, 1, (off_t)at) == 1);
	close(fd);
	byte ^= 1;
	reader_patch(name, at, &byte, 1);
}

struct segment_header reader_get_header(const char *name, uint64_t at)
{
	struct segment_header h;
	int fd = open(reader_file(name), O_RDONLY);
	ck_assert(fd >= 0 && pread(fd, &h, sizeof h, (off_t)at) == (ssize_t)sizeof h);
	close(fd);
	return h;
}

void reader_put_header(const char *name, uint64_t at, struct segment_header h)
{
	h.checksum = segment_checksum(&h);
	reader_patch(name, at, &h, sizeof h);
}

void reader_fill(struct dump_writer *w, uint32_t stream, unsigned n)
{
	dump_writer_root(w, stream, 10000, 1, 1);
	for (unsigned i = 0; i < n; i++)
		dump_writer_record(w, stream, 10010 + 10 * i, EVENT_task_create, task_flags_explicit, 2 + i, id_make(stream, 1),
				   0x401000);
}

void reader_assert_filled(const struct stream *s, unsigned n)
{
	struct cursor c;
	cursor_init(&c, s);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(cursor_next(&c));
	for (unsigned i = 0; i < n; i++) {
		const struct record *r = cursor_next(&c);
		ck_assert_ptr_nonnull(r);
		ck_assert_uint_eq(record_kind(r), EVENT_task_create);
		ck_assert_uint_eq(record_value(r), 2 + i);
	}
	ck_assert_ptr_null(cursor_next(&c));
	ck_assert_uint_eq(s->n_records, 3 + n);
	ck_assert_uint_eq(s->max_task, 1 + n);
	ck_assert_uint_eq(s->max_region, 1);
}

void reader_name_self(struct dump_writer *w, char host[256], char boot_id[64])
{
	char text[1024] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	ck_assert(f != NULL && fgets(boot_id, 64, f) != NULL);
	fclose(f);
	boot_id[strcspn(boot_id, "\n")] = '\0';
	f = fopen("/proc/self/stat", "r");
	ck_assert(f != NULL && fgets(text, sizeof text, f) != NULL);
	fclose(f);
	char *at = strrchr(text, ')');
	for (int field = 2; field < 22; field++)
		at = strchr(at + 1, ' ');
	ck_assert_int_eq(gethostname(host, 256), 0);
	w->pid = getpid();
	w->pid_start = strtoull(at + 1, NULL, 10);
	w->host = host;
	w->boot_id = boot_id;
}
