/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The API of OpenMP under names or versions that libgomp has and libomp lacks. Each is a call of libomp: of the same entry
 * under libomp's version, or for Fortran of that for C. A name that ends in _8_ is for integers of eight bytes, which gcc's
 * code uses with -fdefault-integer-8; what an int cannot hold becomes the nearest that it can. An event is passed
 * by value.
 */
#include <limits.h>

#include "recorder/gomp/libomp.h"

#define DEFINE(type, name, ...)                                                                                                    \
	ENTRY type name(__VA_ARGS__);                                                                                              \
	ENTRY type name(__VA_ARGS__)

/* libgomp's own number. libomp supports as many levels as an int counts. */
enum { SUPPORTED_ACTIVE_LEVELS = 255 };

static int to_int(int64_t value)
{
	return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* ---- allocators ---- */
struct trait {
	int key;
	uintptr_t value;
};

LLVM(void *, omp_alloc, size_t n_bytes, uintptr_t allocator);
LLVM(void *, omp_calloc, size_t n, size_t n_bytes, uintptr_t allocator);
LLVM(void *, omp_aligned_alloc, size_t alignment, size_t n_bytes, uintptr_t allocator);
LLVM(void *, omp_aligned_calloc, size_t alignment, size_t n, size_t n_bytes, uintptr_t allocator);
LLVM(void *, omp_realloc, void *address, size_t n_bytes, uintptr_t allocator, uintptr_t free_allocator);
LLVM(void, omp_free, void *address, uintptr_t allocator);
LLVM(uintptr_t, omp_init_allocator, uintptr_t space, int n_traits, const struct trait *traits);
LLVM(void, omp_destroy_allocator, uintptr_t allocator);
LLVM(void, omp_set_default_allocator, uintptr_t allocator);
LLVM(uintptr_t, omp_get_default_allocator, void);

DEFINE(void *, omp_alloc, size_t n_bytes, uintptr_t allocator)
{
	return llvm_omp_alloc(n_bytes, allocator);
}
DEFINE(void *, omp_calloc, size_t n, size_t n_bytes, uintptr_t allocator)
{
	return llvm_omp_calloc(n, n_bytes, allocator);
}
DEFINE(void *, omp_aligned_alloc, size_t alignment, size_t n_bytes, uintptr_t allocator)
{
	return llvm_omp_aligned_alloc(alignment, n_bytes, allocator);
}
DEFINE(void *, omp_aligned_calloc, size_t alignment, size_t n, size_t n_bytes, uintptr_t allocator)
{
	return llvm_omp_aligned_calloc(alignment, n, n_bytes, allocator);
}
DEFINE(void *, omp_realloc, void *address, size_t n_bytes, uintptr_t allocator, uintptr_t free_allocator)
{
	return llvm_omp_realloc(address, n_bytes, allocator, free_allocator);
}
DEFINE(void, omp_free, void *address, uintptr_t allocator)
{
	llvm_omp_free(address, allocator);
}
DEFINE(uintptr_t, omp_init_allocator, uintptr_t space, int n_traits, const struct trait *traits)
{
	return llvm_omp_init_allocator(space, n_traits, traits);
}
DEFINE(uintptr_t, omp_init_allocator_, const uintptr_t *space, const int *n_traits, const struct trait *traits)
{
	return llvm_omp_init_allocator(*space, *n_traits, traits);
}
DEFINE(uintptr_t, omp_init_allocator_8_, const uintptr_t *space, const int64_t *n_traits, const struct trait *traits)
{
	return llvm_omp_init_allocator(*space, to_int(*n_traits), traits);
}
DEFINE(void, omp_destroy_allocator, uintptr_t allocator)
{
	llvm_omp_destroy_allocator(allocator);
}
DEFINE(void, omp_destroy_allocator_, const uintptr_t *allocator)
{
	llvm_omp_destroy_allocator(*allocator);
}
DEFINE(void, omp_set_default_allocator, uintptr_t allocator)
{
	llvm_omp_set_default_allocator(allocator);
}
DEFINE(void, omp_set_default_allocator_, const uintptr_t *allocator)
{
	llvm_omp_set_default_allocator(*allocator);
}
DEFINE(uintptr_t, omp_get_default_allocator, void)
{
	return llvm_omp_get_default_allocator();
}
DEFINE(uintptr_t, omp_get_default_allocator_, void)
{
	return llvm_omp_get_default_allocator();
}

/* ---- settings ---- */
/* A setting by one number: NAME(int), NAME_(const int *), NAME_8_(const int64_t *). */
#define FORTRAN_8(name)                                                                                                            \
	DEFINE(void, name##_8_, const int64_t *value)                                                                              \
	{                                                                                                                          \
		llvm_##name(to_int(*value));                                                                                       \
	}
#define SETTING(name)                                                                                                              \
	LLVM(void, name, int value);                                                                                               \
	DEFINE(void, name, int value)                                                                                              \
	{                                                                                                                          \
		llvm_##name(value);                                                                                                \
	}                                                                                                                          \
	DEFINE(void, name##_, const int *value)                                                                                    \
	{                                                                                                                          \
		llvm_##name(*value);                                                                                               \
	}                                                                                                                          \
	FORTRAN_8(name)
SETTING(omp_set_num_teams)
SETTING(omp_set_teams_thread_limit)
SETTING(omp_display_env)

LLVM(void, omp_set_dynamic, int value);
LLVM(void, omp_set_num_threads, int value);
LLVM(void, omp_set_max_active_levels, int value);
LLVM(void, omp_set_default_device, int value);
FORTRAN_8(omp_set_num_threads)
FORTRAN_8(omp_set_max_active_levels)
FORTRAN_8(omp_set_default_device)
FORTRAN_8(omp_set_dynamic)

/* libomp prints that these are deprecated, which would be new in the program's output. */
LLVM(int, omp_get_max_active_levels, void);
DEFINE(void, omp_set_nested, int value)
{
	if (value)
		llvm_omp_set_max_active_levels(SUPPORTED_ACTIVE_LEVELS);
	else if (llvm_omp_get_max_active_levels() > 1)
		llvm_omp_set_max_active_levels(1);
}
DEFINE(void, omp_set_nested_, const int *value)
{
	omp_set_nested(*value);
}
DEFINE(void, omp_set_nested_8_, const int64_t *value)
{
	omp_set_nested(*value != 0);
}
DEFINE(int, omp_get_nested, void)
{
	return llvm_omp_get_max_active_levels() > 1;
}
DEFINE(int, omp_get_nested_, void)
{
	return omp_get_nested();
}

LLVM(void, omp_set_schedule, int kind, int chunk);
LLVM(void, omp_get_schedule, int *kind, int *chunk);
DEFINE(void, omp_set_schedule_8_, const int *kind, const int64_t *chunk)
{
	llvm_omp_set_schedule(*kind, to_int(*chunk));
}
DEFINE(void, omp_get_schedule_8_, int *kind, int64_t *chunk)
{
	int chunk_4;
	llvm_omp_get_schedule(kind, &chunk_4);
	*chunk = chunk_4;
}

/* ---- questions ---- */
#define QUESTION(name)                                                                                                             \
	LLVM(int, name, void);                                                                                                     \
	DEFINE(int, name, void)                                                                                                    \
	{                                                                                                                          \
		return llvm_##name();                                                                                              \
	}                                                                                                                          \
	DEFINE(int, name##_, void)                                                                                                 \
	{                                                                                                                          \
		return llvm_##name();                                                                                              \
	}
QUESTION(omp_get_max_teams)
QUESTION(omp_get_teams_thread_limit)

DEFINE(int, omp_get_supported_active_levels, void)
{
	return SUPPORTED_ACTIVE_LEVELS;
}
DEFINE(int, omp_get_supported_active_levels_, void)
{
	return SUPPORTED_ACTIVE_LEVELS;
}

#define QUESTION_8(name)                                                                                                           \
	LLVM(int, name, int which);                                                                                                \
	DEFINE(int, name##_8_, const int64_t *which)                                                                               \
	{                                                                                                                          \
		return llvm_##name(to_int(*which));                                                                                \
	}
QUESTION_8(omp_get_ancestor_thread_num)
QUESTION_8(omp_get_team_size)
QUESTION_8(omp_get_place_num_procs)

LLVM(int, omp_get_partition_num_places, void);
LLVM(void, omp_get_partition_place_nums, int *numbers);
LLVM(void, omp_get_place_proc_ids, int place, int *ids);

/* The numbers lie as ints in the first half of the array, and are widened from the last to the first. */
static void widen(int64_t *numbers, int n)
{
	int number;
	for (int i = n - 1; i >= 0; i--) {
		__builtin_memcpy(&number, (const char *)numbers + (size_t)i * sizeof number, sizeof number);
		numbers[i] = number;
	}
}
DEFINE(void, omp_get_partition_place_nums_8_, int64_t *numbers)
{
	llvm_omp_get_partition_place_nums((int *)(void *)numbers);
	widen(numbers, llvm_omp_get_partition_num_places());
}
DEFINE(void, omp_get_place_proc_ids_8_, const int64_t *place, int64_t *ids)
{
	llvm_omp_get_place_proc_ids(to_int(*place), (int *)(void *)ids);
	widen(ids, llvm_omp_get_place_num_procs(to_int(*place)));
}

/* ---- tasks ---- */
LLVM(void, omp_fulfill_event, uintptr_t event);
DEFINE(void, omp_fulfill_event, uintptr_t event)
{
	llvm_omp_fulfill_event(event);
}
DEFINE(void, omp_fulfill_event_, uintptr_t event)
{
	llvm_omp_fulfill_event(event);
}

/* scope with task reductions. Sections without a section do the same: they begin the task group with its reductions, and end
 * at once; gcc's code ends the task group itself. */
LLVM(unsigned, GOMP_sections2_start, unsigned n, uintptr_t *reductions, void **memory);
DEFINE(void, GOMP_scope_start, uintptr_t *reductions)
{
	llvm_GOMP_sections2_start(0, reductions, NULL);
}
