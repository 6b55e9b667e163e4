#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# stages_svg.sh STAGES_DOT: is docs/stages.svg the picture of what tests/tools/stages_dot.c prints? Where Graphviz puts
# things depends on its version: nodes, edges and labels are compared.
set -u
cd "$(dirname "$0")/.." || exit 1
drawn() {
	grep -oE '<(title|text)[^>]*>[^<]*' docs/stages.svg | sed 's/.*>//; s/&#45;/-/g; s/&gt;/>/g' | sort
}
stated() {
	{
		sed -nE 's/^\t(\w+) -> (\w+)$/\1->\2/p; s/^\t((stage|output)[0-9]+) \[.*/\1/p; s/^digraph (\w+).*/\1/p' <<<"$dot"
		sed -nE 's/.*label="([^"]*)".*/\1/p' <<<"$dot" | sed 's/\\l/\n/g' | grep .
	} | sort
}
dot=$("$1") && [[ $dot == *'->'* ]] || exit 1
if diff <(drawn) <(stated); then
	echo "ok docs/stages.svg is what the registry of stages says"
else
	echo "not ok docs/stages.svg is not what the registry says: make docs/stages.svg"
	exit 1
fi
