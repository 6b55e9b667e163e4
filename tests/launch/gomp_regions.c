/* SPDX-License-Identifier: BSD-3-Clause */
/* gomp_regions: what gcc's code does by entries that libgomp has and LLVM's runtime lacks. It prints what each does, which has to
 * be the same with either runtime. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static void teams(void)
{
	int sum = 0, one_each = 0, alone = 0, limit = 0, inside[2][2] = {{0}};
#pragma omp target teams distribute parallel for num_teams(2) reduction(+ : sum) map(tofrom : sum)
	for (int i = 0; i < N; i++)
		sum += i;
#pragma omp target teams num_teams(2) map(tofrom : one_each) reduction(+ : one_each)
	one_each++;
#pragma omp target teams map(tofrom : alone) reduction(+ : alone)
	alone += omp_get_num_teams();
#pragma omp target teams num_teams(2) map(tofrom : inside)
#pragma omp parallel num_threads(2)
	inside[omp_get_team_num()][omp_get_thread_num()] += omp_get_num_teams();
#pragma omp target teams num_teams(2) thread_limit(3) map(tofrom : limit)
#pragma omp parallel num_threads(2)
#pragma omp master
	limit += omp_get_thread_limit();
	printf("teams %d, each %d, without a number %d, threads inside %d %d %d %d, limit %d, then %d of %d\n", sum, one_each,
	       alone, inside[0][0], inside[0][1], inside[1][0], inside[1][1], limit, omp_get_team_num(), omp_get_num_teams());
}

static void host_teams(void)
{
	int count = 0, sum = 0, some = 0, threads = 0;
#pragma omp teams num_teams(3) reduction(+ : count)
	count += omp_get_num_teams();
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
#pragma omp teams reduction(+ : some)
	some++;
#pragma omp teams num_teams(2) reduction(+ : threads)
#pragma omp parallel reduction(+ : threads)
	threads += 1 + 10 * omp_get_team_num();
	printf("host teams %d %d, without a number %d, threads %d\n", count, sum, some, threads);
}

static void regions(void)
{
	int threads = 0, outside = 5, seen = 0;
	struct {
		long a;
		char b[40];
	} own = {7, "text"};
	long n = 6, values[n];
	for (long i = 0; i < n; i++)
		values[i] = i;
#pragma omp target map(tofrom : threads)
#pragma omp parallel num_threads(2) reduction(+ : threads)
	threads++;
#pragma omp target firstprivate(own, outside, values) map(from : seen)
	{
		own.a++;
		outside++;
		values[2] = 100;
		seen = (int)own.a + outside + (int)values[2] + own.b[1];
	}
	printf("target %d, firstprivate %d, left as they were %ld %d %ld %s\n", threads, seen, own.a, outside, values[2], own.b);
}

static void data(void)
{
	int a[N], sum = 0, x = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp target data map(tofrom : a)
	{
#pragma omp target
		for (int i = 0; i < N; i++)
			a[i] *= 2;
#pragma omp target update from(a)
	}
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task depend(out : x) shared(x)
		x = 1;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
		x = x * 10 + 2;
#pragma omp target enter data nowait depend(inout : x) map(to : x)
#pragma omp target update nowait depend(inout : x) to(x)
#pragma omp target depend(inout : x) map(tofrom : x)
		x = x * 10 + 3;
#pragma omp taskwait
		for (int i = 0; i < 20; i++) {
			int mine = i;
#pragma omp target nowait firstprivate(mine) depend(inout : sum) map(tofrom : sum)
			sum += mine;
		}
#pragma omp taskwait
	}
#pragma omp target nowait map(tofrom : x)
	x = x * 10 + 4;
#pragma omp taskwait
	printf("data %d, in order %d, tasks %d\n", a[N - 1], x, sum);
}

static void scope(void)
{
	int plain = 0, tasks = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp scope reduction(+ : plain)
		plain += omp_get_num_threads();
#pragma omp scope reduction(task, + : tasks)
		{
			for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : tasks)
				tasks += i;
			}
		}
#pragma omp barrier
#pragma omp scope reduction(task, + : tasks)
		tasks++;
	}
	printf("scope %d, tasks %d\n", plain, tasks);
}

/* Worksharing with memory of the team, also in a region inside of it, and often. */
static void workshare(void)
{
	int a[N], prefix[N], sum = 0, last = -1, inner = 0, rounds = 0;
	unsigned long long in_order = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel num_threads(2)
	{
#pragma omp for reduction(inscan, + : sum)
		for (int i = 0; i < N; i++) {
			sum += a[i];
#pragma omp scan inclusive(sum)
			prefix[i] = sum;
		}
		for (int round = 0; round < 50; round++) {
#pragma omp for lastprivate(conditional : last) schedule(dynamic, 7)
			for (int i = 0; i < N; i++)
				if (a[i] % 13 == 5)
					last = i;
#pragma omp single
			rounds += last;
		}
#pragma omp for lastprivate(conditional : last) ordered
		for (unsigned long long i = 0; i < 100; i++) {
			if (i % 13 == 7)
				last = (int)i;
#pragma omp ordered
			in_order = in_order * 3 + i;
		}
#pragma omp for lastprivate(conditional : inner)
		for (int i = 0; i < 4; i++) {
			int own = 0;
#pragma omp parallel for num_threads(2) lastprivate(conditional : own)
			for (int j = 0; j < N; j++)
				if (a[j] % 7 == i)
					own = j;
			if (own % 2)
				inner = own;
		}
#pragma omp sections lastprivate(conditional : last)
		{
#pragma omp section
			if (a[3] == 3)
				last = 33;
#pragma omp section
			if (a[3] == 4)
				last = 44;
		}
	}
	printf("prefix %d, last %d, rounds %d, in order %llu, inner %d\n", prefix[N - 1], last, rounds, in_order, inner);
}

int main(int argc, char **argv)
{
	(void)argv;
	teams();
	host_teams();
	regions();
	data();
	scope();
	workshare();
	fflush(stdout);
#pragma omp error at(execution) severity(warning)
#pragma omp error at(execution) severity(warning) message("a warning of the program's")
	if (argc > 1) {
#pragma omp error at(execution) severity(fatal) message("the end")
	}
	return 0;
}
