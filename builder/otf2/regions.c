/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the region of a construct. A construct has a region for each kind that it is entered as, with Score-P's roles
 * and Otter's labels. Constructs of the same kind and place share one, in whatever process. Called for every Enter, and
 * by otf2.c when a process ends. One thread.
 */
#include "builder/otf2/intern.h"
#include "builder/otf2/regions.h"
#include "builder/support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	OTF2_RegionRole role;
} kinds[REGION_KINDS] = {
	[REGION_UNKNOWN] = {"unknown", OTF2_REGION_ROLE_CODE},
	[REGION_INITIAL_TASK] = {"initial task", OTF2_REGION_ROLE_CODE},
	[REGION_PARALLEL] = {"parallel", OTF2_REGION_ROLE_PARALLEL},
	[REGION_TEAMS] = {"teams", OTF2_REGION_ROLE_CODE},
	[REGION_TASK] = {"task", OTF2_REGION_ROLE_TASK},
	[REGION_TASK_UNTIED] = {"untied task", OTF2_REGION_ROLE_TASK_UNTIED},
	[REGION_TARGET_TASK] = {"target task", OTF2_REGION_ROLE_TASK},
	[REGION_TASKLOOP_SPLIT] = {"taskloop split", OTF2_REGION_ROLE_TASK},
	[REGION_TASK_CREATE] = {"create task", OTF2_REGION_ROLE_TASK_CREATE},
	[REGION_TASKLOOP_SPLIT_CREATE] = {"create taskloop split", OTF2_REGION_ROLE_TASK_CREATE},
	[REGION_TASKWAIT] = {"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
	[REGION_TASKWAIT_DEPEND] = {"taskwait depend", OTF2_REGION_ROLE_TASK_WAIT},
	[REGION_TASKGROUP] = {"taskgroup", OTF2_REGION_ROLE_BARRIER},
	[REGION_BARRIER] = {"barrier", OTF2_REGION_ROLE_BARRIER},
	[REGION_BARRIER_IMPLICIT] = {"implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
	[REGION_BARRIER_IMPLEMENTATION] = {"implementation barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
	[REGION_BARRIER_TEAMS] = {"teams barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
	[REGION_REDUCTION] = {"reduction", OTF2_REGION_ROLE_COLL_ALL2ONE},
	[REGION_LOOP] = {"loop", OTF2_REGION_ROLE_LOOP},
	[REGION_SECTIONS] = {"sections", OTF2_REGION_ROLE_SECTIONS},
	[REGION_SECTION] = {"section", OTF2_REGION_ROLE_SECTION},
	[REGION_SINGLE] = {"single", OTF2_REGION_ROLE_SINGLE},
	[REGION_SINGLE_SBLOCK] = {"single sblock", OTF2_REGION_ROLE_SINGLE_SBLOCK},
	[REGION_WORKSHARE] = {"workshare", OTF2_REGION_ROLE_WORKSHARE},
	[REGION_DISTRIBUTE] = {"distribute", OTF2_REGION_ROLE_CODE},
	[REGION_TASKLOOP] = {"taskloop", OTF2_REGION_ROLE_LOOP},
	[REGION_SCOPE] = {"scope", OTF2_REGION_ROLE_CODE},
	[REGION_MASKED] = {"masked", OTF2_REGION_ROLE_MASTER},
	[REGION_CRITICAL] = {"critical", OTF2_REGION_ROLE_CRITICAL},
	[REGION_CRITICAL_SBLOCK] = {"critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
	[REGION_ORDERED] = {"ordered", OTF2_REGION_ROLE_ORDERED},
	[REGION_ORDERED_SBLOCK] = {"ordered sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK},
	[REGION_ATOMIC] = {"atomic", OTF2_REGION_ROLE_ATOMIC},
	[REGION_SET_LOCK] = {"omp_set_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_TEST_LOCK] = {"omp_test_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_UNSET_LOCK] = {"omp_unset_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_INIT_LOCK] = {"omp_init_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_DESTROY_LOCK] = {"omp_destroy_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_SET_NEST_LOCK] = {"omp_set_nest_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_TEST_NEST_LOCK] = {"omp_test_nest_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_UNSET_NEST_LOCK] = {"omp_unset_nest_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_INIT_NEST_LOCK] = {"omp_init_nest_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_DESTROY_NEST_LOCK] = {"omp_destroy_nest_lock", OTF2_REGION_ROLE_WRAPPER},
	[REGION_FLUSH] = {"flush", OTF2_REGION_ROLE_FLUSH},
	[REGION_CONTROL_TOOL] = {"omp_control_tool", OTF2_REGION_ROLE_WRAPPER},
	[REGION_TARGET] = {"target", OTF2_REGION_ROLE_WRAPPER},
	[REGION_TARGET_ENTER_DATA] = {"target enter data", OTF2_REGION_ROLE_WRAPPER},
	[REGION_TARGET_EXIT_DATA] = {"target exit data", OTF2_REGION_ROLE_WRAPPER},
	[REGION_TARGET_UPDATE] = {"target update", OTF2_REGION_ROLE_WRAPPER},
	[REGION_SUBMIT] = {"target submit", OTF2_REGION_ROLE_WRAPPER},
	[REGION_DATA_ALLOC] = {"target data alloc", OTF2_REGION_ROLE_ALLOCATE},
	[REGION_DATA_DELETE] = {"target data delete", OTF2_REGION_ROLE_DEALLOCATE},
	[REGION_DATA_ASSOCIATE] = {"target data associate", OTF2_REGION_ROLE_WRAPPER},
	[REGION_DATA_DISASSOCIATE] = {"target data disassociate", OTF2_REGION_ROLE_WRAPPER},
	[REGION_DATA_MEMSET] = {"target data memset", OTF2_REGION_ROLE_WRAPPER},
	[REGION_DATA_TO_DEVICE] = {"target transfer to device", OTF2_REGION_ROLE_DATA_TRANSFER},
	[REGION_DATA_FROM_DEVICE] = {"target transfer from device", OTF2_REGION_ROLE_DATA_TRANSFER},
	[REGION_DATA_TRANSFER] = {"target transfer", OTF2_REGION_ROLE_DATA_TRANSFER},
	[REGION_KERNEL] = {"kernel", OTF2_REGION_ROLE_FUNCTION},
	[REGION_UNIT] = {"ULT", OTF2_REGION_ROLE_TASK},
	[REGION_TASKLET] = {"tasklet", OTF2_REGION_ROLE_TASK},
	[REGION_SCHEDULER] = {"scheduler", OTF2_REGION_ROLE_ARTIFICIAL},
	[REGION_UNIT_PRIMARY] = {"primary ULT", OTF2_REGION_ROLE_TASK},
	[REGION_UNIT_CREATE] = {"create", OTF2_REGION_ROLE_TASK_CREATE},
	[REGION_DEVICE_ALLOC] = {"device alloc", OTF2_REGION_ROLE_ALLOCATE},
	[REGION_DEVICE_DELETE] = {"device delete", OTF2_REGION_ROLE_DEALLOCATE},
	[REGION_DEVICE_DATA] = {"device data", OTF2_REGION_ROLE_DATA_TRANSFER},
	[REGION_DEVICE_NATIVE] = {"device activity", OTF2_REGION_ROLE_FUNCTION},
};

OTF2_RegionRole region_role(enum region_kind kind)
{
	return kinds[kind].role;
}

/* OTF2 has no paradigm for Argobots. */
OTF2_Paradigm region_paradigm(enum region_kind kind)
{
	return kind >= REGION_UNIT && kind <= REGION_UNIT_CREATE ? OTF2_PARADIGM_USER : OTF2_PARADIGM_OPENMP;
}

/* "create task@fib.c:12" from the label "task@fib.c:12": the kind's word and the label's place. */
static uint32_t name_of(struct archive *a, const char *label, enum region_kind kind)
{
	const char *place = label != NULL ? strchr(label, '@') : NULL;
	char *name = text_format("%s%s", kinds[kind].name, place != NULL ? place : "");
	uint32_t string = intern_string(a, name);
	free(name);
	return string;
}

/* The replay adds constructs: the table grows with them. */
static void reach(struct process *p, uint32_t slot)
{
	if (slot < p->n_region_refs)
		return;
	uint32_t n = (p->model->n_constructs + p->model->n_constructs / 2 + 16) * REGION_KINDS;
	if (n <= slot)
		n = slot + REGION_KINDS;
	p->region_refs = memory_grow(p->region_refs, n, sizeof *p->region_refs, "the regions");
	while (p->n_region_refs < n)
		p->region_refs[p->n_region_refs++] = UNSET;
}

/* Where the code is: addresses differ between processes, a binary and the offset in its file do not. */
static void find_code(struct archive *a, uint64_t codeptr, struct region_def *def)
{
	const struct meta_map *map = meta_find_map(&a->now.model->dump->meta, codeptr);
	def->offset = map != NULL ? codeptr - map->start + map->offset : codeptr;
	def->module = intern_string(a, map != NULL ? map->path : "");
}

uint32_t region_of_slow(struct archive *a, uint32_t construct, enum region_kind kind)
{
	struct process *p = &a->now;
	const struct construct *c = &p->model->constructs[construct];
	struct region_def def = {.kind = kind, .construct_kind = c->kind, .name = UNSET};
	find_code(a, c->codeptr, &def);
	reach(p, construct * REGION_KINDS + kind);
	return p->region_refs[construct * REGION_KINDS + kind] = intern_region(a, &def);
}

void regions_name(struct archive *a)
{
	struct process *p = &a->now;
	for (uint32_t slot = 0; slot < p->n_region_refs; slot++) {
		if (p->region_refs[slot] == UNSET || a->regions[p->region_refs[slot]].name != UNSET)
			continue;
		struct region_def *def = &a->regions[p->region_refs[slot]];
		const struct construct *c = &p->model->constructs[slot / REGION_KINDS];
		def->description = intern_string(a, c->function != NULL ? c->function : "");
		def->file = intern_string(a, c->file != NULL ? c->file : "");
		def->line = c->line;
		def->name = name_of(a, c->label, def->kind);
	}
}
