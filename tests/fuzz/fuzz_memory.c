/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libFuzzer's target for reader, gather, replay and graph. See docs/hacking.md, "Fuzzing".
 */
#include "tests/fuzz/through.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
	through_memory(data, n_bytes);
	return 0;
}
