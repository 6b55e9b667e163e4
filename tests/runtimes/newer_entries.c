/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entry points that clang 19's programs call and older runtimes lack, preloaded for those: LACKS_... say which. Both do what the
 * code of a compiler as old as the runtime would have done. They go on by a jump: the return address that the runtime
 * reports must be the program's.
 */
#include <stdint.h>
#include <stdlib.h>

#ifdef LACKS___kmpc_dispatch_deinit
/* At the end of a loop. In libomp 19 it does nothing either: it is there for GPUs. */
void __kmpc_dispatch_deinit(void *where, int32_t thread);
void __kmpc_dispatch_deinit(void *where, int32_t thread)
{
	(void)where;
	(void)thread;
}
#endif

#ifdef LACKS___kmpc_omp_taskwait_deps_51
void __kmpc_omp_wait_deps(void *where, int32_t thread, int32_t n, void *list, int32_t n_noalias, void *noalias);
void __kmpc_omp_taskwait_deps_51(void *where, int32_t thread, int32_t n, void *list, int32_t n_noalias, void *noalias,
				 int32_t has_nowait);

/* A taskwait with dependences, which may have nowait since OpenMP 6.0. */
void __kmpc_omp_taskwait_deps_51(void *where, int32_t thread, int32_t n, void *list, int32_t n_noalias, void *noalias,
				 int32_t has_nowait)
{
	if (has_nowait)
		abort();
	__kmpc_omp_wait_deps(where, thread, n, list, n_noalias, noalias);
}
#endif
