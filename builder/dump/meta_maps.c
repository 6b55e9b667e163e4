/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the file that an address belongs to. A program that loads many libraries has all its maps in meta many times
 * over, and thousands of code addresses are looked up. So the address space is cut into pieces at all ends of maps
 * once, and each piece keeps the latest map that covers it. meta_file.c makes this index, symbols and tables look
 * addresses up in it; one thread.
 */
#include "builder/dump/meta.h"
#include "builder/support/memory.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

/* The last piece that begins at or before the address; n_pieces: none. */
static size_t find_piece(const struct meta *meta, uint64_t address)
{
	size_t low = lower_bound(i, 0, meta->n_pieces, meta->pieces[i] <= address);
	return low > 0 ? low - 1 : meta->n_pieces;
}

/*
 * The first piece from i on that has no map yet. next[i] is i for such a piece; otherwise it leads on to a later one
 * (union and find, with paths made shorter on the way).
 */
static size_t next_free(size_t *next, size_t i)
{
	while (next[i] != i)
		i = next[i] = next[next[i]];
	return i;
}

int meta_index_maps(struct meta *meta)
{
	size_t n = 2 * meta->n_maps;
	if (n == 0)
		return 0;
	meta->pieces = memory_zeroed(n, sizeof *meta->pieces, "the maps");
	meta->piece_maps = memory_zeroed(n, sizeof *meta->piece_maps, "the maps");
	size_t *next = memory_get(n + 1, sizeof *next, "the maps");
	for (size_t i = 0; i < meta->n_maps; i++) {
		meta->pieces[2 * i] = meta->maps[i].start;
		meta->pieces[2 * i + 1] = meta->maps[i].end;
	}
	sort_array(meta->pieces, n, by_u64);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || meta->pieces[i] != meta->pieces[i - 1])
			meta->pieces[meta->n_pieces++] = meta->pieces[i];
	for (size_t i = 0; i <= n; i++)
		next[i] = i;
	/* From the latest map to the first: each piece is taken once, by the latest map that covers it. */
	for (size_t m = meta->n_maps; m-- > 0;)
		for (size_t i = next_free(next, find_piece(meta, meta->maps[m].start));
		     i < meta->n_pieces && meta->pieces[i] < meta->maps[m].end; i = next_free(next, i)) {
			meta->piece_maps[i] = m + 1;
			next[i] = i + 1;
		}
	free(next);
	return 0;
}

const struct meta_map *meta_find_map(const struct meta *meta, uint64_t address)
{
	size_t i = find_piece(meta, address);
	return i < meta->n_pieces && meta->piece_maps[i] != 0 ? &meta->maps[meta->piece_maps[i] - 1] : NULL;
}

const struct meta_map *meta_find_map_below(const struct meta *meta, uint64_t address)
{
	size_t i = find_piece(meta, address);
	if (i == meta->n_pieces)
		return NULL;
	while (i > 0 && meta->piece_maps[i] == 0)
		i--;
	return meta->piece_maps[i] != 0 ? &meta->maps[meta->piece_maps[i] - 1] : NULL;
}
