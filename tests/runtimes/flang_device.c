/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What flang 19 calls around each kernel, whatever the device: the beginning and the end of a kernel on a GPU, which the runtime for x86-64 as
 * device does not have. There a kernel is called by one thread, which has to execute it: -1 says so. Linked into the device's code.
 */
#include <stdint.h>

int32_t __kmpc_target_init(void *environment, void *launch);
int32_t __kmpc_target_init(void *environment, void *launch)
{
	(void)environment;
	(void)launch;
	return -1;
}

void __kmpc_target_deinit(void);
void __kmpc_target_deinit(void)
{
}
