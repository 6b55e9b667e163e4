/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signals that end the builder: the temporary directory is removed first.
 */
#ifndef OTTER_BUILDER_ENDING_H
#define OTTER_BUILDER_ENDING_H

/* Called once by main(), before any other thread is there. */
void ending_prepare(void);

#endif
