#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# page.sh [--fix]: what prettier and eslint find in the page of report.html, by the rules in builder/report/page/. With
# --fix it changes the files where these tools can. `tests/deps.sh check` gets the tools.
set -u
cd "$(dirname "$0")/../.." || exit 1
page=builder/report/page modules=$PWD/build/npm-lint/node_modules
fix=--fix check=--write
[ "${1-}" = --fix ] || fix='' check=--check

NODE_PATH=$modules "$modules/.bin/eslint" --config "$page/eslint.config.cjs" $fix "$page" || status=1
"$modules/.bin/prettier" --log-level warn $check "$page/**/*.{js,cjs,css}" || status=1
exit "${status-0}"
