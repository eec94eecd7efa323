#!/usr/bin/env bash
# Tests that threads of the host search while a kernel is compiled for the first time, and only then.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
cd "$work" || exit 1

expect 0 1 generate rmat --scale 10 --edge-factor 8 --seed 5 -o g.h5 -q
# a size of the result buffer keeps the interpreter from answering
search() { echo match g.h5 --pattern "$1" --count-by enumerate --result-buffer 100000 "${@:2}"; }
has_early_search() { "$GEMP_PYTHON" -c 'import json, sys; sys.exit("early_search" not in json.load(open(sys.argv[1])))' out; }

for shape in triangle path:4; do
	expect 0 1 $(search $shape --on host --count --json -)
	right=$(field matches)
	for ranks in 1 2 3; do
		export GEMP_CACHE_DIR=$work/cache-$shape-$ranks # an empty cache
		expect 0 $ranks $(search $shape --count --json - --trace trace.json)
		equal "$(field matches)" "$right" "matches of $shape on $ranks ranks"
		[ "$(field early_search.pivots)" -gt 0 ] || fail "$ranks ranks do not search while they compile"
		grep -q '"early search"' trace.json || fail "the trace has no early search"
		expect 0 $ranks $(search $shape --count --json -)
		equal "$(field matches)" "$right" "matches of $shape on $ranks ranks, compiled"
		has_early_search && fail "$ranks ranks search early, although the kernel is compiled"
		equal "$(field searched_on)" device "place of the second search"
	done
done

# The rows are the same, and --on device leaves all pivots to the device.
sorted_rows() { expect 0 2 $(search triangle -o rows.tsv -q "$@") && sort rows.tsv; }
GEMP_CACHE_DIR=$work/cache4 sorted_rows --on auto >early
GEMP_CACHE_DIR=$work/cache-triangle-2 sorted_rows --on device >late
cmp -s early late || fail "the rows of an early search differ"
[ "$(wc -l <early)" -gt 100 ] || fail "there are no rows"
GEMP_CACHE_DIR=$work/cache5 expect 0 1 $(search triangle --on device --count --json -)
has_early_search && fail "--on device searches on the host"

# Where some rank cannot compile, all ranks end with its message. Nobody needs a kernel if no pivot is left.
cp -r "$GEMP_SOURCE_DIR/kernels" wrong
echo '#error "a wrong kernel"' >>wrong/match/match.clh
printf '#!/bin/sh\n[ "${OMPI_COMM_WORLD_RANK:-0}" != "$WRONG_RANK" ] || export GEMP_KERNEL_DIR=%s/wrong\nexec %s "$@"\n' \
	"$work" "$GEMP_MPI" >wrong.sh && chmod +x wrong.sh
expect 0 1 generate rmat --scale 15 --edge-factor 16 --seed 5 -o large.h5 -q
for ranks in 1 2 3; do
	export GEMP_CACHE_DIR=$work/cache-wrong-$ranks WRONG_RANK=$((ranks - 1))
	GEMP_MPI=$work/wrong.sh GEMP_TEST_LIMIT=60 expect 70 $ranks $(search clique:4 --count | sed s/g.h5/large.h5/)
	says "a wrong kernel"
	equal "$(grep -c 'gemp-mpi: error' err)" 1 "messages of $ranks ranks"
done
finish
