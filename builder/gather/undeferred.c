/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's undeferred tasks with dependences. LLVM's runtime reports such a task in two halves: a wait with the
 * dependences, whose dummy task never runs, and a task without any (Q34). A `taskwait` with dependences that another
 * undeferred task follows looks the same, and in a team of one every task is undeferred. The distance of the two return
 * addresses does not distinguish the cases; the program's machine code does (code.h). Where that is not available, nothing
 * is joined (Q45). task.c calls gather_join_wait() on the thread that walks the stream.
 */
#include "builder/gather/stream.h"

/*
 * Are the wait that returned to `wait` and the task whose creation returned to `task` the two halves of one construct?
 *
 * gcc: GOMP_task calls both functions of the runtime. The first one takes the program's return address from it, so
 * that the second one finds one inside the runtime. A `taskwait` with dependences calls GOMP_taskwait_depend.
 *
 * clang: __kmpc_omp_taskwait_deps_51 or __kmpc_omp_wait_deps is called, and then __kmpc_omp_task_begin_if0, one
 * after the other. A `taskwait` with dependences calls the former as well; but then the task that follows has to be
 * allocated by another call.
 */
static enum code_answer are_halves(struct modules *modules, uint64_t wait, uint64_t task, bool is_in_runtime)
{
	if (is_in_runtime)
		return code_calls(modules, wait, "GOMP_taskwait_depend") == CODE_YES ? CODE_NO : CODE_YES;
	if (wait == 0 || task == 0)
		return CODE_UNKNOWN;
	enum code_answer is_of_clang = code_imports(modules, task, "__kmpc_omp_task_begin_if0");
	if (is_of_clang != CODE_YES)
		return is_of_clang;
	enum code_answer may_be_of_gcc = code_imports(modules, wait, "GOMP_taskwait_depend");
	if (may_be_of_gcc == CODE_YES) {
		enum code_answer is_of_gcc = code_calls(modules, wait, "GOMP_taskwait_depend");
		if (is_of_gcc != CODE_NO)
			return is_of_gcc == CODE_YES ? CODE_NO : CODE_UNKNOWN;
	}
	return may_be_of_gcc == CODE_UNKNOWN ? CODE_UNKNOWN : code_next_call(modules, wait, task);
}

/* The same for two constructs; each pair is examined once. */
static enum code_answer are_halves_here(struct gather_stream *w, uint32_t wait, uint32_t construct, uint64_t codeptr)
{
	uint32_t *known = map_put(&w->pairs, (uint64_t)wait << 32 | construct);
	if (*known == 0) {
		uint64_t wait_codeptr = gather_codeptr(w, wait), task_codeptr = gather_codeptr(w, construct);
		pthread_mutex_lock(&w->g->modules_lock);
		*known = 1 + are_halves(&w->g->modules, wait_codeptr, task_codeptr, codeptr != 0 && task_codeptr == 0);
		pthread_mutex_unlock(&w->g->modules_lock);
	}
	return (enum code_answer)(*known - 1);
}

/* Is this task, which may be the wait's other half, the only record since the wait ended? */
static bool may_be_half(const struct gather_stream *w, const struct task *task)
{
	const unsigned undeferred = task_flags_explicit | task_flags_undeferred;
	return w->m->is_libomp && w->ended.at + 1 == w->n_records && task->parent == w->m->tasks[w->ended.wait].parent &&
	       (task->flags & undeferred) == undeferred && !(task->flags & task_flags_has_dependences);
}

uint32_t gather_join_wait(struct gather_stream *w, uint32_t row, enum construct_kind kind, uint32_t construct, uint64_t codeptr)
{
	struct model *m = w->m;
	struct task *wait = &m->tasks[w->ended.wait];
	bool is_candidate = may_be_half(w, &m->tasks[row]);
	enum code_answer answer = is_candidate ? are_halves_here(w, wait->construct, construct, codeptr) : CODE_NO;
	w->ended.wait = 0;
	if (answer == CODE_NO)
		return construct;
	if (answer == CODE_UNKNOWN) {
		const struct thread_implicit *inner = thread_innermost(&w->thread);
		tally_add(&model_notes(m, w->stream)->quirks, "undeferred_or_wait", 1);
		w->n_unknown_waits += inner == NULL || inner->n_threads == 1;
		return construct;
	}
	wait->waits_for = row;
	tally_add(&model_notes(m, w->stream)->quirks, "undeferred_behind_its_wait", 1);
	if (gather_codeptr(w, construct) != 0)
		return construct;
	return gather_construct(w, kind, gather_codeptr(w, wait->construct));
}
