/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The attached tool: it says yes to the runtime and sets no callback. What this costs is the price of having a tool at all.
 */
#include <omp-tools.h>

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data)
{
	(void)lookup;
	(void)device;
	(void)tool_data;
	return 1;
}

static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = {initialize, finalize, {0}};
	(void)omp_version;
	(void)runtime_version;
	return &result;
}
