#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The demo: compiles demo.c, records it, builds all outputs from its dump, and draws its task graph. Works in the source tree (make demo: in
# build/demo) and installed (in ./otter-demo). Argument: another directory to work in.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
if [ -x "$top/build/bin/otter-record" ]; then
	PATH=$top/build/bin:$PATH
	work=${1:-$top/build/demo}
else
	# PREFIX/share/doc/otter/demo
	PATH=$(cd "$here/../../../.." && pwd)/bin:$PATH
	work=${1:-otter-demo}
fi
rm -rf "$work"
mkdir -p "$work"
cd "$work"

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

# With gcc the launcher replaces libgomp by LLVM's runtime.
if command -v clang-19 >/dev/null; then
	compiler=clang-19
else
	compiler=gcc
fi
show "$compiler" -O2 -g -fopenmp -o demo "$here/demo.c" -lm
show otter-record -- ./demo
dump=$(echo demo-*.otter)
show otter-build "$dump"
built=${dump%.otter}.build
if command -v dot >/dev/null; then
	show dot -Tsvg -o graph.svg "$built/graph.dot"
	dot -Tpng -Gdpi=70 -o graph.png "$built/graph.dot"
fi

printf '\nIn %s:\n' "$work"
printf '  %-44s %s\n' "$built/report.html" "the report: open it in a browser first" \
	"$dump" "the dump" \
	"$built/traces.otf2" "the archive, for Vampir, otf2-print, python3-otf2 and other readers of OTF2" \
	"$built/graph.dot" "the task graph: 35 block operations and the recursive sum"
[ -f graph.svg ] && printf '  %-44s %s\n' "graph.svg, graph.png" "the same, drawn"
printf '  %-44s %s\n' "$built/*.csv" "the same as tables" \
	"$built/summary.json" "the summary"
