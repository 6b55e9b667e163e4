#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# circles.sh OBJECTS FOLDER: which files of FOLDER need each other in a circle, directly or through others? By the symbols of their objects in
# OBJECTS (a build/KEY). A circle is one line, its files in order. Prints (with <) each circle that the section "Circles that are left" of
# docs/design.md does not name, and (with >) each one that it names and that is not there. Nothing: all is well.
set -u
cd "$(dirname "$0")/../.." || exit 1
objects=$1 folder=$2

# The files of each circle, on one line.
circles() {
	local file
	for file in $(git ls-files "$folder/*.c" | grep -v '^recorder/launch/'); do
		nm -P "$objects/${file%.c}.o" | awk -v file="$file" '{ print file, $1, $2 }'
	done | awk '
		{ files[$1] = 1 }
		$3 == "U" { used[$1, $2] = 1 }
		$3 ~ /^[A-TV-Z]$/ { home[$2] = $1 }
		END {
			for (pair in used) {
				split(pair, p, SUBSEP)
				if (p[2] in home)
					reaches[p[1], home[p[2]]] = 1
			}
			for (through in files)
				for (from in files)
					if ((from, through) in reaches)
						for (to in files)
							if ((through, to) in reaches)
								reaches[from, to] = 1
			for (a in files)
				for (b in files)
					if ((a, b) in reaches && (b, a) in reaches)
						print a, b
		}' | sort | awk '
		$1 != file { if (file) print line; file = $1; line = $2; next }
		{ line = line " " $2 }
		END { if (file) print line }' | sort -u
}

# The same as docs/design.md has it: "- `a.c`, `b.c`: why".
named() {
	sed -n '/^### Circles that are left/,/^##* [^C]/s/^- \([^:]*\.c.\): .*/\1/p' docs/design.md | tr -d '\140,' | grep "^$folder/" | sort -u
}

diff <(circles) <(named) | grep '^[<>]'
exit 0
