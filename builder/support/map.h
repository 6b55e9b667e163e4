/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map from 64-bit keys to 32-bit values, with open addressing, for the few things that no id addresses directly. One
 * thread at a time uses it.
 */
#ifndef OTTER_BUILDER_SUPPORT_MAP_H
#define OTTER_BUILDER_SUPPORT_MAP_H

#include "builder/support/hash.h"
#include "builder/support/memory.h"

#include <stdint.h>

struct map {
	struct map_slot {
		uint64_t key;
		uint32_t value;
		uint32_t is_used;
	} * slots;
	size_t n_slots; /* 0 or a power of two */
	size_t n_used;
};

static inline void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){NULL, 0, 0};
}

static inline struct map_slot *map_slot(const struct map *map, uint64_t key)
{
	/* The address of the slots is part of the hash, so that no dump can be made whose keys all fall into one slot. */
	unsigned __int128 h = (unsigned __int128)(key ^ (uintptr_t)map->slots) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = ((size_t)h ^ (size_t)(h >> 64)) & (map->n_slots - 1);
	while (map->slots[i].is_used && map->slots[i].key != key)
		i = (i + 1) & (map->n_slots - 1);
	return &map->slots[i];
}

/* The value of a key, or NULL. Valid until the next map_put. */
static inline uint32_t *map_get(const struct map *map, uint64_t key)
{
	if (map->n_slots == 0)
		return NULL;
	struct map_slot *slot = map_slot(map, key);
	return slot->is_used ? &slot->value : NULL;
}

/*
 * The value of a key, added as 0 where it is new. Valid until the next map_put. Never NULL: where memory is out the
 * process ends (memory.h).
 */
static inline uint32_t *map_put(struct map *map, uint64_t key)
{
	if ((map->n_used + 1) * 4 > map->n_slots * 3) {
		struct map grown = {NULL, map->n_slots != 0 ? map->n_slots * 2 : 64, map->n_used};
		grown.slots = memory_zeroed(grown.n_slots, sizeof *grown.slots, "a map");
		for (size_t i = 0; i < map->n_slots; i++)
			if (map->slots[i].is_used)
				*map_slot(&grown, map->slots[i].key) = map->slots[i];
		free(map->slots);
		*map = grown;
	}
	struct map_slot *slot = map_slot(map, key);
	if (!slot->is_used) {
		*slot = (struct map_slot){key, 0, 1};
		map->n_used++;
	}
	return &slot->value;
}

/* Takes a key out. Keys in the slots after it, which may lie there only because its slot was taken, are put in anew. */
static inline void map_remove(struct map *map, uint64_t key)
{
	if (map->n_slots == 0 || !map_slot(map, key)->is_used)
		return;
	size_t hole = (size_t)(map_slot(map, key) - map->slots);
	map->slots[hole].is_used = 0;
	map->n_used--;
	for (size_t i = (hole + 1) & (map->n_slots - 1); map->slots[i].is_used; i = (i + 1) & (map->n_slots - 1)) {
		struct map_slot moved = map->slots[i];
		map->slots[i].is_used = 0;
		*map_slot(map, moved.key) = moved;
	}
}

/*
 * Rows that are found by what they begin with: the number, from 1 on, of the one that begins with the key. 0 where there is
 * none: array_push_new() appends it then, and puts its number here. The map is of nothing else, and the number valid as that of
 * map_put(). The key has no padding.
 */
#define map_put_row(map, rows, key) map_put_row_of((map), (rows), sizeof *(rows), &(key), sizeof(key))
static inline uint32_t *map_put_row_of(struct map *map, const void *rows, size_t row_bytes, const void *key, size_t key_bytes)
{
	for (uint64_t hash = hash_bytes(key, key_bytes);; hash++) {
		uint32_t *number = map_put(map, hash);
		if (*number == 0 || memcmp((const char *)rows + (*number - 1) * row_bytes, key, key_bytes) == 0)
			return number;
	}
}

#endif
