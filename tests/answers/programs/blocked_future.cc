/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: tasks have their work done by a thread that OpenMP does not know, and wait for it.
limit: blocked @task 1.7 2.2
mended: none
 */
#include "busy.h"

#include <future>
#include <mutex>

static std::mutex one_at_a_time;

static void compute()
{
	std::lock_guard<std::mutex> guard(one_at_a_time);
	busy(1000);
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++) {
#pragma omp task /* @task */
		{
			if (MENDED)
				busy(1000);
			else
				std::async(std::launch::async, compute).wait();
		}
	}
	return 0;
}
