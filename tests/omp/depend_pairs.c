/* SPDX-License-Identifier: BSD-3-Clause */
/* Every dependence type behind every other: two tasks a pair, on a variable of their own. */
#include "check.h"

int main(void)
{
	int v[25], ran = 0;
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(ran) depend(in : v[0]) /* @in_in_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[0]) /* @in_in_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[1]) /* @in_out_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[1]) /* @in_out_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[2]) /* @in_inout_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[2]) /* @in_inout_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[3]) /* @in_mutex_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[3]) /* @in_mutex_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[4]) /* @in_set_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[4]) /* @in_set_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[5]) /* @out_in_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[5]) /* @out_in_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[6]) /* @out_out_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[6]) /* @out_out_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[7]) /* @out_inout_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[7]) /* @out_inout_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[8]) /* @out_mutex_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[8]) /* @out_mutex_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[9]) /* @out_set_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[9]) /* @out_set_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[10]) /* @inout_in_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[10]) /* @inout_in_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[11]) /* @inout_out_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[11]) /* @inout_out_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[12]) /* @inout_inout_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[12]) /* @inout_inout_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[13]) /* @inout_mutex_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[13]) /* @inout_mutex_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[14]) /* @inout_set_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[14]) /* @inout_set_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[15]) /* @mutex_in_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[15]) /* @mutex_in_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[16]) /* @mutex_out_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[16]) /* @mutex_out_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[17]) /* @mutex_inout_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[17]) /* @mutex_inout_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[18]) /* @mutex_mutex_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[18]) /* @mutex_mutex_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[19]) /* @mutex_set_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[19]) /* @mutex_set_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[20]) /* @set_in_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(in : v[20]) /* @set_in_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[21]) /* @set_out_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(out : v[21]) /* @set_out_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[22]) /* @set_inout_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inout : v[22]) /* @set_inout_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[23]) /* @set_mutex_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(mutexinoutset : v[23]) /* @set_mutex_2 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[24]) /* @set_set_1 */
		add(&ran, 1);
#pragma omp task shared(ran) depend(inoutset : v[24]) /* @set_set_2 */
		add(&ran, 1);
	}
	CHECK(ran == 50);
	return 0;
}
