/* SPDX-License-Identifier: BSD-3-Clause
 *
 * May servers be asked for debug information? libdwfl asks those that DEBUGINFOD_URLS names, wherever a binary's own is
 * not found, and waits for as long as they like. otter-build asks a network only if the user says so, and for a limited
 * time. main.c decides, binary.c frames what may ask; on the main thread, as these functions change the environment.
 */
#ifndef OTTER_BUILDER_MODEL_DEBUGINFOD_H
#define OTTER_BUILDER_MODEL_DEBUGINFOD_H

/* No server is asked. */
void debuginfod_forbid(void);

/* Servers may be asked, for this many seconds in the whole run. Prints that they are asked. */
void debuginfod_allow(unsigned seconds);

/* Frame a call that may ask. Where the time is over, a warning is printed and no server is asked any more. */
void debuginfod_begin(void);
void debuginfod_end(void);

#endif
