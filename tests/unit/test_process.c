/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the recorder must not change in the process that it records: errno, cancellation, descriptors, and the children
 * of a fork.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "recorder/drain/drain.h"
#include "recorder/drain/file.h"
#include "recorder/drain/output.h"
#include "recorder/ring/record.h"
#include "tests/unit/small_ring.h"

static bool has_survived;

static void *cancelled_thread(void *argument)
{
	pthread_cancel(pthread_self());
	errno = 77;
	put_many(SMALL_RECORDS * 3);
	has_survived = errno == 77;
	pthread_testcancel();
	has_survived = false;
	return argument;
}

/* Writing a file is a point of cancellation and changes errno. The program must notice neither. */
START_TEST(slow_path_is_not_noticed)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	pthread_t thread;
	pthread_create(&thread, NULL, cancelled_thread, NULL);
	pthread_join(thread, NULL);
	ck_assert(has_survived);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 3);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* The program may close all descriptors: the recorder keeps none open that could be among them. */
START_TEST(no_descriptor_is_kept)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put_many(SMALL_RECORDS * 20);
	char path[64];
	char target[PATH_MAX];
	for (int fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		ck_assert_ptr_null(strstr(target, session->dir.path));
	}
	dump_remove();
}
END_TEST

/* file_forget_all, which fork's handler calls in a child, called without a fork: the thread's open file is gone. */
START_TEST(files_at_hand_are_forgotten_once)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct file file;
	char path[PATH_MAX], byte = 0;
	ck_assert(!file_forget_all());
	ck_assert_int_eq(file_name(&file, session, &session->dir, FILE_NO_NUMBER, "/any"), 0);
	snprintf(path, sizeof path, "%s", file.path);
	ck_assert_int_eq(file_open(&file, O_RDWR | O_CREAT), 0);
	ck_assert_int_eq(ftruncate(file.fd, 4096), 0);
	int fd = file.fd;
	file.mapping_bytes = 4096;
	file.mapping = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(file.mapping, MAP_FAILED);
	ck_assert(file_forget_all());
	ck_assert_str_eq(file.path, "");
	ck_assert_int_ne(fcntl(fd, F_GETFD), -1); /* the descriptor is still open, */
	ck_assert_int_eq(write(fd, "x", 1), -1);  /* and nothing can be written to it */
	*(volatile char *)file.mapping = 1;
	int again = open(path, O_RDONLY);
	ck_assert_int_eq(again, fd + 1); /* no other descriptor was left open */
	ck_assert_int_eq(read(again, &byte, 1), 1);
	ck_assert_int_eq(byte, 0);
	ck_assert(!file_forget_all());
	file_close(&file);
	dump_remove();
}
END_TEST

/* A fork can come between opening a file and storing its descriptor, and while its name is being written. */
START_TEST(files_on_their_way_are_forgotten)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct file file;
	ck_assert_int_eq(file_name(&file, session, &session->dir, FILE_NO_NUMBER, "/any"), 0);
	int fd = open(file.path, O_WRONLY | O_CREAT, 0600);
	ck_assert(file_forget_all());
	ck_assert_int_eq(write(fd, "x", 1), -1);
	ck_assert_str_eq(file.path, "");
	file_close(&file);
	ck_assert_int_eq(file_name(&file, session, &session->dir, FILE_NO_NUMBER, "/any"), 0);
	file.path[0] = '\0'; /* file_name() writes the first byte last */
	ck_assert(file_forget_all());
	file.path[0] = (char)(file.path[0] + '/');
	ck_assert_str_eq(file.path, "");
	file_close(&file);
	dump_remove();
}
END_TEST

/* The same in a child with no descriptor left for the one that replaces the file's and cannot be written to. */
START_TEST(file_at_hand_is_closed_where_nothing_can_be_opened)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	struct file file;
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(file_name(&file, session, &session->dir, FILE_NO_NUMBER, "/any"), 0);
	ck_assert_int_eq(file_open(&file, O_WRONLY | O_CREAT), 0);
	int fd = file.fd;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, limit.rlim_max});
	ck_assert(file_forget_all());
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	file.fd = -1;
	file_close(&file);
	dump_remove();
}
END_TEST

