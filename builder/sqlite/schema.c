/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The schema of otter.sqlite. Tables have the columns of the CSV tables, in whose order their rows come (rows.c); a column
 * that is ANY has numbers and words. A change of what is here, or of a CSV table, is a new SCHEMA_VERSION. Used by database.c.
 */
#include "builder/sqlite/schema.h"

const char schema_nodes[] =
	"CREATE TABLE nodes (id INTEGER PRIMARY KEY, kind TEXT, construct INTEGER REFERENCES constructs, line INTEGER,\n"
	"  process INTEGER REFERENCES processes, task INTEGER REFERENCES nodes, parent INTEGER REFERENCES nodes,\n"
	"  region INTEGER, stream INTEGER, flags TEXT, state TEXT, create_ns INTEGER, begin_ns INTEGER, end_ns INTEGER,\n"
	"  busy_ns INTEGER, blocked_ns INTEGER, preempted_ns INTEGER, wait_ns INTEGER, ready_ns INTEGER,\n"
	"  creation_ns INTEGER, operation TEXT, bytes INTEGER, src_device ANY, dest_device ANY, host_op_id TEXT,\n"
	"  teams INTEGER, device ANY, queue INTEGER, device_begin_ns INTEGER, device_end_ns INTEGER, sync TEXT, object TEXT,\n"
	"  path INTEGER) STRICT;\n";

