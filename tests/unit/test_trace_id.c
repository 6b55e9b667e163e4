/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The identifier of an archive, which follows from its dumps.
 */
#include "tests/unit/otf2_fixture.h"
#include "builder/otf2/mapping.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static uint64_t id_of(const struct trace *one)
{
	return trace_id_of(one, 1);
}

START_TEST(another_dump_has_another_identifier)
{
	otf2_begin_program();
	otf2_end_program();
	dump_writer_finish(&otf2_writer);
	struct trace other[2];
	memset(other, 0, sizeof other);
	ck_assert_int_eq(dump_open(&other[0].dump, otf2_dir), 0);
	other[1] = other[0];
	uint64_t id = id_of(&other[0]);
	ck_assert_uint_eq(id_of(&other[1]), id);
	ck_assert_uint_ne(trace_id_of(other, 2), id);
	other[1].dump.meta.pid++;
	ck_assert_uint_ne(id_of(&other[1]), id);
	other[1] = other[0];
	other[1].dump.meta.start.ticks += UINT64_C(1) << 40;
	ck_assert_uint_ne(id_of(&other[1]), id);
	other[1] = other[0];
	other[1].dump.meta.host = "elsewhere";
	ck_assert_uint_ne(id_of(&other[1]), id);
	other[0].dump.streams[1].n_records++; /* of a process that still runs */
	ck_assert_uint_ne(id_of(&other[0]), id);
	dump_close(&other[0].dump);
}
END_TEST

/* Nothing tells which of two places is the identifier's. */
START_TEST(an_anchor_with_the_identifier_in_two_places_is_left_alone)
{
	otf2_begin_program();
	otf2_end_program();
	otf2_build(2);
	char anchor[160], written[sizeof archive_trace_id];
	snprintf(anchor, sizeof anchor, "%s/traces.otf2", otf2_out);
	ck_assert_int_eq(trace_id_set(anchor, archive_trace_id), 0);
	FILE *file = fopen(anchor, "a");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(&archive_trace_id, sizeof archive_trace_id, 1, file), 1);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(trace_id_set(anchor, 1), -1);
	file = fopen(anchor, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, -(long)sizeof written, SEEK_END), 0);
	ck_assert_uint_eq(fread(written, sizeof written, 1, file), 1);
	fclose(file);
	ck_assert_mem_eq(written, &archive_trace_id, sizeof written);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_id");
	TCase *tests = tcase_create("synthetic dumps");
	tcase_add_checked_fixture(tests, otf2_setup, otf2_teardown);
	tcase_add_test(tests, another_dump_has_another_identifier);
	tcase_add_test(tests, an_anchor_with_the_identifier_in_two_places_is_left_alone);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
