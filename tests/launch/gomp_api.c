/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_api: the entries of OpenMP's API that libgomp has and LLVM's runtime lacks, under the versions that gcc's programs name.
 * It prints what each returns, which has to be the same with either runtime. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As gfortran calls them. */
void omp_set_num_threads_8_(const int64_t *), omp_set_dynamic_8_(const int64_t *), omp_set_nested_8_(const int64_t *);
void omp_set_schedule_8_(const int32_t *, const int64_t *), omp_get_schedule_8_(int32_t *, int64_t *);
void omp_set_max_active_levels_8_(const int64_t *), omp_set_default_device_8_(const int64_t *);
int32_t omp_get_ancestor_thread_num_8_(const int64_t *), omp_get_team_size_8_(const int64_t *);
int32_t omp_get_place_num_procs_8_(const int64_t *);
void omp_get_place_proc_ids_8_(const int64_t *, int64_t *), omp_get_partition_place_nums_8_(int64_t *);
void omp_set_num_teams_8_(const int64_t *), omp_set_num_teams_(const int32_t *), omp_set_teams_thread_limit_8_(const int64_t *);
void omp_set_teams_thread_limit_(const int32_t *);
int32_t omp_get_max_teams_(void), omp_get_teams_thread_limit_(void), omp_get_device_num_(void),
	omp_get_supported_active_levels_(void);
int32_t omp_get_num_devices_(void), omp_get_initial_device_(void), omp_is_initial_device_(void), omp_get_team_num_(void);
int32_t omp_get_num_teams_(void);
intptr_t omp_init_allocator_(const intptr_t *, const int32_t *, const omp_alloctrait_t *);
intptr_t omp_init_allocator_8_(const intptr_t *, const int64_t *, const omp_alloctrait_t *);
void omp_destroy_allocator_(const intptr_t *), omp_set_default_allocator_(const intptr_t *), omp_fulfill_event_(intptr_t);
intptr_t omp_get_default_allocator_(void);

static void fortran(void)
{
	int64_t three = 3, two = 2, no = 0, one = 1, large = INT64_C(1) << 40, seven = 7, chunk = 0, place_0 = 0, ids[1024] = {0};
	int32_t kind = omp_sched_dynamic, got = 0, four = 4;
	omp_set_num_threads_8_(&three);
	omp_set_dynamic_8_(&no);
	omp_set_nested_8_(&no);
	omp_set_max_active_levels_8_(&two);
	omp_set_schedule_8_(&kind, &seven);
	omp_get_schedule_8_(&got, &chunk);
	printf("settings %d %d %d %d %d\n", omp_get_max_threads(), omp_get_dynamic(), omp_get_max_active_levels(), got, (int)chunk);
	omp_set_schedule_8_(&kind, &large);
	omp_get_schedule_8_(&got, &chunk);
	omp_set_default_device_8_(&no);
	printf("a large chunk %lld, default device %d\n", (long long)chunk, omp_get_default_device());
	omp_set_num_teams_8_(&three);
	omp_set_teams_thread_limit_(&four);
	printf("teams %d %d", omp_get_max_teams_(), omp_get_teams_thread_limit());
	omp_set_num_teams_(&four);
	omp_set_teams_thread_limit_8_(&two);
	printf(" %d %d\n", omp_get_max_teams(), omp_get_teams_thread_limit_());
	omp_set_num_teams(2);
	omp_set_teams_thread_limit(3);
	int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
	n += omp_get_team_size_8_(&one) * 10 + omp_get_ancestor_thread_num_8_(&one);
	printf("levels %d of %d %d\n", n, omp_get_supported_active_levels(), omp_get_supported_active_levels_());
	int n_places = omp_get_num_places(), sum = 0;
	if (n_places > 0) {
		int procs[1024];
		omp_get_place_proc_ids_8_(&place_0, ids);
		omp_get_place_proc_ids(0, procs);
		for (int i = 0; i < omp_get_place_num_procs_8_(&place_0); i++)
			sum += ids[i] == procs[i] ? 0 : 1;
		omp_get_partition_place_nums_8_(ids);
		omp_get_partition_place_nums(procs);
		for (int i = 0; i < omp_get_partition_num_places(); i++)
			sum += ids[i] == procs[i] ? 0 : 1;
	}
	printf("places that differ %d\n", sum);
}