/* The drain thread's id. It gives itself its name last before it drains: the function waits for the name. */
static long drain_thread_id(void)
{
	char path[300], name[32];
	for (;;) {
		DIR *tasks = opendir("/proc/self/task");
		ck_assert_ptr_nonnull(tasks);
		for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
			snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
			FILE *f = fopen(path, "r");
			bool is_it = f != NULL && fgets(name, sizeof name, f) != NULL && strcmp(name, "otter-drain\n") == 0;
			if (f != NULL)
				fclose(f);
			if (is_it) {
				long id = strtol(entry->d_name, NULL, 10);
				closedir(tasks);
				return id;
			}
		}
		closedir(tasks);
		sched_yield();
	}
}

/* The drain thread has a table of descriptors without the program's, so neither can close the other's. */
START_TEST(drain_thread_has_descriptors_of_its_own)
{
	int low = open("/proc/self/status", O_RDONLY), high = fcntl(low, F_DUPFD, 700);
	ck_assert_int_ge(high, 700);
	dump_begin("OTTER_RING", SMALL_RING, "OTTER_FULL", "drop", NULL); /* with "drop" its priority is not idle */
	put_many(SMALL_RECORDS * 3);
	char path[64], target[PATH_MAX];
	snprintf(path, sizeof path, "/proc/self/task/%ld/fd/%d", drain_thread_id(), high);
	if (readlink(path, target, sizeof target) >= 0) { /* before Linux 5.9 they share a table */
		int rc = (int)syscall(SYS_close_range, 1000000u, 1000000u, 0);
		ck_assert_int_eq(rc, -1);
		ck_assert_int_eq(errno, ENOSYS);
	}
	ck_assert_int_ne(fcntl(low, F_GETFD), -1);
	ck_assert_int_ne(fcntl(high, F_GETFD), -1);
	for (int fd = 0; fd < 3; fd++)
		ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
	session_end("finalize");
	dump_remove();
}
END_TEST

/* A child has a directory and streams of its own, and its parent's dump stays as it was. */
START_TEST(forked_child_has_its_own_session)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	put_many(10);
	pid_t child = fork();
	if (child == 0) {
		bool is_good = session_get() == NULL && session_is_child() && tls_stream == STREAM_NONE;
		put_many(SMALL_RECORDS * 30);
		is_good &= session_get() && strcmp(session_get()->dir.path, session->dir.path) != 0 && tls_stream->number == 0;
		session_end("finalize");
		struct dump *dump = dump_open(session_get()->dir.path, SMALL_SEGMENT);
		is_good &= count_numbers(dump, 0) == SMALL_RECORDS * 30;
		_exit(is_good ? 0 : 1);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	for (uint64_t i = 10; i < 20; i++)
		put(i);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 20);
	dump_remove();
}
END_TEST

/* A signal handler forks in the middle of an append. The child finishes the append in memory of its own. */
START_TEST(child_of_an_interrupted_append_harms_nobody)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
	put_many(10);
	struct stream *stream = record_enter(clock_ticks());
	pid_t child = fork();
	record_put(stream, clock_ticks(), HEAD, 0, child == 0 ? 1000 : 10);
	record_leave(stream);
	if (child == 0) {
		put_many(SMALL_RECORDS * 30);
		session_end("finalize");
		_exit(0);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), 11);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("process");
	TCase *process = tcase_create("process");
	tcase_add_test(process, slow_path_is_not_noticed);
	tcase_add_test(process, no_descriptor_is_kept);
	tcase_add_test(process, drain_thread_has_descriptors_of_its_own);
	tcase_add_test(process, files_at_hand_are_forgotten_once);
	tcase_add_test(process, files_on_their_way_are_forgotten);
	tcase_add_test(process, file_at_hand_is_closed_where_nothing_can_be_opened);
	tcase_add_test(process, forked_child_has_its_own_session);
	tcase_add_test(process, child_of_an_interrupted_append_harms_nobody);
	suite_add_tcase(suite, process);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
