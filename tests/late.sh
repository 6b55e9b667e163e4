#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests that otter-record records OpenMP of gcc's that the first program does not have itself: extensions of Python and R,
# libraries with a libgomp under a name of their own, programs below env, a script, mpirun; and what it says of them.
cd "$(dirname "$0")/.." || exit 1
. tests/launch/setup.sh
python=/usr/bin/python3

# records WHAT N OUTPUT COMMAND...: N dumps, and this output
records() {
	local what=$1 n=$2 output=$3
	shift 3
	rm -rf dumps
	"$record" --dir dumps "$@" >out 2>err
	expect "$what: status" 0 $?
	expect "$what: output" "$output" "$(xargs <out)"
	expect "$what: dumps" "$n" "$(find dumps -name '*.otter' 2>/dev/null | wc -l)"
}
# is_said WHAT: once, at the end
is_said() {
	expect "$1: it is said that libomp took libgomp's place" 1 "$(grep -c "takes the place of gcc's libgomp.*times may change, and --no-libomp" err)"
}

compile "$gcc" -o fib "$sources/omp/fib.c"
compile "$gcc" -shared -fPIC -o plug.so "$sources/launch/plug.c"
compile "$gcc" -DPROGRAM -o opener "$sources/launch/plug.c" -ldl
libgomp=$(ldd ./fib | awk '$1 == "libgomp.so.1" { print $3 }')
# As wheels of Python have it: a copy of libgomp with another name, beside the library that needs it by that name.
mkdir wheel
own="libgomp-a34b3233.so.1.0.0"
cp "$libgomp" wheel/$own
cat >stub.c <<'end'
void GOMP_parallel(void) {}
void GOMP_single_start(void) {}
void GOMP_task(void) {}
void GOMP_barrier(void) {}
end
echo 'GOMP_1.0 { global: GOMP_single_start; GOMP_barrier; local: *; }; GOMP_2.0 { global: GOMP_task; }; GOMP_4.0 { global: GOMP_parallel; };' >stub.map
mkdir stub
"$gcc" -w -shared -fPIC -Wl,-soname,$own -Wl,--version-script=stub.map -o stub/$own stub.c &&
	"$gcc" -fopenmp -fPIC -O1 -g -c -o plug.o "$sources/launch/plug.c" &&
	"$gcc" -shared -o wheel/plug.so plug.o stub/$own -Wl,-rpath,"\$ORIGIN"
expect "the library needs libgomp under another name" 1 "$(readelf -d wheel/plug.so | grep -c "NEEDED.*$own")"

records "env" 1 "fib 10 = 55" env X=1 ./fib 10
is_said env
printf '#!/bin/sh\n./fib 10\n' >script && chmod +x script
records "a script" 1 "fib 10 = 55" ./script
is_said "a script"
printf '#!/usr/bin/env sh\nexec ./fib 10\n' >script && chmod +x script
records "a script of env" 1 "fib 10 = 55" ./script
records "a library that is opened" 1 "10" ./opener ./plug.so
is_said "a library that is opened"
expect "a library that is opened: no other runtime" 0 "$(grep -c 'was loaded as well' err)"
"$BUILD/bin/otter-build" -o out.none dumps/*.otter >screen 2>&1
expect "a library that is opened: otter-build names none" 0 "$(grep -c '^runtimes' screen)"
records "a library with a libgomp of its own" 1 "10" ./opener wheel/plug.so
is_said "a library with a libgomp of its own"
expect "a library with a libgomp of its own: it is named" 1 "$(grep -c "gcc's .*/wheel/$own was loaded as well; what calls it" err)"
DEEP=1 records "a library that prefers its own libgomp" 1 "10 20" ./opener wheel/plug.so ./plug.so
expect "a library that prefers its own libgomp: it is named" 1 "$(grep -c "gcc's .*/wheel/$own was loaded as well; what calls it" err)"
"$BUILD/bin/otter-build" -o out.build dumps/*.otter >screen 2>&1
expect "a library that prefers its own libgomp: otter-build names it" 1 "$(grep -c "^not seen    gcc's $own is in the process: what calls it is" screen)"
"$BUILD/bin/otter-build" --summary -o out.build --force dumps/*.otter >screen 2>&1
expect "a library that prefers its own libgomp: so does its summary" 1 "$(grep -c "^ *gcc's $own is in the process: what calls it is not recorded$" screen)"
# ---- --audit: what is found by no folder and no preloaded library ----
compile "$gcc" -fno-openmp -o by_path "$sources/launch/by_path.c" -ldl
system_libgomp=$(realpath "$libgomp")
records "a libgomp that is opened by its path" 0 10 ./by_path "$system_libgomp"
records "--audit: a libgomp that is opened by its path" 1 10 --audit ./by_path "$system_libgomp"
records "--audit: a vendored libgomp that is opened by its path" 1 10 --audit ./by_path "$PWD/wheel/$own"
DEEP=1 records "--audit: a library that prefers its own libgomp" 1 "10 20" --audit ./opener wheel/plug.so ./plug.so
expect "--audit: a library that prefers its own libgomp: no other runtime" 0 "$(grep -c 'was loaded as well' err)"
tasks=$("$BUILD/bin/otter-build" --summary -o out.audit dumps/*.otter 2>&1 | sed -n 's/^tasks *\([0-9]*\) explicit.*/\1/p')
expect "--audit: a library that prefers its own libgomp: all tasks are recorded" 30 "$tasks"
records "--audit: a script" 1 "fib 10 = 55" --audit sh -c './fib 10; exit 0'
records "--audit: a program of gcc's" 1 "fib 10 = 55" --audit ./fib 10
expect "--audit: a program of gcc's: nothing is refused" 0 "$(grep -c 'audit is not' err)"
if [ -x $python ]; then
	records "--audit: Python with a libgomp of its own" "[234]" "parent 10 workers ?20, 30, 40? parent again 50" --audit $python "$sources/launch/extension.py" wheel/plug.so
