/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Target constructs on the host, where libgomp executes them if it has no device: a region is a call, data need no
 * transfer, and dependences and `nowait` are those of a task. A region reads the program's own variables.
 */
#include <stdlib.h>
#include <string.h>

#include "recorder/gomp/libomp.h"
#include "recorder/gomp/teams.h"

/* The interface of gcc's code. */
enum { FLAG_NOWAIT = 1, TASK_FLAG_DEPEND = 8 };
enum { KIND_BITS = 8, KIND_MASK = (1 << KIND_BITS) - 1, KIND_FIRSTPRIVATE = 12 };
/* An argument of a target region is a word with its identifier, whose value is in the word or in the next one. */
enum { ARGUMENT_IN_NEXT = 1 << 7, ARGUMENT_KIND_MASK = 0xff00, ARGUMENT_THREAD_LIMIT = 2 << 8, ARGUMENT_SHIFT = 16 };

LLVM(void, GOMP_task, void (*function)(void *), void *data, void (*copy)(void *, void *), long n_bytes, long alignment,
     bool is_deferred, unsigned flags, void **dependences, int priority, void *event);

typedef void region_function(void *addresses);

/* A region whose execution may come later than the return from its construct. */
struct deferred {
	region_function *region;
	unsigned thread_limit;
	void *copies; /* of firstprivate variables; freed after the region */
	void *addresses[];
};

static unsigned thread_limit(void **arguments)
{
	unsigned limit = 0;
	while (arguments && *arguments) {
		uintptr_t word = (uintptr_t)*arguments++;
		intptr_t value = word & ARGUMENT_IN_NEXT ? (intptr_t)*arguments++ : (intptr_t)word >> ARGUMENT_SHIFT;
		if ((word & ARGUMENT_KIND_MASK) == ARGUMENT_THREAD_LIMIT && value > 0)
			limit = (unsigned)value;
	}
	return limit;
}

static void run(region_function *region, void **addresses, unsigned limit)
{
	struct teams before = teams_enter();
	teams_limit(limit);
	region(addresses);
	teams_leave(before);
}

static bool is_firstprivate(unsigned short kind, const void *address)
{
	return (kind & KIND_MASK) == KIND_FIRSTPRIVATE && address;
}

/* Returns the bytes for copies of all firstprivate variables, wherever the first one begins. 0: there are none. */
static size_t copies_bytes(size_t n, void *const *addresses, const size_t *sizes, const unsigned short *kinds)
{
	size_t n_bytes = 0;
	for (size_t i = 0; i < n; i++)
		if (is_firstprivate(kinds[i], addresses[i]))
			n_bytes += sizes[i] + ((size_t)1 << (kinds[i] >> KIND_BITS));
	return n_bytes;
}

static void copy_firstprivate(char *into, size_t n, void **addresses, const size_t *sizes, const unsigned short *kinds)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_firstprivate(kinds[i], addresses[i]))
			continue;
		uintptr_t mask = ((uintptr_t)1 << (kinds[i] >> KIND_BITS)) - 1;
		into += (mask + 1 - ((uintptr_t)into & mask)) & mask;
		addresses[i] = memcpy(into, addresses[i], sizes[i]);
		into += sizes[i];
	}
}

static void run_deferred(void *data)
{
	struct deferred *deferred = *(struct deferred **)data;
	run(deferred->region, deferred->addresses, deferred->thread_limit);
	free(deferred->copies);
	free(deferred);
}

static void do_nothing(void *data)
{
	(void)data;
}

/* Makes a task of the region. False: there is no memory. */
static bool defer(region_function *region, size_t n, void *const *addresses, const size_t *sizes, const unsigned short *kinds,
		  unsigned flags, void **dependences, unsigned limit)
{
	size_t n_bytes = copies_bytes(n, addresses, sizes, kinds);
	struct deferred *deferred = malloc(sizeof *deferred + n * sizeof *addresses);
	char *copies = n_bytes ? malloc(n_bytes) : NULL;
	if (!deferred || (n_bytes && !copies)) {
		free(deferred);
		free(copies);
		return false;
	}
	*deferred = (struct deferred){region, limit, copies};
	if (n)
		memcpy(deferred->addresses, addresses, n * sizeof *addresses);
	copy_firstprivate(copies, n, deferred->addresses, sizes, kinds);
	llvm_GOMP_task(run_deferred, &deferred, NULL, sizeof(void *), _Alignof(void *), flags & FLAG_NOWAIT,
		       dependences ? TASK_FLAG_DEPEND : 0, dependences, 0, NULL);
	return true;
}

ENTRY void GOMP_target_ext(int device, region_function *region, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
			   unsigned flags, void **dependences, void **arguments);
ENTRY void GOMP_target_ext(int device, region_function *region, size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
			   unsigned flags, void **dependences, void **arguments)
{
	(void)device;
	unsigned limit = thread_limit(arguments);
	if ((flags & FLAG_NOWAIT || dependences) && defer(region, n, addresses, sizes, kinds, flags, dependences, limit))
		return;
	size_t n_bytes = copies_bytes(n, addresses, sizes, kinds);
	if (n_bytes)
		copy_firstprivate(__builtin_alloca(n_bytes), n, addresses, sizes, kinds);
	run(region, addresses, limit);
}

/* gcc 4.9's. */
ENTRY void GOMP_target(int device, region_function *region, const void *unused, size_t n, void **addresses, size_t *sizes,
		       unsigned char *kinds);
ENTRY void GOMP_target(int device, region_function *region, const void *unused, size_t n, void **addresses, size_t *sizes,
		       unsigned char *kinds)
{
	(void)device, (void)unused, (void)n, (void)sizes, (void)kinds;
	run(region, addresses, 0);
}

/* The end of target data is an entry of libomp, which does nothing either. */
ENTRY void GOMP_target_data_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds);
ENTRY void GOMP_target_data_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds)
{
	(void)device, (void)n, (void)addresses, (void)sizes, (void)kinds;
}

/* A transfer of data is a task without work, of which only the dependences are left. */
static void transfer(unsigned flags, void **dependences)
{
	if (dependences)
		llvm_GOMP_task(do_nothing, NULL, NULL, 0, 1, flags & FLAG_NOWAIT, TASK_FLAG_DEPEND, dependences, 0, NULL);
}

ENTRY void GOMP_target_update_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,
				  void **dependences);
ENTRY void GOMP_target_update_ext(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,
				  void **dependences)
{
	(void)device, (void)n, (void)addresses, (void)sizes, (void)kinds;
	transfer(flags, dependences);
}

ENTRY void GOMP_target_enter_exit_data(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,
				       void **dependences);
ENTRY void GOMP_target_enter_exit_data(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags,
				       void **dependences)
{
	(void)device, (void)n, (void)addresses, (void)sizes, (void)kinds;
	transfer(flags, dependences);
}

/* Code for devices that the program brings. There is no device. */
#define IGNORE(name, ...)                                                                                                          \
	ENTRY void name(__VA_ARGS__);                                                                                              \
	ENTRY void name(__VA_ARGS__)
IGNORE(GOMP_offload_register_ver, unsigned version, const void *host, int type, const void *device)
{
	(void)version, (void)host, (void)type, (void)device;
}
IGNORE(GOMP_offload_unregister_ver, unsigned version, const void *host, int type, const void *device)
{
	(void)version, (void)host, (void)type, (void)device;
}
IGNORE(GOMP_offload_register, const void *host, int type, const void *device)
{
	(void)host, (void)type, (void)device;
}
IGNORE(GOMP_offload_unregister, const void *host, int type, const void *device)
{
	(void)host, (void)type, (void)device;
}
