#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bundle.sh MODULES INTO: puts the page together from this folder and the libraries in MODULES (node_modules of
# package.json): INTO/head.html is what comes before the data of a report, INTO/tail.html what comes after. The Makefile
# calls it.
set -eu
here=$(dirname "$0")
modules=$1 into=$2
mkdir -p "$into"
NODE_PATH=$modules "$modules/.bin/esbuild" "$here/main.js" --bundle --minify --format=iife --target=es2022 --legal-comments=inline \
	--charset=utf8 --log-level=warning --outfile="$into/script.js"
cat "$modules/uplot/dist/uPlot.min.css" "$here/style.css" >"$into/all.css"
"$modules/.bin/esbuild" "$into/all.css" --minify --log-level=warning --outfile="$into/style.css" --allow-overwrite

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
