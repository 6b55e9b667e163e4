/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binary search in what is in order.
 */
#ifndef OTTER_BUILDER_SUPPORT_LOWER_BOUND_H
#define OTTER_BUILDER_SUPPORT_LOWER_BOUND_H

#include <stddef.h>

/*
 * The first index from `low` to before `high` for which `is_before` does not hold; `high` where it holds for all of them.
 * `is_before` is an expression with the index `i`, which has to hold for every index before one for which it holds:
 *
 *     size_t first = lower_bound(i, 0, n, rows[i].ticks < ticks);
 */
#define lower_bound(i, low, high, is_before)                                                                                       \
	({                                                                                                                         \
		size_t begin_ = (low), end_ = (high);                                                                              \
		while (begin_ < end_) {                                                                                            \
			const size_t i = begin_ + (end_ - begin_) / 2;                                                             \
			if (is_before)                                                                                             \
				begin_ = i + 1;                                                                                    \
			else                                                                                                       \
				end_ = i;                                                                                          \
		}                                                                                                                  \
		begin_;                                                                                                            \
	})

#endif
