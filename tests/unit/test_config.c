/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every variable of the environment table: its default, its good values, its bad ones (the default, and a note that names the variable).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/event.h"
#include "common/format.h"
#include "recorder/session/config.h"

static const char *const variables[] = {"OTTER_EVENTS",        "OTTER_DIR",
					"OTTER_RING",          "OTTER_RING_DIR",
					"OTTER_DRAIN",         "OTTER_FULL",
					"OTTER_KEEP",          "OTTER_LIMIT",
					"OTTER_RANKS",         "OTTER_VERBOSE",
					"PMIX_RANK",           "PMI_RANK",
					"SLURM_PROCID",        "OMPI_COMM_WORLD_RANK",
					"MV2_COMM_WORLD_RANK", "SLURM_NTASKS",
					"OTTER_SAMPLE",        "KMP_GTID_MODE",
					"OTTER_RUN",           "PMIX_NAMESPACE",
					"PBS_JOBID",           "SLURM_JOB_ID",
					"SLURM_STEP_ID",       "OTTER_PACK"};

static struct config config;

static void clear(void)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
}

/* Reads with this variable alone. */
static void with(const char *name, const char *value)
{
	clear();
	setenv(name, value, 1);
	config_read(&config);
}

static void good(const char *name, const char *value)
{
	with(name, value);
	ck_assert_msg(config.notes[0] == '\0', "%s=%s: %s", name, value, config.notes);
}

static void bad(const char *name, const char *value)
{
	with(name, value);
	ck_assert_msg(strncmp(config.notes, name, strlen(name)) == 0, "%s=%s has the notes `%s'", name, value, config.notes);
	ck_assert_uint_eq((unsigned char)config.notes[strlen(config.notes) - 1], '\n');
	ck_assert_ptr_eq(strchr(config.notes, '\n'), config.notes + strlen(config.notes) - 1); /* one line */
}

#define BIT(group) (UINT32_C(1) << GROUP_##group)

START_TEST(defaults)
{
	char cwd[PATH_MAX];
	clear();
	config_read(&config);
	ck_assert_str_eq(config.notes, "");
	ck_assert_uint_eq(config.groups, GROUPS_ALL & ~(BIT(dispatch) | BIT(flush) | BIT(lock_init) | BIT(sync_region_wait)));
	ck_assert_str_eq(config.dir, getcwd(cwd, sizeof cwd));
	ck_assert_str_eq(config.ring_dir, "");
	ck_assert_uint_eq(config.segment_bytes, SEGMENT_BYTES_DEFAULT);
	ck_assert(config.has_drain_thread);
	ck_assert(!config.drops_when_full);
	ck_assert(!config.keeps_newest);
	ck_assert_uint_eq(config.limit_bytes, 0);
	ck_assert(!config.is_verbose);
	ck_assert_uint_eq(config.sample_hz, 0);
	ck_assert_int_eq(config.rank, -1);
	ck_assert(config_is_rank_selected(&config));
}
END_TEST

START_TEST(empty_is_unset)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		good(variables[i], "");
	ck_assert_uint_eq(config.groups, GROUPS_DEFAULT);
}
END_TEST

START_TEST(events)
{
	good("OTTER_EVENTS", "all");
	ck_assert_uint_eq(config.groups, GROUPS_ALL);
	ck_assert_uint_eq(config.groups & BIT(error), 0);
	good("OTTER_EVENTS", "+dispatch,-mutex");
	ck_assert_uint_eq(config.groups, (GROUPS_DEFAULT | BIT(dispatch)) & ~BIT(mutex));
	ck_assert_str_eq(config.events, "+dispatch,-mutex");
	good("OTTER_EVENTS", "-all,task,parallel");
	ck_assert_uint_eq(config.groups, BIT(task) | BIT(parallel));
	good("OTTER_EVENTS", "all,-default");
	ck_assert_uint_eq(config.groups, GROUPS_ALL & ~GROUPS_DEFAULT);
	/* callbacks by their own names, short and whole */
	good("OTTER_EVENTS", "-all,+task_schedule,+ompt_callback_lock_destroy,nest_lock,+task_dependence");
	ck_assert_uint_eq(config.groups, BIT(task) | BIT(lock_init) | BIT(mutex) | BIT(dependences));
	const char *const unusable[] = {"tasks",        "+",     ",",    "+task,,",     "-", "all,nonsense",
					"control_tool", "task ", "TASK", "+task;-mutex"};
	for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
		bad("OTTER_EVENTS", unusable[i]);
		ck_assert_uint_eq(config.groups, GROUPS_DEFAULT);
		ck_assert_str_eq(config.events, "default");
	}
}
END_TEST

