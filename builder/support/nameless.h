/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file without a name: it is gone when it is closed, however the builder ends. Needs no memory. Any thread.
 */
#ifndef OTTER_BUILDER_SUPPORT_NAMELESS_H
#define OTTER_BUILDER_SUPPORT_NAMELESS_H

/* A new file for reading and writing, whose name begins with `name` and is gone at once. Its descriptor, or -1 with errno set. */
int nameless_open(const char *name);

#endif
