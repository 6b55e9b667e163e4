/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells which code lies where: the executable file mappings of the process with their build ids, read from
 * /proc/self/maps and from the files. It takes no lock of the loader and uses neither malloc nor stdio. Called with
 * meta's first and last block, by the drain thread, and by the callback that loads code onto a device.
 */
#ifndef OTTER_RECORDER_MAPS_H
#define OTTER_RECORDER_MAPS_H

struct session;
struct text;

/* Puts a `maps_at` line and a `map` line for each mapping. */
void maps_put(struct session *session, struct text *text);

/* Does the same, but only if the mappings have changed since they were last put. */
void maps_put_if_changed(struct session *session, struct text *text);

/* Appends the mappings to meta if they have changed. */
void maps_write_if_changed(struct session *session);

#endif