fi
"$record" --audit --no-libomp --dir none ./fib 10 >out 2>err
expect "--audit with --no-libomp: it says that libgomp is left alone" 1 "$(grep -c -- '--audit is not used: libgomp is left alone: --no-libomp' err)"

"$record" --no-libomp --dir none ./opener ./plug.so >out 2>err
expect "--no-libomp: nothing is recorded, and it says why" "otter-record: nothing was recorded*not gcc's libgomp: --no-libomp*" "$(cat err)"

if [ -x $python ]; then
	wanted="parent 10 workers ?20, 30, 40? parent again 50"
	for library in ./plug.so wheel/plug.so; do
		records "Python with $library" "[234]" "$wanted" $python "$sources/launch/extension.py" $library
		is_said "Python with $library"
	done
else
	echo "skip late/python: no $python"
fi
# has MODULE...: can Debian's Python import them?
has() {
	local module
	for module; do
		$python -c "import $module" 2>/dev/null || return 1
	done
}
blas=$(compgen -G "/usr/lib/*/openblas-openmp/libblas.so.3" | head -n 1)
if has numpy && [ -n "$blas" ]; then
	# Where another OpenBLAS is installed as well, Debian's alternatives prefer that.
	records "numpy with OpenBLAS" 1 "216000000.0" env LD_LIBRARY_PATH="${blas%/*}" $python -c 'import numpy as np; a = np.ones((600, 600)); print(np.dot(a, a).sum())'
else
	echo "skip late/numpy: no numpy with OpenBLAS on OpenMP (python3-numpy, libopenblas0-openmp)"
fi
if has numpy sklearn; then
	records "scikit-learn" 1 "2" $python -c '
from sklearn.cluster import KMeans
import numpy as np
print(len(set(KMeans(n_clusters=2, n_init=1, random_state=0).fit(np.arange(4000.0).reshape(1000, 4)).labels_)))'
else
	echo "skip late/sklearn: no scikit-learn (python3-sklearn)"
fi
if command -v Rscript >/dev/null && Rscript -e 'library(data.table)' >/dev/null 2>&1; then
	records "R with data.table" 1 "?1? 1000" Rscript -e 'library(data.table); setDTthreads(2); x <- data.table(a = rep(1:1000, 200), b = 200000:1); print(nrow(x[order(b)][, sum(b), by = a]))'
	is_said "R with data.table"
else
	echo "skip late/R: no R with data.table (r-cran-data.table)"
fi
if command -v mpirun >/dev/null; then
	records "mpirun" 2 "fib 10 = 55 fib 10 = 55" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 ./fib 10
	is_said mpirun
else
	echo "skip late/mpirun: no mpirun (openmpi-bin)"
fi
exit $((n_failed > 0))