START_TEST(pack)
{
	good("OTTER_PACK", "auto");
	ck_assert_uint_eq(config.pack, CONFIG_PACK_AUTO);
	good("OTTER_PACK", "on");
	ck_assert_uint_eq(config.pack, CONFIG_PACK_ON);
	good("OTTER_PACK", "off");
	ck_assert_uint_eq(config.pack, CONFIG_PACK_OFF);
	const char *const unusable[] = {"1", "ON", "of", "auto "};
	for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
		bad("OTTER_PACK", unusable[i]);
		ck_assert_uint_eq(config.pack, CONFIG_PACK_AUTO);
	}
	good("OTTER_KEEP", "newest");
	setenv("OTTER_PACK", "on", 1);
	config_read(&config);
	ck_assert_uint_eq(config.pack, CONFIG_PACK_OFF);
	ck_assert_ptr_nonnull(strstr(config.notes, "OTTER_PACK=on has no effect"));
	setenv("OTTER_PACK", "auto", 1);
	config_read(&config);
	ck_assert_uint_eq(config.pack, CONFIG_PACK_OFF);
	ck_assert_str_eq(config.notes, "");
}
END_TEST

/* The groups are those of the event table, all of them and no others. */
START_TEST(groups_are_those_of_the_table)
{
	uint32_t seen = 0;
	for (unsigned i = 0; i < n_event_infos; i++) {
		if (strcmp(event_infos[i].group, "-") == 0)
			continue;
		int group = 0;
		while (group < N_EVENT_GROUPS && strcmp(config_group_name((enum event_group)group), event_infos[i].group) != 0)
			group++;
		ck_assert_msg(group < N_EVENT_GROUPS, "group %s of the table is not in config", event_infos[i].group);
		seen |= UINT32_C(1) << group;
	}
	ck_assert_uint_eq(seen, GROUPS_ALL | BIT(error));
}
END_TEST

START_TEST(directories)
{
	char cwd[PATH_MAX], expected[PATH_MAX + 16];
	ck_assert_int_eq(chdir("/tmp"), 0);
	ck_assert_ptr_nonnull(getcwd(cwd, sizeof cwd));
	good("OTTER_DIR", "/somewhere/else//");
	ck_assert_str_eq(config.dir, "/somewhere/else");
	good("OTTER_DIR", "/");
	ck_assert_str_eq(config.dir, "/");
	good("OTTER_DIR", ".");
	ck_assert_str_eq(config.dir, cwd);
	good("OTTER_DIR", "below/it");
	snprintf(expected, sizeof expected, "%s/below/it", cwd);
	ck_assert_str_eq(config.dir, expected);
	good("OTTER_RING_DIR", "/dev/shm");
	ck_assert_str_eq(config.ring_dir, "/dev/shm");
	static char far[PATH_MAX + 10];
	memset(far, 'x', sizeof far - 1);
	far[0] = '/';
	bad("OTTER_DIR", far);
	ck_assert_str_eq(config.dir, cwd);
	bad("OTTER_RING_DIR", far);
	ck_assert_str_eq(config.ring_dir, "");
}
END_TEST

