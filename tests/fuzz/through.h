/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An input on its way through the builder. Whatever it is, nothing may crash, hang or leak, and what comes out must be as its consumers
 * were promised; where it is not the process ends (abort).
 */
#ifndef OTTER_TESTS_FUZZ_THROUGH_H
#define OTTER_TESTS_FUZZ_THROUGH_H

#include <stddef.h>
#include <stdint.h>

/* Reader, gather, replay and graph, the canonical list and the listing, without a file or a process. */
void through_memory(const uint8_t *data, size_t n_bytes);

/* otter-build's own run() with every output, from files and into files, in a directory on a tmpfs where there is one. */
void through_files(const uint8_t *data, size_t n_bytes);

#endif
