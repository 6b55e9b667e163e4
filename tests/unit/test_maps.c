/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mappings that meta lists, of a process that has more of them than fit into one block.
 */
#include <check.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "recorder/session/session_life.h"
#include "tests/unit/small_ring.h"

#define N_MAPPINGS 4000 /* of PATH_BYTES each: 1.5 MiB in /proc/self/maps */
#define PATH_BYTES 320

static char deep[PATH_BYTES + 64];

/* Makes a file whose name is PATH_BYTES long, and maps it N_MAPPINGS times, at places that the kernel does not join. */
static void map_often(void)
{
	const char *root = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	snprintf(deep, sizeof deep, "%s/otter-maps-XXXXXX", root);
	ck_assert_ptr_nonnull(mkdtemp(deep));
	size_t length = strlen(deep);
	deep[length++] = '/';
	memset(deep + length, 'd', 200);
	length += 200;
	deep[length] = '\0';
	ck_assert_int_eq(mkdir(deep, 0700), 0);
	deep[length++] = '/';
	memset(deep + length, 'f', PATH_BYTES - length);
	deep[PATH_BYTES] = '\0';
	int fd = open(deep, O_RDWR | O_CREAT | O_EXCL, 0700);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 4096), 0);
	char *room = mmap(NULL, 2 * N_MAPPINGS * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ck_assert_ptr_ne(room, MAP_FAILED);
	for (size_t i = 0; i < N_MAPPINGS; i++)
		ck_assert_ptr_ne(mmap(room + 2 * i * 4096, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0),
				 MAP_FAILED);
	close(fd);
}

static void remove_deep(void)
{
	unlink(deep);
	for (int i = 0; i < 2; i++) {
		*strrchr(deep, '/') = '\0';
		rmdir(deep);
	}
}

static size_t count_text(const char *text, const char *wanted)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, wanted)); p++)
		n++;
	return n;
}

START_TEST(every_mapping_is_listed_however_many_there_are)
{
	map_often();
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put(0);
	session_end("finalize");
	const char *meta = dump_meta(session->dir.path);
	ck_assert_uint_eq(count_text(meta, deep), N_MAPPINGS);
	ck_assert_uint_eq(count_text(meta, "\nmaps_at "), 1); /* nothing has changed until the end */
	ck_assert_ptr_nonnull(strstr(meta, "\nended finalize\n"));
	dump_remove();
	remove_deep();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("maps");
	TCase *tests = tcase_create("maps");
	tcase_set_timeout(tests, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(tests, every_mapping_is_listed_however_many_there_are);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
