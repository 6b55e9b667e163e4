#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# circles.sh OBJECTS FOLDER: which files of FOLDER need each other in a circle, directly or through others? By the symbols of
# their objects in OBJECTS (a build/KEY), so the folder has to be built there. Prints each circle: its files, and what each
# takes from the next one. Where there is none, each file can be linked and tested with those below it alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
objects=$1 folder=$2

# The launcher is a program of its own, and the stand-in for libgomp a library. builder/run/paradigms.c is left out: through its table stages call the hooks of what is above them.
mapfile -t files < <(git ls-files "$folder/*.c" | grep -vE '^recorder/(launch|gomp)/|^builder/run/paradigms.c$')
mapfile -t objects < <(printf "$objects/%s\n" "${files[@]/%.c/.o}")

# "FILE OTHER SYMBOL": what FILE takes from another one.
needs=$(nm -A -P "${objects[@]}" 2>&1 | awk -v prefix="$1/" '
	!/: [^ ]+ [A-Za-z]( |$)/ { print "error", $0 }
	{ sub(/\.o:$/, ".c", $1); file = substr($1, length(prefix) + 1) }
	$3 == "U" { used[file, $2] = 1 }
	$3 ~ /^[A-TV-Z]$/ { home[$2] = file }
	END {
		for (use in used) {
			split(use, part, SUBSEP)
			if (part[2] in home && home[part[2]] != part[1])
				print part[1], home[part[2]], part[2]
		}
	}' | sort)
grep '^error' <<<"$needs" && exit 1
# tsort names the files of each circle that it meets, in order.
cut -d ' ' -f 1,2 <<<"$needs" | sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: input contains a loop:$/circle/' | awk '
	NR == FNR { takes[$1, $2] = takes[$1, $2] " " $3; next }
	function close_circle() {
		if (n > 0)
			print file[n] " takes from " file[1] ":" takes[file[n], file[1]]
		n = 0
	}
	$1 == "circle" { close_circle(); print "circle:"; next }
	{ if (n > 0) print file[n] " takes from " $1 ":" takes[file[n], $1]; file[++n] = $1 }
	END { close_circle() }' <(printf '%s\n' "$needs") -
