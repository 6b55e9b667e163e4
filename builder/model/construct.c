/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of constructs: their rows by kind and code address, the names of their kinds, and the kinds of constructs
 * that records about devices belong to. Threads: see construct.h.
 */
#include "builder/model/tables.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

#define RECENT_CONSTRUCTS 64

struct construct_index {
	struct map rows; /* codeptr << 8 | kind -> row */
	size_t capacity;
	struct {
		uint64_t key;
		uint32_t row;
	} recent[RECENT_CONSTRUCTS]; /* a cache of rows: a program has few constructs, and uses each very often */
};

const char *construct_kind_name(enum construct_kind kind)
{
	static const char *const names[CONSTRUCT_KINDS] = {
		[CONSTRUCT_UNKNOWN] = "unknown",
		[CONSTRUCT_INITIAL] = "initial",
		[CONSTRUCT_PARALLEL] = "parallel",
		[CONSTRUCT_TEAMS] = "teams",
		[CONSTRUCT_TASK] = "task",
		[CONSTRUCT_TARGET] = "target",
		[CONSTRUCT_TASKWAIT] = "taskwait",
		[CONSTRUCT_TASKGROUP] = "taskgroup",
		[CONSTRUCT_BARRIER] = "barrier",
		[CONSTRUCT_REDUCTION] = "reduction",
		[CONSTRUCT_LOOP] = "loop",
		[CONSTRUCT_SECTIONS] = "sections",
		[CONSTRUCT_SINGLE] = "single",
		[CONSTRUCT_WORKSHARE] = "workshare",
		[CONSTRUCT_DISTRIBUTE] = "distribute",
		[CONSTRUCT_TASKLOOP] = "taskloop",
		[CONSTRUCT_SCOPE] = "scope",
		[CONSTRUCT_MASKED] = "masked",
		[CONSTRUCT_CRITICAL] = "critical",
		[CONSTRUCT_ORDERED] = "ordered",
		[CONSTRUCT_ATOMIC] = "atomic",
		[CONSTRUCT_LOCK] = "lock",
		[CONSTRUCT_FLUSH] = "flush",
		[CONSTRUCT_TARGET_ENTER_DATA] = "target_enter_data",
		[CONSTRUCT_TARGET_EXIT_DATA] = "target_exit_data",
		[CONSTRUCT_TARGET_UPDATE] = "target_update",
		[CONSTRUCT_SUBMIT] = "submit",
		[CONSTRUCT_KERNEL] = "kernel",
		[CONSTRUCT_UNIT] = "unit",
		[CONSTRUCT_TASKLET] = "tasklet",
		[CONSTRUCT_SCHEDULER] = "scheduler",
		[CONSTRUCT_PRIMARY_UNIT] = "primary_unit",
		[CONSTRUCT_EXTERNAL] = "external",
		[CONSTRUCT_TASKLOOP_SPLIT] = "taskloop_split",
		[CONSTRUCT_DATA_UNKNOWN] = "data_op",
		[CONSTRUCT_DATA_ALLOC] = "data_alloc",
		[CONSTRUCT_DATA_TO_DEVICE] = "transfer_to_device",
		[CONSTRUCT_DATA_FROM_DEVICE] = "transfer_from_device",
		[CONSTRUCT_DATA_DELETE] = "data_delete",
		[CONSTRUCT_DATA_ASSOCIATE] = "data_associate",
		[CONSTRUCT_DATA_DISASSOCIATE] = "data_disassociate",
		[CONSTRUCT_DATA_TRANSFER] = "data_transfer",
		[CONSTRUCT_DATA_MEMSET] = "data_memset",
		[CONSTRUCT_DATA_RECT] = "data_transfer_rect",
	};
	return (unsigned)kind < CONSTRUCT_KINDS ? names[kind] : names[CONSTRUCT_UNKNOWN];
}

enum construct_kind construct_of_target(unsigned kind)
{
	switch (kind) {
	case target_kind_enter_data:
	case target_kind_enter_data_nowait: return CONSTRUCT_TARGET_ENTER_DATA;
	case target_kind_exit_data:
	case target_kind_exit_data_nowait: return CONSTRUCT_TARGET_EXIT_DATA;
	case target_kind_update:
	case target_kind_update_nowait: return CONSTRUCT_TARGET_UPDATE;
	default: return CONSTRUCT_TARGET;
	}
}

enum construct_kind construct_of_data(unsigned kind)
{
	bool is_known = kind >= target_data_op_alloc && kind <= target_data_op_transfer_rect;
	return is_known ? (enum construct_kind)(CONSTRUCT_DATA_ALLOC + (kind - target_data_op_alloc)) : CONSTRUCT_DATA_UNKNOWN;
}

/*
 * The runtime is the binary with the address that the recorder noted in
 * meta, unless this is the program itself. LLVM's runtime has parts in other libraries as well, and a dump may have no
 * noted address: these libraries are known by their names.
 */
bool model_is_in_runtime(const struct model *m, uint64_t codeptr)
{
	const struct meta *meta = &m->dump->meta;
	const struct meta_map *map = meta_find_map(meta, codeptr), *runtime = meta_find_map(meta, meta->runtime_code);
	if (map == NULL)
		return false;
	if (runtime != NULL && strcmp(runtime->path, meta->program) != 0 && strcmp(runtime->path, map->path) == 0)
		return true;
	const char *name = strrchr(map->path, '/');
	name = name != NULL ? name + 1 : map->path;
	return strncmp(name, "libomp", 6) == 0 || strncmp(name, "libiomp", 7) == 0;
}

