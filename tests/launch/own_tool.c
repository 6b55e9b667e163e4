/* SPDX-License-Identifier: BSD-3-Clause */
/* own_tool: an OpenMP program that is its own tool, as the standard allows (OpenMP 5.1 section 4.2.2): no other gets a turn. */
#include <stdio.h>

struct ompt_start_tool_result;
struct ompt_start_tool_result *ompt_start_tool(unsigned omp_version, const char *runtime);

struct ompt_start_tool_result *ompt_start_tool(unsigned omp_version, const char *runtime)
{
	static union {
		struct {
			int (*initialize)(void *lookup, int device, void *data);
			void (*finalize)(void *data);
			unsigned long long data;
		} fields;
	} result;
	extern int initialize(void *lookup, int device, void *data);
	extern void finalize(void *data);
	(void)omp_version, (void)runtime;
	result.fields.initialize = initialize;
	result.fields.finalize = finalize;
	return (struct ompt_start_tool_result *)&result;
}

int initialize(void *lookup, int device, void *data)
{
	return lookup && data && device >= 0;
}

void finalize(void *data)
{
	(void)data;
}

int main(void)
{
	int threads = 0;
#pragma omp parallel reduction(+ : threads)
	threads++;
	printf("threads %d\n", threads);
	return 0;
}
