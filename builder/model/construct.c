/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kinds of constructs by the kinds that records have: see construct.h.
 */
#include "builder/model/construct.h"

enum construct_kind construct_of_sync(unsigned sync_kind)
{
	switch (sync_kind) {
	case sync_kind_taskwait: return CONSTRUCT_TASKWAIT;
	case sync_kind_taskgroup: return CONSTRUCT_TASKGROUP;
	case sync_kind_reduction: return CONSTRUCT_REDUCTION;
	default: return CONSTRUCT_BARRIER;
	}
}

enum construct_kind construct_of_work(unsigned work_kind)
{
	switch (work_kind) {
	case work_kind_sections: return CONSTRUCT_SECTIONS;
	case work_kind_single_executor:
	case work_kind_single_other: return CONSTRUCT_SINGLE;
	case work_kind_workshare: return CONSTRUCT_WORKSHARE;
	case work_kind_distribute: return CONSTRUCT_DISTRIBUTE;
	case work_kind_taskloop: return CONSTRUCT_TASKLOOP;
	case work_kind_scope: return CONSTRUCT_SCOPE;
	default: return CONSTRUCT_LOOP;
	}
}

enum construct_kind construct_of_mutex(unsigned mutex_kind)
{
	switch (mutex_kind) {
	case mutex_kind_critical: return CONSTRUCT_CRITICAL;
	case mutex_kind_ordered: return CONSTRUCT_ORDERED;
	case mutex_kind_atomic: return CONSTRUCT_ATOMIC;
	default: return CONSTRUCT_LOCK;
	}
}

enum construct_kind construct_of_target(unsigned kind)
{
	switch (kind) {
	case target_kind_enter_data:
	case target_kind_enter_data_nowait: return CONSTRUCT_TARGET_ENTER_DATA;
	case target_kind_exit_data:
	case target_kind_exit_data_nowait: return CONSTRUCT_TARGET_EXIT_DATA;
	case target_kind_update:
	case target_kind_update_nowait: return CONSTRUCT_TARGET_UPDATE;
	default: return CONSTRUCT_TARGET;
	}
}

enum construct_kind construct_of_data(unsigned kind)
{
	bool is_known = kind >= target_data_op_alloc && kind <= target_data_op_transfer_rect;
	return is_known ? (enum construct_kind)(CONSTRUCT_DATA_ALLOC + (kind - target_data_op_alloc)) : CONSTRUCT_DATA_UNKNOWN;
}