uint32_t model_construct(struct model *m, enum construct_kind kind, uint64_t codeptr)
{
	struct construct_index *index = m->construct_index;
	uint64_t key = codeptr << 8 | kind;
	size_t recent = (key ^ key >> 9) % RECENT_CONSTRUCTS;
	if (index->recent[recent].key == key && index->recent[recent].row != 0)
		return index->recent[recent].row;
	uint32_t *row = map_put(&index->rows, key);
	if (*row != 0) {
		index->recent[recent].key = key;
		index->recent[recent].row = *row;
		return *row;
	}
	if (codeptr != 0 && model_is_in_runtime(m, codeptr)) {
		uint32_t nameless = model_construct(m, kind, 0); /* may move the map's items, so the key is looked up again */
		return *map_put(&index->rows, key) = nameless;
	}
	array_push(m->constructs, m->n_constructs, index->capacity,
		   (struct construct){.codeptr = codeptr, .kind = kind, .label = "", .file = "", .function = ""});
	return *row = m->n_constructs - 1;
}

uint32_t model_find_construct(const struct model *m, enum construct_kind kind, uint64_t codeptr)
{
	const struct construct_index *index = m->construct_index;
	uint64_t key = codeptr << 8 | kind;
	size_t recent = (key ^ key >> 9) % RECENT_CONSTRUCTS;
	if (index->recent[recent].key == key && index->recent[recent].row != 0)
		return index->recent[recent].row;
	const uint32_t *row = map_get(&index->rows, key);
	if (row == NULL)
		row = map_get(&index->rows, (uint64_t)kind);
	return row != NULL ? *row : 0;
}

void model_constructs_begin(struct model *m)
{
	m->construct_index = memory_zeroed(1, sizeof *m->construct_index, "the constructs");
	model_construct(m, CONSTRUCT_UNKNOWN, 0); /* row 0 */
}

void model_constructs_end(struct model *m)
{
	if (m->construct_index != NULL)
		map_free(&m->construct_index->rows);
	free(m->construct_index);
	free(m->constructs);
}

/* ---- Undeferred ---- */

/*
 * For which tasks is the task that creates them suspended until they end, by the text of the program? Runtimes report
 * a task as undeferred where the program requires that (if(0), or the parent is final: OpenMP 5.1 sections 2.12.1 and
 * 1.2.5), and wherever else they execute it at once. Called by builder/graph/order.c, on any thread: it only reads.
 */

/*
 * LLVM's runtime calls every task undeferred in a team of one, and in any team under KMP_TASKING=0 (Q50). In larger
 * teams it is the program that makes a task undeferred: a task that is executed at once since the queue is full does
 * not have the flag. For other runtimes this is not known. But the children of a final task are undeferred with any
 * runtime and team.
 */
enum suspension model_suspends(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row], *parent = &m->tasks[task->parent];
	const struct region *region = &m->regions[task->region];
	bool is_alone = region->actual <= 1 || region->flags & parallel_flags_league; /* each initial task of a league is */
	if (!task_is_explicit(task) || !(task->flags & task_flags_undeferred) || task->flags & task_flags_taskwait)
		return SUSPENDS_NOT;
	if (task_is_explicit(parent) && parent->flags & task_flags_final)
		return SUSPENDS;
	return m->is_libomp && !m->is_immediate && !is_alone ? SUSPENDS : SUSPENDS_MAYBE;
}

/* ---- Constructs at the same place ---- */

/*
 * Which constructs are the same place of the source, although they have different code addresses: copies of the code, or
 * several calls in a line. Used when constructs have their lines; one thread.
 */

#define WHAT "the constructs"

struct named_construct {
	const struct construct *construct;
	uint32_t row;
};

static int by_place(const void *left, const void *right)
{
	const struct named_construct *l = left, *r = right;
	int order = (int)l->construct->kind - (int)r->construct->kind;
	order = order != 0 ? order
			   : (int)(l->construct->line > r->construct->line) - (int)(l->construct->line < r->construct->line);
	order = order != 0 ? order : strcmp(l->construct->file, r->construct->file);
	return order != 0 ? order : strcmp(l->construct->function, r->construct->function);
}

static int by_place_and_row(const void *left, const void *right)
{
	int order = by_place(left, right);
	return order != 0 ? order
			  : (((const struct named_construct *)left)->row < ((const struct named_construct *)right)->row ? -1 : 1);
}

uint32_t *model_same_constructs(const struct model *m)
{
	uint32_t *same = memory_zeroed(m->n_constructs, sizeof *same, WHAT), n = 0;
	struct named_construct *named = memory_get(m->n_constructs, sizeof *named, WHAT);
	for (uint32_t c = 0; c < m->n_constructs; c++) {
		same[c] = c;
		if (m->constructs[c].line != 0)
			named[n++] = (struct named_construct){&m->constructs[c], c};
	}
	sort_array(named, n, by_place_and_row);
	for (uint32_t i = 1; i < n; i++)
		if (by_place(&named[i - 1], &named[i]) == 0)
			same[named[i].row] = same[named[i - 1].row];
	free(named);
	return same;
}
