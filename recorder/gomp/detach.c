/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks with a detach clause. gcc's code reads the event where its data begin, before the task may run; libomp's GOMP_task()
 * does not put it there. Such a task is made by the entries that clang's code uses; all others are libomp's.
 */
#include <stdlib.h>
#include <string.h>

#include "recorder/gomp/libomp.h"

/* The interface of gcc's code. */
enum { TASK_UNTIED = 1 << 0, TASK_FINAL = 1 << 1, TASK_DEPEND = 1 << 3, TASK_DETACH = 1 << 13 };
enum { DEPEND_IN = 1, DEPEND_MUTEXINOUTSET = 4, DEPEND_INOUTSET = 5 };

/* The interface of clang's code: kmp_tasking_flags_t, kmp_task_t, ident_t, kmp_depend_info_t. */
enum { KMP_TIED = 1 << 0, KMP_FINAL = 1 << 1, KMP_DETACHABLE = 1 << 6 };
enum { KMP_IN = 1, KMP_INOUT = 3, KMP_MUTEXINOUTSET = 4, KMP_INOUTSET = 8 };
struct kmp_task {
	void *shareds;
	int32_t (*routine)(int32_t thread, struct kmp_task *task);
	int32_t part;
	union {
		int32_t priority;
		void *destructors;
	} data1, data2;
};
struct kmp_dependence {
	void *address;
	size_t n_bytes;
	uint8_t kind;
};
struct kmp_location {
	int32_t reserved_1, flags, reserved_2, reserved_3;
	const char *source;
};

typedef void task_function(void *data);
typedef void copy_function(void *to, void *from);

struct gcc_task {
	task_function *function;
	void *data;
	char room[];
};

LLVM(void, GOMP_task, task_function *function, void *data, copy_function *copy, long n_bytes, long alignment, bool is_deferred,
     unsigned flags, void **dependences, int priority, void **event);
LLVM(int32_t, __kmpc_global_thread_num, void *location);
LLVM(struct kmp_task *, __kmpc_omp_task_alloc, struct kmp_location *location, int32_t thread, int32_t flags, size_t n_bytes,
     size_t n_bytes_shareds, int32_t (*routine)(int32_t thread, struct kmp_task *task));
LLVM(void *, __kmpc_task_allow_completion_event, struct kmp_location *location, int32_t thread, struct kmp_task *task);
LLVM(int32_t, __kmpc_omp_task, struct kmp_location *location, int32_t thread, struct kmp_task *task);
LLVM(int32_t, __kmpc_omp_task_with_deps, struct kmp_location *location, int32_t thread, struct kmp_task *task, int32_t n,
     struct kmp_dependence *dependences, int32_t n_noalias, struct kmp_dependence *noalias);
LLVM(int32_t, __kmpc_omp_taskwait, struct kmp_location *location, int32_t thread);

static int32_t run(int32_t thread, struct kmp_task *task)
{
	(void)thread;
	struct gcc_task *gcc_task = task->shareds;
	gcc_task->function(gcc_task->data);
	return 0;
}

static uint8_t kind_of_object(uintptr_t kind)
{
	return kind == DEPEND_IN              ? KMP_IN
	       : kind == DEPEND_MUTEXINOUTSET ? KMP_MUTEXINOUTSET
	       : kind == DEPEND_INOUTSET      ? KMP_INOUTSET
					      : KMP_INOUT;
}

/* Converts gcc's list: its lengths, then the addresses by kind, and those of dependence objects last. */
static void convert(struct kmp_dependence *to, size_t n, void **from)
{
	bool is_short = from[0] != NULL;
	size_t n_out = (size_t)from[is_short ? 1 : 2], n_mutex = is_short ? 0 : (size_t)from[3];
	size_t n_in = is_short ? n - n_out : (size_t)from[4];
	void **addresses = from + (is_short ? 2 : 5);
	for (size_t i = 0; i < n; i++) {
		if (i < n_out + n_mutex + n_in) {
			uint8_t kind = i < n_out ? KMP_INOUT : i < n_out + n_mutex ? KMP_MUTEXINOUTSET : KMP_IN;
			to[i] = (struct kmp_dependence){addresses[i], sizeof(void *), kind};
		} else {
			void **object = addresses[i];
			to[i] = (struct kmp_dependence){object[0], sizeof(void *), kind_of_object((uintptr_t)object[1])};
		}
	}
}

/* Not inlined: GOMP_task() would need a frame for it, and could not end in a call. */
__attribute__((noinline)) static void make(task_function *function, void *data, copy_function *copy, long n_bytes, long alignment,
					   bool is_deferred, unsigned flags, void **dependences, void **event)
{
	static struct kmp_location location = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};
	int32_t thread = llvm___kmpc_global_thread_num(&location);
	int32_t kinds = KMP_DETACHABLE | (flags & TASK_UNTIED ? 0 : KMP_TIED) | (flags & TASK_FINAL ? KMP_FINAL : 0);
	uintptr_t mask = alignment > 0 ? (uintptr_t)alignment - 1 : 0;
	struct kmp_task *task = llvm___kmpc_omp_task_alloc(&location, thread, kinds, sizeof *task,
							   sizeof(struct gcc_task) + (size_t)n_bytes + mask, run);
	struct gcc_task *gcc_task = task->shareds;
	uintptr_t room = (uintptr_t)gcc_task->room;
	gcc_task->function = function;
	gcc_task->data = gcc_task->room + ((mask + 1 - (room & mask)) & mask);
	if (copy)
		copy(gcc_task->data, data);
	else if (n_bytes > 0)
		memcpy(gcc_task->data, data, (size_t)n_bytes);
	void *handle = llvm___kmpc_task_allow_completion_event(&location, thread, task);
	*event = handle;
	if (n_bytes >= (long)sizeof handle)
		memcpy(gcc_task->data, &handle, sizeof handle);
	size_t n = flags & TASK_DEPEND ? (size_t)(dependences[0] ? dependences[0] : dependences[1]) : 0;
	if (n) {
		struct kmp_dependence list[n];
		convert(list, n, dependences);
		llvm___kmpc_omp_task_with_deps(&location, thread, task, (int32_t)n, list, 0, NULL);
	} else {
		llvm___kmpc_omp_task(&location, thread, task);
	}
	if (!is_deferred)
		llvm___kmpc_omp_taskwait(&location, thread);
}

/* The call is the last thing that it does, so that libomp sees the program's return address. */
ENTRY void GOMP_task(task_function *function, void *data, copy_function *copy, long n_bytes, long alignment, bool is_deferred,
		     unsigned flags, void **dependences, int priority, void **event);
ENTRY void GOMP_task(task_function *function, void *data, copy_function *copy, long n_bytes, long alignment, bool is_deferred,
		     unsigned flags, void **dependences, int priority, void **event)
{
	if (flags & TASK_DETACH)
		make(function, data, copy, n_bytes, alignment, is_deferred, flags, dependences, event);
	else
		llvm_GOMP_task(function, data, copy, n_bytes, alignment, is_deferred, flags, dependences, priority, event);
}
