/* SPDX-License-Identifier: BSD-3-Clause
 *
 * FNV-1a, 64 bits: for what the archive finds again by content, and for its identifier.
 */
#ifndef OTTER_BUILDER_OTF2_HASH_H
#define OTTER_BUILDER_OTF2_HASH_H

#include <stdint.h>

#define HASH_BEGIN UINT64_C(1469598103934665603)

/* One step: `value` is a byte where every bit of the result has to depend on it. */
static inline uint64_t hash_on(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(1099511628211);
}

static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = hash_on(hash, (unsigned char)*text);
	return hash;
}

#endif