static void devices(void)
{
	char from[24], to[24] = "", *memory = omp_target_alloc(24, omp_get_initial_device());
	for (int i = 0; i < 24; i++)
		from[i] = (char)('a' + i);
	printf("devices %d %d %d %d | %d %d %d %d | %d %d\n", omp_get_num_devices(), omp_get_initial_device(), omp_get_device_num(),
	       omp_is_initial_device(), omp_get_num_devices_(), omp_get_initial_device_(), omp_get_device_num_(),
	       omp_is_initial_device_(), omp_get_team_num_(), omp_get_num_teams_());
	int copied = omp_target_memcpy(memory, from, 10, 2, 1, 0, 0);
	printf("memory %d, copied %d %.10s", memory != NULL, copied, memory + 2);
	size_t volume[] = {2, 3}, to_offsets[] = {1, 1}, from_offsets[] = {0, 2}, to_sizes[] = {4, 6}, from_sizes[] = {3, 8};
	copied = omp_target_memcpy_rect(to, from, 1, 2, volume, to_offsets, from_offsets, to_sizes, from_sizes, 0, 0);
	for (int i = 0; i < 24; i++)
		putchar(to[i] ? to[i] : '.');
	printf(" %d %d\n", copied, omp_target_memcpy_rect(NULL, NULL, 1, 0, NULL, NULL, NULL, NULL, NULL, 0, 0));
	printf("no such device %d %d %d %d\n", omp_target_alloc(8, 3) != NULL, omp_target_memcpy(to, from, 1, 0, 0, 3, 0),
	       omp_target_is_present(from, 3), omp_target_is_present(NULL, 0));
	printf("present %d, associate %d %d\n", omp_target_is_present(from, 0), omp_target_associate_ptr(from, to, 8, 0, 0),
	       omp_target_disassociate_ptr(from, 0));
	omp_target_free(memory, 0);
}

static void allocators(void)
{
	omp_alloctrait_t aligned = {omp_atk_alignment, 256};
	omp_allocator_handle_t own = omp_init_allocator(omp_default_mem_space, 1, &aligned);
	char *a = omp_alloc(100, own), *b = omp_aligned_alloc(512, 100, omp_default_mem_alloc), *c = omp_calloc(10, 10, own);
	char *d = omp_aligned_calloc(128, 10, 10, omp_default_mem_alloc);
	strcpy(a, "kept");
	int zeros = 0;
	for (int i = 0; i < 100; i++)
		zeros += c[i] == 0 && d[i] == 0;
	printf("aligned %d %d %d %d, zeros %d", (int)((uintptr_t)a % 256), (int)((uintptr_t)b % 512), (int)((uintptr_t)c % 256),
	       (int)((uintptr_t)d % 128), zeros);
	a = omp_realloc(a, 5000, own, own);
	printf(", %s\n", a);
	omp_free(a, own);
	omp_free(b, omp_default_mem_alloc);
	omp_free(c, own);
	omp_free(d, omp_null_allocator);
	omp_set_default_allocator(own);
	int is_own = omp_get_default_allocator() == own && omp_get_default_allocator_() == (intptr_t)own;
	omp_set_default_allocator(omp_default_mem_alloc);
	intptr_t space = omp_default_mem_space, fortran, standard = omp_default_mem_alloc;
	int32_t n = 1;
	int64_t n_8 = 1;
	fortran = omp_init_allocator_(&space, &n, &aligned);
	char *e = omp_alloc(10, (omp_allocator_handle_t)fortran);
	int is_aligned = (uintptr_t)e % 256 == 0;
	omp_free(e, (omp_allocator_handle_t)fortran);
	omp_destroy_allocator_(&fortran);
	fortran = omp_init_allocator_8_(&space, &n_8, &aligned);
	omp_set_default_allocator_(&fortran);
	e = omp_alloc(10, omp_null_allocator);
	is_aligned += (uintptr_t)e % 256 == 0;
	omp_free(e, (omp_allocator_handle_t)fortran);
	omp_set_default_allocator_(&standard);
	omp_destroy_allocator_(&fortran);
	omp_destroy_allocator(own);
	printf("allocators %d %d\n", is_own, is_aligned);
}

static void events(void)
{
	int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
		{
			done += 1;
			omp_fulfill_event(event);
		}
#pragma omp taskwait
#pragma omp task detach(event) shared(done)
		{
			done += 10;
			omp_fulfill_event_((intptr_t)event);
		}
	}
	printf("events %d\n", done);
}

int main(void)
{
	fortran();
	devices();
	allocators();
	events();
	return 0;
}
