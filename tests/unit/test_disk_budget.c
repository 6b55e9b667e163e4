/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of a file system a run takes: what is left of it, the start of the run, and when the free space is read.
 */
#include <check.h>
#include <inttypes.h>
#include <sys/vfs.h>

#include "recorder/drain/disk_budget.h"
#include "recorder/ring/record.h"
#include "tests/unit/small_ring.h"

#define MIB (UINT64_C(1) << 20)

START_TEST(a_twentieth_is_left_within_bounds)
{
	static const struct {
		uint64_t mib, left_mib;
	} all[] = {{1, 16}, {32, 16}, {320, 16}, {1000, 50}, {20 << 10, 1 << 10}, {1 << 20, 1 << 10}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct statfs fs = {.f_blocks = all[i].mib * 256, .f_bsize = 4096, .f_frsize = 4096};
		ck_assert_uint_eq(budget_left(&fs), all[i].left_mib * MIB);
	}
}
END_TEST

/* FUSE and network file systems may have blocks of a megabyte, and count fragments. */
START_TEST(fragments_are_counted)
{
	struct statfs fs = {.f_blocks = 256000, .f_bavail = 25600, .f_bsize = 1 << 20, .f_frsize = 4096};
	ck_assert_uint_eq(budget_free(&fs), 100 * MIB);
	ck_assert_uint_eq(budget_left(&fs), 50 * MIB);
	fs.f_frsize = 0; /* a kernel that does not report it */
	fs.f_bsize = 4096;
	ck_assert_uint_eq(budget_free(&fs), 100 * MIB);
}
END_TEST

/* Records until recording stops, with a limit of bytes written, or of space left free. Returns meta. */
static char *stop(struct session *session, uint64_t most_bytes, uint64_t left_bytes, unsigned cause)
{
	put(0);
	session->budget.most_bytes = most_bytes;
	session->budget.left_bytes = left_bytes;
	put_many(SMALL_RECORDS * 50);
	ck_assert_uint_eq(session_stopped(session), cause);
	session_end("finalize");
	char *meta = dump_meta(session->dir.path);
	dump_remove();
	return meta;
}

/* Each process counts what it writes itself: the file system may report that late, or never. */
START_TEST(half_is_counted)
{
	char *meta = stop(dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL), 40 << 10, 0, loss_cause_limit);
	ck_assert_ptr_nonnull(strstr(meta, "\nstopped limit "));
	ck_assert_ptr_nonnull(strstr(meta, "\nnote recording stopped: the run has taken half"));
	ck_assert_ptr_nonnull(strstr(meta, "--keep=newest"));
}
END_TEST

START_TEST(half_is_left)
{
	char *meta = stop(dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL), 0, UINT64_MAX / 2, loss_cause_limit);
	ck_assert_ptr_nonnull(strstr(meta, "\nnote recording stopped: the run has taken half"));
}
END_TEST

/* OTTER_LIMIT is the only limit but for 16 MiB. */
START_TEST(a_limit_takes_the_place_of_the_default)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", "OTTER_LIMIT", "100G", NULL);
	ck_assert_uint_eq(session->budget.left_bytes, BUDGET_LEFT_MIN);
	ck_assert_uint_eq(session->budget.most_bytes, UINT64_C(100) << 30);
	put_many(SMALL_RECORDS * 50);
	ck_assert_uint_eq(session_stopped(session), 0);
	session_end("finalize");
	dump_remove();
}
END_TEST

START_TEST(the_file_system_is_queried_seldom)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct disk_budget *room = &session->budget;
	int fd = open(session->dir.path, O_RDONLY);
	ck_assert_int_eq(budget_take(session, fd, 4096), 0);
	int64_t granted = room->granted_bytes;
	ck_assert_int_gt(granted, 8192);
	room->until_ns = UINT64_MAX;
	room->left_bytes = UINT64_MAX / 2; /* what the file system has is not enough, but it is not read */
	ck_assert_int_eq(budget_take(session, fd, 4096), 0);
	ck_assert_int_eq(room->granted_bytes, granted - 4096);
	room->granted_bytes = 4095;
	ck_assert_int_eq(budget_take(session, fd, 4096), loss_cause_limit);
	room->granted_bytes = 1 << 20;
	room->until_ns = 1;
	ck_assert_int_eq(budget_take(session, fd, 4096), loss_cause_limit);
	ck_assert(!budget_has(session, fd, 4096));
	session_end("finalize");
	ck_assert_int_eq(budget_take(session, fd, 4096), 0); /* in exchange for a ring */
	close(fd);
	dump_remove();
}
END_TEST

/* Sets OTTER_FREE as at a start with `bytes` free, on this file system or `which`. */
static void set_start(uint64_t bytes, const char *which)
{
	char now[BUDGET_START_BYTES], text[BUDGET_START_BYTES];
	ck_assert(budget_put_start(now, "/tmp"));
	snprintf(text, sizeof text, "%" PRIu64 "%s", bytes, which ? which : strchr(now, ' '));
	setenv("OTTER_FREE", text, 1);
}

static struct session *begin(void)
{
	return dump_begin("OTTER_RING", SMALL_RING, NULL);
}

START_TEST(the_start_of_the_run_counts)
{
	set_start(7000 * MIB, NULL);
	struct session *session = begin();
	ck_assert_uint_eq(session->budget.start_bytes, 7000 * MIB);
	ck_assert_uint_eq(session->budget.left_bytes, 3500 * MIB);
	ck_assert_uint_eq(session->budget.most_bytes, 3500 * MIB);
	session_end("finalize");
	dump_remove();
}
END_TEST

START_TEST(the_start_on_another_file_system_does_not)
{
	static const char *const others[] = {" 1 host", "", " ", " 1", " x y", "x"};
	set_start(1, others[_i]);
	struct session *session = begin();
	ck_assert_uint_gt(session->budget.start_bytes, 1);
	session_end("finalize");
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("room");
	TCase *room = tcase_create("room");
	tcase_add_test(room, a_twentieth_is_left_within_bounds);
	tcase_add_test(room, fragments_are_counted);
	tcase_add_test(room, half_is_counted);
	tcase_add_test(room, half_is_left);
	tcase_add_test(room, a_limit_takes_the_place_of_the_default);
	tcase_add_test(room, the_file_system_is_queried_seldom);
	tcase_add_test(room, the_start_of_the_run_counts);
	tcase_add_loop_test(room, the_start_on_another_file_system_does_not, 0, 6);
	suite_add_tcase(suite, room);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
