#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# layers.sh: prints each #include by which a folder of builder/ uses one that does not come before it in the order of
# the data. If it prints nothing, all is well.
set -u
cd "$(dirname "$0")/../.." || exit 1

git ls-files 'builder/*.c' 'builder/*.h' | xargs grep -n '#include "builder/' | awk -F: '
	BEGIN {
		n = split("support tables dump,sqlite model symbols current gather,replay graph,states,otf2 callpaths,slices analysis,timeline,graphml simulate answer whatif,findings,draw summary diff,report argobots,devices run commands", levels, " ")
		for (i = 1; i <= n; i++) {
			m = split(levels[i], folders, ",")
			for (j = 1; j <= m; j++)
				level[folders[j]] = i
		}
	}
	{
		split($1, from, "/")
		match($3, /"builder\/[^"]*"/)
		split(substr($3, RSTART + 1, RLENGTH - 2), to, "/")
		folder = from[3] == "" ? "top" : from[2]
		used = to[3] == "" ? "top" : to[2]
		above = folder == "top" ? n + 1 : level[folder]
		below = used == "top" ? n + 1 : level[used]
		if (above == 0 || below == 0 || (folder != used && below >= above))
			print
	}'
