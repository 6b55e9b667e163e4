/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hashes for what is found again by its content. Identifiers of archives are made of FNV-1a, so it stays as it is, also its
 * start: the last digit of FNV's own offset basis is missing.
 */
#ifndef OTTER_BUILDER_SUPPORT_HASH_H
#define OTTER_BUILDER_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- FNV-1a, 64 bits ---- */

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

/* ---- Numbers, by the golden ratio ---- */

static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static inline uint64_t hash_bytes(const void *bytes, size_t n_bytes)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < n_bytes; i += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, (const char *)bytes + i, n_bytes - i < sizeof word ? n_bytes - i : sizeof word);
		hash = hash_mix(hash, word);
	}
	return hash;
}

#endif