START_TEST(ring)
{
	good("OTTER_RING", "2M");
	ck_assert_uint_eq(config.segment_bytes, 256 * 1024);
	good("OTTER_RING", "32k");
	ck_assert_uint_eq(config.segment_bytes, 4096);
	good("OTTER_RING", "65536");
	ck_assert_uint_eq(config.segment_bytes, 8192);
	good("OTTER_RING", "128M");
	ck_assert_uint_eq(config.segment_bytes, SEGMENT_BYTES_MAX);
	/* usable after rounding, which is said */
	bad("OTTER_RING", "3M");
	ck_assert_uint_eq(config.segment_bytes, 256 * 1024);
	bad("OTTER_RING", "1");
	ck_assert_uint_eq(config.segment_bytes, SEGMENT_BYTES_MIN);
	bad("OTTER_RING", "1G");
	ck_assert_uint_eq(config.segment_bytes, SEGMENT_BYTES_MAX);
	const char *const unusable[] = {"0",   "-1", "two", "2X", "2MB", " 2M", "99999999999999999999", "18446744073709551615G",
					"0x10"};
	for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
		bad("OTTER_RING", unusable[i]);
		ck_assert_uint_eq(config.segment_bytes, SEGMENT_BYTES_DEFAULT);
	}
}
END_TEST

START_TEST(words)
{
	good("OTTER_DRAIN", "auto");
	ck_assert(config.has_drain_thread);
	good("OTTER_DRAIN", "self");
	ck_assert(!config.has_drain_thread);
	bad("OTTER_DRAIN", "thread");
	ck_assert(config.has_drain_thread);
	good("OTTER_FULL", "wait");
	ck_assert(!config.drops_when_full);
	good("OTTER_FULL", "drop");
	ck_assert(config.drops_when_full);
	bad("OTTER_FULL", "Drop");
	ck_assert(!config.drops_when_full);
	good("OTTER_KEEP", "all");
	ck_assert(!config.keeps_newest);
	good("OTTER_KEEP", "newest");
	ck_assert(config.keeps_newest);
	ck_assert_uint_eq(config.limit_bytes, 256 * 1024 * 1024);
	bad("OTTER_KEEP", "some\nof it");
	ck_assert(!config.keeps_newest);
	good("OTTER_VERBOSE", "0");
	ck_assert(!config.is_verbose);
	good("OTTER_VERBOSE", "1");
	ck_assert(config.is_verbose);
	bad("OTTER_VERBOSE", "very");
	ck_assert(!config.is_verbose);
}
END_TEST

START_TEST(sample)
{
	good("OTTER_SAMPLE", "1000");
	ck_assert_uint_eq(config.sample_hz, 1000);
	ck_assert(!config.samples_cpu_time);
	ck_assert_str_eq(config.sample, "1000");
	good("OTTER_SAMPLE", "50000,wall");
	ck_assert_uint_eq(config.sample_hz, 50000);
	ck_assert(!config.samples_cpu_time);
	good("OTTER_SAMPLE", "1,cpu");
	ck_assert_uint_eq(config.sample_hz, 1);
	ck_assert(config.samples_cpu_time);
	const char *const unusable[] = {"0",
					"-1",
					"50001",
					"1k",
					"1000,",
					"1000,user",
					"1000, cpu",
					"cpu",
					"1000,cpu,wall",
					" 1000",
					"+1000",
					"1e3",
					"1000000000000000000000000000000"};
	for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
		bad("OTTER_SAMPLE", unusable[i]);
		ck_assert_uint_eq(config.sample_hz, 0);
		ck_assert_str_eq(config.sample, "");
	}
	clear();
	setenv("OTTER_SAMPLE", "1000", 1);
	setenv("OTTER_DRAIN", "self", 1);
	config_read(&config);
	ck_assert_str_eq(config.notes, "OTTER_SAMPLE needs the drain thread: OTTER_DRAIN=self is not used\n");
	ck_assert(config.has_drain_thread);
	ck_assert_uint_eq(config.sample_hz, 1000);
	clear();
	setenv("OTTER_SAMPLE", "1000", 1);
	setenv("KMP_GTID_MODE", "1", 1);
	config_read(&config);
	ck_assert_str_eq(config.notes, "OTTER_SAMPLE: nothing is sampled with KMP_GTID_MODE=1\n");
	ck_assert_uint_eq(config.sample_hz, 0);
	setenv("KMP_GTID_MODE", "3", 1);
	config_read(&config);
	ck_assert_str_eq(config.notes, "");
	ck_assert_uint_eq(config.sample_hz, 1000);
}
END_TEST

START_TEST(drop_needs_a_drain_thread)
{
	clear();
	setenv("OTTER_DRAIN", "self", 1);
	setenv("OTTER_FULL", "drop", 1);
	config_read(&config);
	ck_assert(!config.drops_when_full);
	ck_assert_ptr_nonnull(strstr(config.notes, "OTTER_FULL"));
}
END_TEST

