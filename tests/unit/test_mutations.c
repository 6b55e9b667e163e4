/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader and the listing on a few thousand dumps that are damaged at random, but always in the same way. None of
 * them may cause a crash; the test finds most if it runs under the sanitizers.
 */
#include "tests/unit/reader_fixture.h"
#include "builder/dump/list.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t random_state = 20260101;

static uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % n;
}

struct file {
	const char *name;
	unsigned char *bytes;
	size_t n_bytes;
};

static void load(struct file *f)
{
	struct stat st;
	int fd = open(reader_file(f->name), O_RDONLY);
	ck_assert(fd >= 0 && fstat(fd, &st) == 0);
	f->n_bytes = (size_t)st.st_size;
	f->bytes = malloc(f->n_bytes + 1);
	ck_assert_int_eq(read(fd, f->bytes, f->n_bytes), (ssize_t)f->n_bytes);
	close(fd);
}

static void store(const struct file *f, const unsigned char *bytes, size_t n_bytes)
{
	int fd = open(reader_file(f->name), O_WRONLY | O_TRUNC);
	ck_assert(fd >= 0 && write(fd, bytes, n_bytes) == (ssize_t)n_bytes);
	close(fd);
}

/* Damages a copy of the file's bytes. Some headers get the right checksum again, so that their values are used. */
static size_t mutate(const struct file *f, unsigned char *bytes)
{
	size_t n_bytes = f->n_bytes;
	memcpy(bytes, f->bytes, n_bytes);
	for (uint64_t n = 1 + random_below(4); n > 0; n--) {
		size_t at = random_below(n_bytes);
		size_t segment = at & ~(size_t)4095, word = segment + 8 * random_below(18);
		switch (random_below(6)) {
		case 0: bytes[at] = (unsigned char)(bytes[at] ^ 1u << random_below(8)); break;
		case 1: bytes[at] = (unsigned char)random_below(256); break;
		case 2: memset(bytes + at, 0, n_bytes - at < 200 ? n_bytes - at : 200); break;
		case 3: memmove(bytes + at, bytes + random_below(at + 1), n_bytes - at < 64 ? (n_bytes - at) / 2 : 32); break;
		case 4:
			if (random_below(4) == 0)
				n_bytes = 1 + random_below(n_bytes);
			break;
		default:
			if (word + 8 <= n_bytes)
				memset(bytes + word, (int)random_below(3) * 0x7f, 1 + random_below(8));
			if (segment + sizeof(struct segment_header) <= n_bytes) {
				struct segment_header h;
				memcpy(&h, bytes + segment, sizeof h);
				h.checksum = segment_checksum(&h);
				memcpy(bytes + segment, &h, sizeof h);
			}
			if (segment == 0 && n_bytes >= sizeof(struct ring_control)) {
				struct ring_control c;
				memcpy(&c, bytes, sizeof c);
				if (c.magic == RING_MAGIC)
					c.checksum = ring_checksum(&c);
				memcpy(bytes, &c, sizeof c);
			}
		}
	}
	return n_bytes;
}

START_TEST(no_damage_makes_it_crash)
{
	struct dump_writer w;
	struct file files[] = {{.name = "meta"},       {.name = "drain.seg"},  {.name = "00000.seg"},
			       {.name = "00002.ring"}, {.name = "00003.ring"}, {.name = "00003.seg"}};
	const size_t n_files = sizeof files / sizeof files[0];
	uint64_t variables[20] = {0};
	unsigned types[20] = {0};
	dump_writer_init(&w, reader_dir);
	for (uint32_t s = 0; s < 4; s++) {
		w.streams[s].place = (enum writer_place)s;
		w.streams[s].is_live = s >= 2;
		reader_fill(&w, s, 150);
		for (unsigned i = 0; i < 20; i++)
			dump_writer_dependences(&w, s, 20000 + i, id_make(s, i), 20, variables, types);
	}
	dump_writer_finish(&w);
	for (size_t i = 0; i < n_files; i++)
		load(&files[i]);
	diag_quiet();
	/*
	 * Messages go into a file, and so does the report of a sanitizer, which stays in the directory after a crash.
	 */
	char log[128];
	snprintf(log, sizeof log, "%s/log", reader_root);
	int errors = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), before = dup(2);
	dup2(errors, 2);
	FILE *out = fopen("/dev/null", "w");
	unsigned n_opened = 0, n_refused = 0;
	for (unsigned i = 0; i < 3000; i++) {
		const struct file *f = &files[random_below(n_files)];
		unsigned char *bytes = malloc(f->n_bytes);
		size_t n_bytes = mutate(f, bytes);
		store(f, bytes, n_bytes);
		struct dump d;
		if (dump_open(&d, reader_dir) == 0) {
			n_opened++;
			ck_assert_int_eq(list_dump(&d, out), 0);
			for (size_t s = 0; s < d.n_streams; s++)
				ck_assert_uint_ge(d.streams[s].n_segments, 1);
			dump_close(&d);
		} else {
			n_refused++;
		}
		store(f, f->bytes, f->n_bytes);
		free(bytes);
	}
	fclose(out);
	dup2(before, 2);
	close(before);
	close(errors);
	/*
	 * Some dumps were read and some refused; only damage to the first lines of meta makes the reader refuse a dump.
	 */
	ck_assert_uint_gt(n_refused, 0);
	ck_assert_uint_gt(n_opened, 2500);
	for (size_t i = 0; i < n_files; i++)
		free(files[i].bytes);
	struct dump d;
	ck_assert_int_eq(dump_open(&d, reader_dir), 0);
	ck_assert_uint_eq(tally_total(&d.damage), 0);
	dump_close(&d);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mutations");
	TCase *c = tcase_create("mutations");
	tcase_add_checked_fixture(c, reader_setup, reader_teardown);
	tcase_set_timeout(c, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(c, no_damage_makes_it_crash);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
