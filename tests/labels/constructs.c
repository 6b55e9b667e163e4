/* SPDX-License-Identifier: BSD-3-Clause
 * All kinds of constructs, one a line, with other statements before and after each. The comment in a construct's line has the kinds of
 * constructs whose label may have this line; those without a question mark have to come. labels.py compares.
 */
#include <omp.h>

static volatile int sink;
static int a, b, c, arr[64];
static omp_lock_t lk;
static omp_nest_lock_t nl;
__attribute__((noinline)) static void work(int n)
{
	for (volatile int i = 0; i < n; i++)
		sink += i;
}
__attribute__((noinline)) static void deep(int n)
{
	if (n > 0) {
#pragma omp task if (0) /* task */
		{
			work(1);
			deep(n - 1);
#pragma omp task /* task */
			work(2);
#pragma omp task if (0) /* task */
			work(2);
#pragma omp taskwait /* taskwait */
			work(3);
#pragma omp critical(x) /* critical */
			work(4);
			sink = sink + 1;
#pragma omp taskgroup /* taskgroup */
			{
				work(1);
#pragma omp task /* task */
				work(5);
				work(1);
#pragma omp task final(1) /* task */
				{
					work(5);
					omp_set_lock(&lk); /* lock */
					work(5);
					omp_unset_lock(&lk);
					work(5);
				}
				work(1);
			}
			sink++;
		}
		sink++;
	}
}
/* The call of the runtime may be a jump, whose return address is that of the call of this function. */
__attribute__((noinline)) static void wait_at_end(void)
{
	work(1);
#pragma omp taskwait /* taskwait? */
}

int main(void)
{
	omp_init_lock(&lk);
	omp_init_nest_lock(&nl);
#pragma omp parallel num_threads(2) /* parallel */
	{
		work(10);
		wait_at_end();
		work(10);
#pragma omp barrier /* barrier */
		work(10);
#pragma omp single /* single barrier */
		{
			work(1);
			deep(2);
			work(1);
		}
		work(1);
#pragma omp single nowait /* single */
		{
			work(1);
#pragma omp task depend(out : a) /* task */
			work(100);
			work(1);
#pragma omp task depend(in : a) /* task */
			work(100);
			work(1);
#pragma omp task if (0) depend(inout : a) /* task taskwait? */
			work(100);
			work(1);
#pragma omp taskwait depend(in : a) /* taskwait */
			work(1);
#pragma omp taskwait /* taskwait */
			work(1);
#pragma omp taskloop grainsize(4) /* taskloop taskgroup task */
			for (int i = 0; i < 16; i++)
				work(1);
			work(1);
#pragma omp taskgroup /* taskgroup */
			{
#pragma omp taskloop nogroup grainsize(4) /* taskloop? task? */
				for (int i = 0; i < 16; i++)
					work(1);
			}
			work(1);
#pragma omp taskloop nogroup grainsize(4) /* taskloop? task? */
			for (int i = 0; i < 16; i++)
				work(1);
			work(1);
#pragma omp task untied /* task */
			{
				work(1);
#pragma omp taskyield
				work(1);
			}
			work(1);
#pragma omp taskgroup /* taskgroup */
			{
				work(1);
#pragma omp task /* task */
				work(1);
				work(1);
			}
			work(1);
		}
		work(1);
#pragma omp for schedule(static) /* loop barrier */
		for (int i = 0; i < 16; i++)
			work(1);
		work(1);
#pragma omp for schedule(dynamic) nowait /* loop */
		for (int i = 0; i < 16; i++)
			work(1);
		work(1);
#pragma omp for schedule(guided) /* loop barrier */
		for (int i = 0; i < 16; i++)
			work(1);
		work(1);
#pragma omp for ordered schedule(dynamic) /* loop barrier */
		for (int i = 0; i < 16; i++) {
			work(1);
#pragma omp ordered /* ordered */
			work(1);
			work(1);
		}
		work(1);
#pragma omp sections /* sections loop? barrier */
		{
#pragma omp section
			work(1);
#pragma omp section
			work(1);
		}
		work(1);
#pragma omp masked /* masked */
		work(1);
		work(1);
#pragma omp critical /* critical */
		work(1);
		work(1);
#pragma omp critical(named) /* critical */
		work(1);
		work(1);
#pragma omp critical(hinted) hint(omp_sync_hint_uncontended) /* critical */
		work(1);
		work(1);
		omp_set_lock(&lk); /* lock */
		work(1);
		omp_unset_lock(&lk);
		work(1);
		if (omp_test_lock(&lk)) /* lock */
			omp_unset_lock(&lk);
		work(1);
		omp_set_nest_lock(&nl); /* lock */
		work(1);
		omp_set_nest_lock(&nl); /* lock */
		work(1);
		omp_unset_nest_lock(&nl);
		work(1);
		omp_unset_nest_lock(&nl);
		work(1);
		if (omp_test_nest_lock(&nl)) { /* lock */
			work(1);
			omp_unset_nest_lock(&nl);
			work(1);
		}
		work(1);
#pragma omp for reduction(+ : b) /* loop barrier reduction? */
		for (int i = 0; i < 16; i++)
			b += i;
		work(1);
#pragma omp for reduction(+ : arr) /* loop barrier reduction? atomic? critical? */
		for (int i = 0; i < 16; i++)
			arr[i] += i;
		work(1);
#pragma omp flush /* flush? */
		work(1);
	}
	work(1);
#pragma omp parallel num_threads(2) /* parallel */
	{
		work(1);
#pragma omp parallel num_threads(1) /* parallel */
		{
			work(1);
#pragma omp task /* task */
			work(1);
			work(1);
#pragma omp barrier /* barrier */
			work(1);
#pragma omp parallel num_threads(1) /* parallel */
			{
				work(1);
#pragma omp task /* task */
				work(1);
				work(1);
#pragma omp critical(nest) /* critical */
				work(1);
				work(1);
			}
			work(1);
#pragma omp task /* task */
			work(1);
			work(1);
		}
		work(1);
#pragma omp task if (0) /* task */
		{
			work(1);
#pragma omp parallel num_threads(2) /* parallel */
			{
				work(1);
#pragma omp barrier /* barrier */
				work(1);
			}
			work(1);
#pragma omp task /* task */
			work(1);
			work(1);
		}
		work(1);
#pragma omp masked /* masked */
		{
			work(1);
#pragma omp task /* task */
			work(1);
			work(1);
		}
		work(1);
	}
	work(1);
#pragma omp teams num_teams(2) thread_limit(2) /* teams */
	{
		work(1);
#pragma omp parallel num_threads(2) /* parallel */
		{
			work(1);
#pragma omp task /* task */
			work(1);
			work(1);
		}
		work(1);
	}
	work(1);
#pragma omp parallel for num_threads(2) schedule(dynamic) /* parallel loop? */
	for (int i = 0; i < 8; i++)                       /* loop? */
		work(1);
	work(1);
#pragma omp parallel for num_threads(2) /* parallel loop? */
	for (int i = 0; i < 8; i++)     /* loop? */
		work(1);
	work(1);
#pragma omp parallel sections num_threads(2) /* parallel sections? loop? */
	{
#pragma omp section
		work(1);
#pragma omp section
		work(1);
	}
	work(1);
	omp_destroy_nest_lock(&nl);
	omp_destroy_lock(&lk);
	return (sink + a + b + c) * 0;
}
