/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which kind of construct a record's kind of synchronisation, worksharing, mutex or target operation is of.
 */
#ifndef OTTER_BUILDER_MODEL_CONSTRUCT_H
#define OTTER_BUILDER_MODEL_CONSTRUCT_H

#include "builder/model/tables.h"

enum construct_kind construct_of_sync(unsigned sync_kind);
enum construct_kind construct_of_work(unsigned work_kind);
enum construct_kind construct_of_mutex(unsigned mutex_kind);
enum construct_kind construct_of_target(unsigned target_kind);
enum construct_kind construct_of_data(unsigned target_data_op); /* without _async */

/* Is it a barrier, of whatever kind? */
static inline bool sync_is_barrier(unsigned sync_kind)
{
	return sync_kind != sync_kind_taskwait && sync_kind != sync_kind_taskgroup && sync_kind != sync_kind_reduction;
}

#endif
