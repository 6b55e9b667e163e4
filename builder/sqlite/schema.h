/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The schema of otter.sqlite: docs/sqlite.md describes it. Constant; any thread.
 */
#ifndef OTTER_BUILDER_SQLITE_SCHEMA_H
#define OTTER_BUILDER_SQLITE_SCHEMA_H

#define SCHEMA_VERSION        1
#define SCHEMA_APPLICATION_ID 0x4f747472 /* "Ottr" */

extern const char schema_nodes[], schema_tables[]; /* statements, before the first row: for the nodes, for the others */
extern const char schema_indices[];                /* and after the last one */

#endif