START_TEST(limit)
{
	good("OTTER_LIMIT", "10G");
	ck_assert_uint_eq(config.limit_bytes, UINT64_C(10) << 30);
	bad("OTTER_LIMIT", "much");
	ck_assert_uint_eq(config.limit_bytes, 0);
	clear();
	setenv("OTTER_KEEP", "newest", 1);
	setenv("OTTER_LIMIT", "1M", 1);
	config_read(&config);
	ck_assert_uint_eq(config.limit_bytes, 1 << 20);
}
END_TEST

START_TEST(rank)
{
	const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		good(names[i], "17");
		ck_assert_int_eq(config.rank, 17);
	}
	/* A batch script has a SLURM_PROCID as well. */
	good("SLURM_PROCID", "0");
	ck_assert_int_eq(config.rank, -1);
	setenv("SLURM_NTASKS", "1", 1);
	config_read(&config);
	ck_assert_int_eq(config.rank, -1);
	setenv("SLURM_NTASKS", "4", 1);
	config_read(&config);
	ck_assert_int_eq(config.rank, 0);
}
END_TEST

/* Reads with this variable beside those that are set. */
static const char *run_with(const char *name, const char *value)
{
	setenv(name, value, 1);
	config_read(&config);
	return config.run;
}

START_TEST(run)
{
	clear();
	config_read(&config);
	ck_assert_str_eq(config.run, "");
	ck_assert_str_eq(run_with("PBS_JOBID", "7.host"), "PBS_JOBID 7.host");
	ck_assert_str_eq(run_with("SLURM_JOB_ID", "8"), "PBS_JOBID 7.host"); /* of a batch script */
	ck_assert_str_eq(run_with("SLURM_STEP_ID", "2"), "SLURM_JOB_ID 8.2");
	ck_assert_str_eq(run_with("PMIX_NAMESPACE", "job 9"), "PMIX_NAMESPACE job 9");
	ck_assert_str_eq(run_with("OTTER_RUN", "mine"), "OTTER_RUN mine");
	ck_assert_str_eq(run_with("OTTER_RUN", ""), "PMIX_NAMESPACE job 9");
	char longer[2 * CONFIG_RUN_BYTES];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	ck_assert_str_eq(run_with("OTTER_RUN", longer), "");
	ck_assert_ptr_nonnull(strstr(config.notes, "OTTER_RUN: unusable value"));
}
END_TEST

static bool is_selected(const char *ranks, const char *own)
{
	clear();
	if (own)
		setenv("PMIX_RANK", own, 1);
	setenv("OTTER_RANKS", ranks, 1);
	config_read(&config);
	ck_assert_str_eq(config.notes, "");
	return config_is_rank_selected(&config);
}

START_TEST(ranks)
{
	ck_assert(is_selected("0-3,8", "0"));
	ck_assert(is_selected("0-3,8", "3"));
	ck_assert(!is_selected("0-3,8", "4"));
	ck_assert(is_selected("0-3,8", "8"));
	ck_assert(!is_selected("5", "50"));
	ck_assert(is_selected("5", NULL)); /* not a rank of anything */
	const char *const unusable[] = {"a", "1-", "-1", "3-1", "1,", ",1", "1;2", "1 2"};
	for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
		bad("OTTER_RANKS", unusable[i]);
		ck_assert_str_eq(config.ranks, "");
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config");
	TCase *table = tcase_create("table");
	tcase_add_test(table, defaults);
	tcase_add_test(table, empty_is_unset);
	tcase_add_test(table, events);
	tcase_add_test(table, groups_are_those_of_the_table);
	tcase_add_test(table, directories);
	tcase_add_test(table, ring);
	tcase_add_test(table, words);
	tcase_add_test(table, drop_needs_a_drain_thread);
	tcase_add_test(table, sample);
	tcase_add_test(table, limit);
	tcase_add_test(table, rank);
	tcase_add_test(table, ranks);
	tcase_add_test(table, run);
	tcase_add_test(table, pack);
	suite_add_tcase(suite, table);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
