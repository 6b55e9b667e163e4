/* SPDX-License-Identifier: BSD-3-Clause */
/* Every reduction identifier, array sections, reductions of the program's own; on parallel, loops, sections, simd, teams. */
#include "check.h"

#define N 16

struct pair {
	int least, most;
};

#pragma omp declare reduction(both                                                                                                 \
			      : struct pair                                                                                        \
			      : omp_out.least = omp_in.least < omp_out.least ? omp_in.least : omp_out.least,                       \
				omp_out.most = omp_in.most > omp_out.most ? omp_in.most : omp_out.most)                            \
	initializer(omp_priv = {1000, -1000})

int main(void)
{
	int plus = 0, minus = 0, product = 1, and = ~0, or = 0, xor = 0, all = 1, any = 0, least = 100, most = -100;
	int hist[4] = {0}, region = 0, section = 0, simd = 0, league = 0;
	struct pair pair = {1000, -1000};
#pragma omp parallel num_threads(2) reduction(+ : region) /* @region */
	{
		region += 1;
#pragma omp for reduction(+ : plus) reduction(- : minus) reduction(* : product) /* @arithmetic */
		for (int i = 1; i <= N; i++) {
			plus += i;
			minus -= i;
			product *= i < 5 ? i : 1;
		}
#pragma omp for reduction(& : and) reduction(| : or) reduction(^ : xor) reduction(&& : all) reduction(|| : any) /* @logic */
		for (int i = 0; i < N; i++) {
			and &= ~(1 << i);
			or |= 1 << i;
			xor ^= i;
			all = all && i < N;
			any = any || i == 7;
		}
#pragma omp for reduction(min : least) reduction(max : most) reduction(both : pair) /* @extremes */
		for (int i = 0; i < N; i++) {
			least = i - 3 < least ? i - 3 : least;
			most = i > most ? i : most;
			pair.least = i < pair.least ? i : pair.least;
			pair.most = i > pair.most ? i : pair.most;
		}
#pragma omp for reduction(+ : hist [0:4]) nowait /* @array */
		for (int i = 0; i < N; i++)
			hist[i % 4]++;
#pragma omp sections reduction(+ : section) /* @sections */
		{
#pragma omp section
			section += 1;
#pragma omp section
			section += 10;
		}
#pragma omp for simd reduction(+ : simd) /* @simd */
		for (int i = 0; i < N; i++)
			simd += i;
	}
	CHECK(region == 2 && plus == 136 && minus == -136 && product == 24);
	CHECK(and == ~0xffff && or == 0xffff && xor == 0 && all == 1 && any == 1);
	CHECK(least == -3 && most == N - 1 && pair.least == 0 && pair.most == N - 1);
	CHECK(hist[0] == 4 && hist[1] == 4 && hist[2] == 4 && hist[3] == 4 && section == 11 && simd == 120);
#pragma omp teams num_teams(2) thread_limit(1) reduction(+ : league) /* @teams */
	league += 1;
	CHECK(league == 2);
	return 0;
}
