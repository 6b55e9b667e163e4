/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the region of a construct. A construct has a region for each kind that it is entered as, with Score-P's roles
 * and Otter's labels. Constructs of the same kind and place share one, in whatever process. Called for every Enter, and
 * by otf2.c when a process ends.
 */
#include "builder/otf2/intern.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

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
	uint32_t string = intern_string(&a->interned, name);
	free(name);
	return string;
}

/* Where the code is: addresses differ between processes, a binary and the offset in its file do not. */
static void find_code(const struct process *p, uint64_t codeptr, struct interned *t, struct region_def *def)
{
	const struct meta_map *map = meta_find_map(&p->model->dump->meta, codeptr);
	def->offset = map != NULL ? codeptr - map->start + map->offset : codeptr;
	def->module = intern_string(t, map != NULL ? map->path : "");
}

uint32_t region_in(const struct process *p, struct interned *t, struct map *slots, uint32_t construct, enum region_kind kind)
{
	uint32_t *region = map_put(slots, (uint64_t)construct * REGION_KINDS + kind); /* + 1 */
	if (*region == 0) {
		const struct construct *c = &p->model->constructs[construct];
		struct region_def def = {.kind = kind, .construct_kind = c->kind, .name = UNSET};
		find_code(p, c->codeptr, t, &def);
		*region = intern_region(t, &def) + 1;
	}
	return *region - 1;
}

uint32_t region_of_slow(const struct archive *a, struct location *l, struct recent_region *recent, uint32_t construct,
			enum region_kind kind)
{
	uint32_t region = region_in(&a->now, &l->interned, &l->region_slots, construct, kind);
	*recent = (struct recent_region){construct, kind, region};
	return region;
}

/* A region that was entered in this process. */
struct region_use {
	uint64_t slot;
	uint32_t region;
};

static int by_slot(const void *left, const void *right)
{
	const struct region_use *l = left, *r = right;
	return (l->slot > r->slot) - (l->slot < r->slot);
}

static size_t list_uses(const struct map *slots, struct region_use *uses)
{
	size_t n = 0;
	for (size_t i = 0; i < slots->n_slots; i++)
		if (slots->slots[i].is_used)
			uses[n++] = (struct region_use){slots->slots[i].key, slots->slots[i].value - 1};
	return n;
}

void regions_name(struct archive *a)
{
	struct process *p = &a->now;
	size_t n_uses = p->device_regions.n_used, n = 0;
	for (uint32_t i = 0; i < p->def->n_locations; i++)
		n_uses += p->locations[i].region_slots.n_used;
	struct region_use *uses = memory_get(n_uses, sizeof *uses, "the regions");
	for (uint32_t i = 0; i < p->def->n_locations; i++)
		n += list_uses(&p->locations[i].region_slots, uses + n);
	n += list_uses(&p->device_regions, uses + n);
	sort_array(uses, n, by_slot);
	for (size_t i = 0; i < n; i++) {
		struct region_def *def = &a->interned.regions[uses[i].region];
		const struct construct *c = &p->model->constructs[uses[i].slot / REGION_KINDS];
		if (def->name != UNSET)
			continue;
		def->description = intern_string(&a->interned, c->function != NULL ? c->function : "");
		def->file = intern_string(&a->interned, c->file != NULL ? c->file : "");
		def->line = c->line;
		def->name = name_of(a, c->label, def->kind);
	}
	free(uses);
}
