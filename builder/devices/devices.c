/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices as a paradigm: target constructs, and what devices report themselves.
 */
#include "builder/devices/devices.h"

extern const struct paradigm paradigm_devices;
const struct paradigm paradigm_devices = {
	.name = "devices",
	.gathers = devices_gathers,
	.gather_begin = devices_gather_begin,
	.gather_stream = devices_gather_stream,
	.gather_record = devices_gather_record,
	.gather_task_end = devices_gather_task_end,
	.gather_end = devices_gather_end,
	.replay_begin = devices_replay_begin,
	.replay_other = devices_replay_other,
	.graph = &devices_graph,
	.archive = &devices_archive,
	.summary = &devices_summary,
	.uncut = devices_uncut,
	.report = devices_report,
};
