#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bundle.sh MODULES INTO: puts the page together from this folder and the libraries in MODULES (node_modules of
# package.json): INTO/head.html is what comes before the data of a report, INTO/tail.html what comes after, and
# INTO/LICENSES has the licences of all libraries that are in them. The Makefile calls it.
set -eu
here=$(dirname "$0")
modules=$1 into=$2
mkdir -p "$into"
# bundle FILE INTO OPTION...: the file with all that it imports
bundle() {
	from=$1 to=$2
	shift 2
	NODE_PATH=$modules "$modules/.bin/esbuild" "$from" --bundle --minify --charset=utf8 --log-level=warning --outfile="$to" \
		--metafile="$to.json" "$@"
}
bundle "$here/main.js" "$into/script.js" --format=iife --target=es2022 --legal-comments=inline
bundle "$here/style.css" "$into/style.css"

# insert MARK FILE TEMPLATE: the file in place of the mark, whatever is in it.
insert() {
	sed -n "/@$1@/q;p" "$3"
	sed -n "s/@$1@.*//p" "$3" | tr -d '\n'
	# Nothing in a script may look like its end.
	sed 's|</script|<\\/script|g' "$2"
	sed -n "s/.*@$1@//p" "$3"
	sed "0,/@$1@/d" "$3"
}
insert STYLE "$into/style.css" "$here/head.html" >"$into/head.html"
insert SCRIPT "$into/script.js" "$here/tail.html" >"$into/tail.html"

# The folders of the libraries whose files esbuild took.
libraries() {
	grep -ohE '"[^"]*node_modules/[^"]+"' "$into/script.js.json" "$into/style.css.json" |
		sed -E 's|^"(.*node_modules/(@[^/]+/)?[^/"]+)/.*|\1|' | sort -u
}
echo 'The page of report.html has these libraries in it, under these licences.' >"$into/LICENSES"
for library in $(libraries); do
	version=$(sed -nE 's/^ *"version": "([^"]*)".*/\1/p' "$library/package.json" | head -n 1)
	found=
	printf '\n==== %s %s ====\n\n' "${library##*node_modules/}" "$version" >>"$into/LICENSES"
	for text in "$library"/LICEN[CS]E* "$library"/NOTICE*; do
		[ -f "$text" ] || continue
		cat "$text" >>"$into/LICENSES"
		found=yes
	done
	[ -n "$found" ] || {
		echo "$library has no file with its licence." >&2
		exit 1
	}
done
