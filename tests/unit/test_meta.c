/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of meta: every key, escapes, lines that are cut, and values that make no sense.
 */
#include "builder/support/diag.h"
#include "builder/dump/meta.h"
#include "common/event.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];
static char path[80];

static void make_dir(void)
{
	strcpy(dir, "/tmp/otter-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/meta", dir);
	diag_quiet();
}

static void remove_dir(void)
{
	unlink(path);
	rmdir(dir);
}

static struct meta parse(const char *text)
{
	struct meta m;
	FILE *f = fopen(path, "w");
	ck_assert(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
	ck_assert_int_eq(meta_read(&m, dir), 0);
	return m;
}

START_TEST(every_key_is_understood)
{
	struct meta m = parse(
		"otter-dump 1 0\nbyte_order little\nrecord_bytes 32\nsegment_bytes 8192\nsegment_header_bytes 128\n"
		"ring_segments 8\nring_control_bytes 4096\nkind 1 32 thread_begin\nkind 2 32 thread_end\nrecorder 0.9.1 ompt\n"
		"clock tsc\npid 17\npid_start 123456789012\nppid 16\nhost node 1\nboot_id aa-bb\nrank 3\n"
		"program /bin/a b\narg ./a b\narg \narg -x\ncwd /home\nring_dir /dev/shm/x\nring_fs tmpfs\n"
		"start 10 20 30\nruntime LLVM OMP version: 5.0\nomp_version 201611\nenv OMP_NUM_THREADS=2\n"
		"setting keep newest\nsetting dir /tmp/a b\nnote first\nnote second one\ncallback work 5\nmaps_at 7\n"
		"map 1000 2000 0 - /bin/a b\nmap 7fff0000 7fff1000 3000 abcdef /lib/x.so\n"
		"lost full 11\nlost reentry 12\nlost gremlins 13\nlost_no_stream 14\nlost_reentry 15\nstalled_ns 16\n"
		"stopped no_space 17\n"
		"stream 5 live 1 2 3 4\nstream 5 sealed 10 20 30 40\nend 110 120 130\nended finalize\nfuture stuff 1\n");
	ck_assert_uint_eq(m.n_damaged_lines, 0);
	ck_assert_uint_eq(m.stopped_cause, loss_cause_no_space);
	ck_assert_uint_eq(m.stopped_ticks, 17);
	ck_assert_uint_eq(m.segment_bytes, 8192);
	ck_assert_uint_eq(m.n_kinds, 2);
	ck_assert_str_eq(m.recorder, "0.9.1");
	ck_assert_str_eq(m.tool, "ompt");
	ck_assert_str_eq(m.clock, "tsc");
	ck_assert_int_eq(m.pid, 17);
	ck_assert_uint_eq(m.pid_start, 123456789012);
	ck_assert_str_eq(m.host, "node 1");
	ck_assert_str_eq(m.boot_id, "aa-bb");
	ck_assert_int_eq(m.rank, 3);
	ck_assert_str_eq(m.program, "/bin/a b");
	ck_assert_uint_eq(m.n_args, 3);
	ck_assert_str_eq(m.args[0], "./a b");
	ck_assert_str_eq(m.args[1], "");
	ck_assert_str_eq(m.args[2], "-x");
	ck_assert_str_eq(m.cwd, "/home");
	ck_assert_str_eq(m.ring_dir, "/dev/shm/x");
	ck_assert_uint_eq(m.start.ticks, 10);
	ck_assert_uint_eq(m.start.monotonic_ns, 20);
	ck_assert_uint_eq(m.start.realtime_ns, 30);
	ck_assert_str_eq(m.runtime, "LLVM OMP version: 5.0");
	ck_assert_uint_eq(m.n_environment, 1);
	ck_assert_str_eq(m.environment[0], "OMP_NUM_THREADS=2");
	ck_assert_uint_eq(m.n_settings, 2);
	ck_assert_str_eq(meta_setting(&m, "keep"), "newest");
	ck_assert_str_eq(meta_setting(&m, "dir"), "/tmp/a b");
	ck_assert_str_eq(meta_setting(&m, "kee"), "");
	ck_assert_uint_eq(m.n_notes, 2);
	ck_assert_str_eq(m.notes[1], "second one");
	ck_assert_uint_eq(m.n_maps, 2);
	ck_assert_uint_eq(m.maps[0].end, 0x2000);
	ck_assert_str_eq(m.maps[0].build_id, "");
	ck_assert_str_eq(m.maps[0].path, "/bin/a b");
	ck_assert_uint_eq(m.maps[1].offset, 0x3000);
	ck_assert_str_eq(m.maps[1].build_id, "abcdef");
	ck_assert_uint_eq(m.lost[loss_cause_full], 11);
	ck_assert_uint_eq(m.lost[loss_cause_reentry], 12);
	ck_assert_uint_eq(m.lost[0], 13);
	ck_assert_uint_eq(m.lost_no_stream, 14);
	ck_assert_uint_eq(m.lost_reentry, 15);
	ck_assert_uint_eq(m.stalled_ns, 16);
	ck_assert_uint_eq(m.n_streams, 1);
	ck_assert_ptr_null(meta_stream(&m, 4));
	ck_assert_ptr_eq(meta_stream(&m, 5), &m.streams[0]);
	ck_assert(m.streams[0].is_sealed);
	ck_assert_uint_eq(m.streams[0].n_records, 10);
	ck_assert_uint_eq(m.streams[0].n_segments, 20);
	ck_assert_uint_eq(m.streams[0].n_lost, 30);
	ck_assert_uint_eq(m.streams[0].stalled_ns, 40);
	ck_assert_uint_eq(m.end.ticks, 110);
	ck_assert_str_eq(m.ended, "finalize");
	ck_assert(m.is_ended);
	meta_free(&m);
}
END_TEST

START_TEST(what_is_absent_is_empty)
{
	struct meta m = parse("otter-dump 1 0\n");
	ck_assert_str_eq(m.program, "");
	ck_assert_str_eq(m.ring_dir, "");
	ck_assert_str_eq(m.recorder, "");
	ck_assert_uint_eq(m.segment_bytes, SEGMENT_BYTES_DEFAULT);
	ck_assert_int_eq(m.rank, -1);
	ck_assert(!m.is_ended);
	ck_assert_str_eq(meta_setting(&m, "keep"), "");
	meta_free(&m);
}
END_TEST

START_TEST(escapes_are_undone)
{
	struct meta m = parse("otter-dump 1 0\narg a\\\\b\\nc\\x1b[0m\\q\\x4\nprogram \\\\n\n");
	ck_assert_str_eq(m.args[0], "a\\b\nc\x1b[0m\\q\\x4");
	ck_assert_str_eq(m.program, "\\n");
	meta_free(&m);
}
END_TEST

START_TEST(a_line_without_its_end_is_left_out)
{
	struct meta m = parse("otter-dump 1 0\nhost one\nended fina");
	ck_assert_str_eq(m.host, "one");
	ck_assert(!m.is_ended);
	ck_assert_uint_eq(m.n_damaged_lines, 0);
	meta_free(&m);
}
END_TEST

START_TEST(senseless_values_are_counted_and_change_nothing)
{
	static const char *const lines[] = {"segment_bytes 5000",
					    "segment_bytes 1024",
					    "segment_bytes x",
					    "pid -3",
					    "start 1 2",
					    "start 1 2 x",
					    "stream 9999999 sealed 1 1 1 1",
					    "stream 1 sealed 1",
					    "map 2000 1000 0 - /x",
					    "map 1000 2000 zz - /x",
					    "lost full",
					    "lost full -1",
					    "stalled_ns 99999999999999999999999",
					    "note"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		char text[256];
		snprintf(text, sizeof text, "otter-dump 1 0\nsegment_bytes 8192\npid 5\n%s\n", lines[i]);
		struct meta m = parse(text);
		ck_assert_msg(m.n_damaged_lines == 1, "%s", lines[i]);
		ck_assert_uint_eq(m.segment_bytes, 8192);
		ck_assert_int_eq(m.pid, 5);
		ck_assert_uint_eq(m.start.ticks + m.n_streams + m.n_maps + m.lost[loss_cause_full] + m.stalled_ns + m.n_notes, 0);
		meta_free(&m);
	}
}
END_TEST

START_TEST(many_lines_of_a_key_are_all_kept)
{
	char text[20000];
	size_t n = (size_t)snprintf(text, sizeof text, "otter-dump 1 0\n");
	for (int i = 0; i < 1000; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "note %d\n", i);
	struct meta m = parse(text);
	ck_assert_uint_eq(m.n_notes, 1000);
	ck_assert_str_eq(m.notes[999], "999");
	meta_free(&m);
}
END_TEST

/* Small maps in a small address space, so that they overlap in every way. */
START_TEST(an_address_belongs_to_the_latest_map)
{
	uint64_t seed = 1;
	for (unsigned round = 0; round < 200; round++) {
		struct meta_map maps[24] = {0};
		struct meta m = {.maps = maps, .n_maps = 1 + round % 24};
		for (size_t i = 0; i < m.n_maps; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			maps[i].start = seed >> 40 & 63;
			maps[i].end = maps[i].start + 1 + (seed >> 50 & 31);
		}
		ck_assert_int_eq(meta_index_maps(&m), 0);
		for (uint64_t address = 0; address < 110; address++) {
			const struct meta_map *expected = NULL;
			for (size_t i = 0; i < m.n_maps; i++)
				if (address >= maps[i].start && address < maps[i].end)
					expected = &maps[i];
			ck_assert_ptr_eq(meta_find_map(&m, address), expected);
		}
		free(m.pieces);
		free(m.piece_maps);
	}
}
END_TEST

START_TEST(tallies_count_by_name_in_order)
{
	struct tally t = {0};
	tally_add(&t, "b", 2);
	tally_add(&t, "a", 1);
	tally_add(&t, "b", 3);
	ck_assert_uint_eq(t.n_rows, 2);
	ck_assert_str_eq(t.rows[0].name, "b");
	ck_assert_uint_eq(t.rows[0].count, 5);
	ck_assert_uint_eq(tally_total(&t), 6);
	static char names[100][16];
	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof names[i], "n%d", i);
		tally_add(&t, names[i], 1);
	}
	ck_assert_uint_eq(tally_total(&t), 106); /* there are more names than rows, and no count is lost */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("meta");
	TCase *c = tcase_create("meta");
	tcase_add_checked_fixture(c, make_dir, remove_dir);
	tcase_add_test(c, every_key_is_understood);
	tcase_add_test(c, what_is_absent_is_empty);
	tcase_add_test(c, escapes_are_undone);
	tcase_add_test(c, a_line_without_its_end_is_left_out);
	tcase_add_test(c, senseless_values_are_counted_and_change_nothing);
	tcase_add_test(c, many_lines_of_a_key_are_all_kept);
	tcase_add_test(c, an_address_belongs_to_the_latest_map);
	tcase_add_test(c, tallies_count_by_name_in_order);
	suite_add_tcase(suite, c);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
