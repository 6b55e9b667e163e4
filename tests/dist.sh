#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests `make dist` and `make REPORT=no`: builds from the release as a machine does that has neither network nor npm, and
# installs it. The objects of this tree are taken over, so that little is compiled again: whatever the release lacks, the
# compiler (a header) or the linker (a source) misses.
set -u
cd "$(dirname "$0")/.." || exit 1
git ls-files --error-unmatch Makefile >/dev/null 2>&1 || {
	echo "skip dist: no clone of git's, of which a release could be made"
	exit 77
}
group=dist/
. tests/check_command.sh

# Another user's namespaces are not always to be had.
network=(unshare --net)
"${network[@]}" true 2>/dev/null || network=(unshare --user --map-root-user --net)
"${network[@]}" true 2>/dev/null || {
	echo "skip dist: no network namespace can be made (root, or kernel.unprivileged_userns_clone=1, lifts it)"
	exit 77
}
# All commands but those of node.
mkdir "$work/bin"
for folder in /bin /usr/bin; do
	for file in "$folder"/*; do
		case ${file##*/} in node | nodejs | npm | npx | corepack | esbuild) ;; *) ln -sf "$file" "$work/bin" ;; esac
	done
done
offline=("${network[@]}" env "PATH=$work/bin" "HOME=$work")

check "make dist" make dist
tarball=$(echo build/otter-*.tar.gz)
check "one tarball" test -f "$tarball"
tar -xzf "$tarball" -C "$work" && mv "$work"/otter-* "$work/release"
mkdir "$work/again" && tar -xzf "$tarball" -C "$work/again"
sum=$(cksum <"$tarball")
check "make dist, a second time" make dist
check "the same bytes again" test "$sum" = "$(cksum <"$tarball")"

git ls-files | sort >"$work/wanted"
printf 'builder/report/made/%s\n' LICENSES head.html tail.html | sort - "$work/wanted" -o "$work/wanted"
(cd "$work/release" && find . -type f | sed 's|^\./||' | sort) >"$work/there"
check "all files of the clone and the page" diff "$work/wanted" "$work/there"
# shellcheck disable=SC2317 # called by check
licences() {
	local library file=$work/release/builder/report/made/LICENSES
	for library in uplot d3-flame-graph d3-selection @dagrejs/dagre; do
		grep -qF "==== $library " "$file" || { echo "nothing of $library" && return 1; }
	done
	grep -q 'Apache License' "$file" && grep -q 'MIT License' "$file" && [ "$(grep -c '^====' "$file")" -gt 10 ] && ! grep -q esbuild "$file"
}
check "the licences of what is bundled" licences

# objects INTO: this tree's objects, in a tree of another name; archives and programs are made anew.
tree=$(dirname "$(realpath "${BUILD:-build}/bin")")
objects() {
	mkdir -p "$1" && (cd "$tree" && find builder recorder common -name '*.[od]' -print0 | tar -cf - --null -T -) | tar -xf - -C "$1"
	find "$1" -type f -exec touch {} + # newer than what a release or a clone has just written
	find "$1" -name '*.d' -exec sed -i "s|$(basename "$tree")|$(basename "$1")|g" {} +
}
objects "$work/release/build/taken"
rm "$work/release/build/taken/builder/report/report.o"
check "make, without network and npm" "${offline[@]}" make -C "$work/release" O=build/taken
check "make install, without network and npm" "${offline[@]}" make -C "$work/release" O=build/taken install DESTDIR="$work/stage" PREFIX=/opt
check "the page's licences are installed" grep -q 'Apache License' "$work/stage/opt/share/doc/otter/LICENSES-report"
python3 - "$work" <<'P'
import shutil, sys
shutil.unpack_archive("tests/golden/depend.tar.xz", sys.argv[1])
P
built=$work/stage/opt/bin/otter-build
check "it makes the page" "$built" -q --report -o "$work/with" "$work/depend.otter"
check "the page is this clone's" cmp "$work/release/builder/report/made/tail.html" "$tree/report/tail.html"
check "and is in the report" grep -qF 'otter-process' "$work/with/report.html"

# A clone, without the page: what depends on it is compiled anew.
mv "$work/again"/otter-* "$work/clone" && rm -r "$work/clone/builder/report/made"
objects "$work/clone/build/taken"
grep -lE 'outputs\.def|/page' -r "$work/clone/build/taken" --include='*.d' | sed 's/d$/o/' | xargs rm -f "$work/clone/build/taken/builder/report/report.o"
# shellcheck disable=SC2317 # called by check
says_why() {
	! "${offline[@]}" make -C "$work/clone" O=build/taken build/taken/builder/report/report.o >"$work/said" 2>&1 && grep -q "try 'make deps', or 'make REPORT=no'" "$work/said"
}
check "without npm the build says what to do" says_why
check "make REPORT=no" "${offline[@]}" make -C "$work/clone" O=build/taken REPORT=no
check "make REPORT=no install" "${offline[@]}" make -C "$work/clone" O=build/taken REPORT=no install DESTDIR="$work/without" PREFIX=/opt
built=$work/without/opt/bin/otter-build
check "it builds all else" "$built" -q -o "$work/out" "$work/depend.otter"
check "by default without a page" test -s "$work/out/nodes.csv" -a ! -e "$work/out/report.html"
# shellcheck disable=SC2317 # called by check
refuses() {
	"$built" --report -o "$work/none" "$@" "$work/depend.otter" 2>"$work/said"
	[ $? -eq 2 ] && grep -q 'built without the page (make REPORT=no)' "$work/said" && [ ! -e "$work/none" ]
}
check "--report says why there is none" refuses
check "--diff --report as well" refuses --diff
check "--help says so" bash -c "'$built' --help | tr -s ' \n' ' ' | grep -q 'report.html, which this otter-build was built without (make REPORT=no)'"
check "REPORT=maybe is refused" bash -c "! make REPORT=maybe -n >'$work/said' 2>&1 && grep -q 'REPORT is yes or no' '$work/said'"
exit $((n_failed > 0))
