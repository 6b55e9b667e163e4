/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The record of a task's creation keeps all flags that the runtime gives, also those that came with OpenMP 6.0, and those that may come yet.
 */
#include <check.h>

#include "recorder/omp/callbacks.h"
#include "tests/recorder_dump.h"

#define CODEPTR UINT64_C(0x00f2345678abcdef) /* an address of 56 bits: more than any processor gives a program */

static const struct {
	unsigned given; /* as ompt_task_flag_t */
	unsigned kept;  /* as task_flags */
} flags[] = {
	{ompt_task_explicit, task_flags_explicit},
	{ompt_task_explicit | 1u << 31 | 1u << 27, task_flags_explicit | task_flags_merged | task_flags_undeferred},
	{ompt_task_explicit | 1u << 25, task_flags_explicit | task_flags_importing},
	{ompt_task_explicit | 1u << 26 | 1u << 28, task_flags_explicit | task_flags_exporting | task_flags_untied},
	{ompt_task_target | 3u << 25, task_flags_target | task_flags_importing | task_flags_exporting},
	{ompt_task_explicit | 1u << 24, task_flags_explicit | 1 << 14},
	{ompt_task_explicit | 1u << 19, task_flags_explicit | 1 << 19},
	{ompt_task_explicit | 0x3fu << 19, task_flags_explicit | 0x3f << 14},
	{ompt_task_explicit | 1u << 18, task_flags_explicit | task_flags_others},
	{ompt_task_explicit | 1u << 5, task_flags_explicit | task_flags_others},
	{0xffffffff, 0xfffff},
};

#define N_FLAGS (sizeof flags / sizeof *flags)

START_TEST(each_flag_has_its_place)
{
	ompt_data_t parent = {.value = id_make(0, 1)}, tasks[N_FLAGS] = {{0}};
	struct session *session = dump_begin("OTTER_RING", "32K", "OTTER_DRAIN", "self", NULL);
	ck_assert_ptr_nonnull(session);
	for (size_t i = 0; i < N_FLAGS; i++)
		on_task_create(&parent, NULL, &tasks[i], (int)flags[i].given, flags[i].kept & task_flags_has_dependences,
			       (const void *)(uintptr_t)(CODEPTR - i));
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, 4096);
	size_t n_records, n_found = 0;
	struct record *records = dump_records(dump, 0, &n_records);
	for (size_t i = 0; i < n_records; i++) {
		if (record_kind(&records[i]) != EVENT_task_create)
			continue;
		ck_assert_uint_lt(n_found, N_FLAGS);
		ck_assert_uint_eq(record_create_flags(&records[i]), flags[n_found].kept);
		ck_assert_uint_eq(record_create_codeptr(&records[i]), CODEPTR - n_found);
		ck_assert_uint_eq(records[i].a, parent.value);
		bool is_wait = flags[n_found].given & ompt_task_taskwait; /* of which the runtime is not told the id */
		ck_assert_uint_eq(tasks[n_found].value, is_wait ? 0 : id_make(0, record_value(&records[i])));
		n_found++;
	}
	ck_assert_uint_eq(n_found, N_FLAGS);
	free(records);
	free(dump);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("task_flags");
	TCase *tests = tcase_create("task_create");
	tcase_add_test(tests, each_flag_has_its_place);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