const char schema_tables[] =
	"CREATE TABLE processes (process INTEGER PRIMARY KEY, rank INTEGER, host TEXT, pid INTEGER, start_ns INTEGER,\n"
	"  program TEXT, run TEXT, dump TEXT) STRICT;\n"
	"CREATE TABLE constructs (number INTEGER PRIMARY KEY, kind TEXT, label TEXT, file TEXT, line INTEGER, function TEXT,\n"
	"  path INTEGER, count INTEGER, own_ns INTEGER, wait_ns INTEGER, path_ns INTEGER, blamed_ns INTEGER,\n"
	"  own_least_ns INTEGER, own_p10_ns INTEGER, own_p50_ns INTEGER, own_p90_ns INTEGER, own_p99_ns INTEGER,\n"
	"  own_most_ns INTEGER, start_p50_ns INTEGER, start_p90_ns INTEGER, cost_ns INTEGER, below_cost INTEGER,\n"
	"  cutoff_ns INTEGER, cutoff_saves_ns INTEGER, chunks INTEGER) STRICT;\n"
	"CREATE TABLE edges (source INTEGER REFERENCES nodes, target INTEGER REFERENCES nodes, kind TEXT, dependence TEXT,\n"
	"  variable TEXT, sync TEXT, object TEXT, path INTEGER) STRICT;\n"
	"CREATE TABLE exclusive (process INTEGER REFERENCES processes, \"set\" INTEGER, node INTEGER REFERENCES nodes,\n"
	"  variable TEXT, object TEXT) STRICT;\n"
	"CREATE TABLE mutexes (process INTEGER REFERENCES processes, construct INTEGER REFERENCES constructs, kind TEXT,\n"
	"  handle TEXT, variable TEXT, label TEXT, file TEXT, line INTEGER, function TEXT, acquired INTEGER, failed INTEGER,\n"
	"  held_ns INTEGER, wait_ns INTEGER) STRICT;\n"
	"CREATE TABLE units (process INTEGER REFERENCES processes, node INTEGER REFERENCES nodes, handle TEXT,\n"
	"  generation INTEGER, run INTEGER, kind TEXT, label TEXT, file TEXT, line INTEGER, function TEXT, state TEXT,\n"
	"  flags TEXT, life INTEGER, creator INTEGER REFERENCES nodes, pool TEXT, last_pool TEXT, stack_bytes INTEGER,\n"
	"  depth INTEGER, create_stream INTEGER, stream INTEGER, rank INTEGER, last_stream INTEGER, last_rank INTEGER,\n"
	"  moves INTEGER, creates INTEGER, runs INTEGER, yields INTEGER, suspends INTEGER, polls INTEGER, create_ns INTEGER,\n"
	"  begin_ns INTEGER, end_ns INTEGER, free_ns INTEGER, busy_ns INTEGER, wait_ns INTEGER, queued_ns INTEGER) STRICT;\n"
	"CREATE TABLE waits (process INTEGER REFERENCES processes, construct INTEGER REFERENCES constructs, kind TEXT,\n"
	"  state TEXT, label TEXT, file TEXT, line INTEGER, function TEXT, count INTEGER, total_ns INTEGER,\n"
	"  longest_ns INTEGER, \"for\" INTEGER REFERENCES constructs, for_label TEXT, for_ns INTEGER) STRICT;\n"
	"CREATE TABLE grain (process INTEGER REFERENCES processes, construct INTEGER REFERENCES constructs, label TEXT,\n"
	"  from_ns INTEGER, tasks INTEGER, starts INTEGER) STRICT;\n"
	"CREATE TABLE speedups (process INTEGER REFERENCES processes, construct INTEGER REFERENCES constructs, kind TEXT,\n"
	"  label TEXT, file TEXT, line INTEGER, function TEXT, work_ns INTEGER, path_ns INTEGER, faster REAL, wall_ns INTEGER,\n"
	"  base_ns INTEGER) STRICT;\n"
	"CREATE TABLE lint (process INTEGER REFERENCES processes, finding TEXT, construct INTEGER REFERENCES constructs,\n"
	"  label TEXT, other INTEGER REFERENCES constructs, other_label TEXT, count INTEGER, \"of\" INTEGER, variable TEXT) STRICT;\n"
	"CREATE TABLE spawn (number INTEGER PRIMARY KEY, process INTEGER REFERENCES processes, above INTEGER REFERENCES spawn,\n"
	"  depth INTEGER, construct INTEGER REFERENCES constructs, name TEXT, count INTEGER, own_ns INTEGER, total_ns INTEGER,\n"
	"  path_ns INTEGER) STRICT;\n"
	"CREATE TABLE states (process INTEGER REFERENCES processes, stream INTEGER, state TEXT, count INTEGER,\n"
	"  total_ns INTEGER) STRICT;\n"
	"CREATE TABLE state_intervals (process INTEGER REFERENCES processes, stream INTEGER, state TEXT, begin_ns INTEGER,\n"
	"  end_ns INTEGER) STRICT;\n"
	"CREATE TABLE parallelism (process INTEGER REFERENCES processes, begin_ns INTEGER, end_ns INTEGER,\n"
	"  work_serial_ns INTEGER, work_parallel_ns INTEGER, work_reduction_ns INTEGER, wait_barrier_ns INTEGER,\n"
	"  wait_barrier_implicit_parallel_ns INTEGER, wait_barrier_implicit_workshare_ns INTEGER,\n"
	"  wait_barrier_implicit_ns INTEGER, wait_barrier_explicit_ns INTEGER, wait_barrier_implementation_ns INTEGER,\n"
	"  wait_barrier_teams_ns INTEGER, wait_taskwait_ns INTEGER, wait_taskgroup_ns INTEGER, wait_mutex_ns INTEGER,\n"
	"  wait_lock_ns INTEGER, wait_critical_ns INTEGER, wait_atomic_ns INTEGER, wait_ordered_ns INTEGER,\n"
	"  wait_target_ns INTEGER, wait_target_map_ns INTEGER, wait_target_update_ns INTEGER, idle_ns INTEGER,\n"
	"  overhead_ns INTEGER, undefined_ns INTEGER, preempted_ns INTEGER, blocked_ns INTEGER, ready_ns INTEGER,\n"
	"  untaken_ns INTEGER, most_working INTEGER, most_ready INTEGER) STRICT;\n"
	"CREATE TABLE samples (process INTEGER REFERENCES processes, stream INTEGER, time_ns INTEGER, number INTEGER,\n"
	"  state TEXT, missed INTEGER, task INTEGER REFERENCES nodes, region INTEGER, wait_id TEXT) STRICT;\n"
	"CREATE TABLE summary (name TEXT, number ANY, text TEXT) STRICT;\n"
	"CREATE VIEW tasks AS SELECT nodes.*, label, file, function FROM nodes LEFT JOIN constructs ON construct = number\n"
	"  WHERE id = task;\n";

const char schema_nodes_indices[] = "CREATE INDEX nodes_by_parent ON nodes (parent);\n";

const char schema_indices[] = "CREATE INDEX edges_by_source ON edges (source);\n"
			      "CREATE INDEX edges_by_target ON edges (target);\n"
			      "CREATE INDEX intervals_by_time ON state_intervals (process, stream, begin_ns);\n"
			      "CREATE UNIQUE INDEX summary_by_name ON summary (name);\n";
