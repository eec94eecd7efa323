#!/bin/bash
# Measures the cost of a whole `match --count` beyond its kernel. The process runs alternately with an empty program,
# which only calls MPI_Init and makes an OpenCL context; both have a warm cache. Prints medians of wall and processor
# time, their differences, and the phases of the last run of match. HWLOC_COMPONENTS keeps hwloc from loading OpenCL in
# both programs, as src/api/context.c does in ours.
#
#     tests/bench/overhead.sh BUILD GRAPH.h5 [REPEAT [MATCH OPTION...]]
#
# BUILD is a configured build folder, in which both programs are built. REPEAT is 21 by default; the options of match
# are --pattern cycle:4 --count by default. The exit code is 1 if the difference is over 0.1 s.
set -u -o pipefail
export LC_ALL=C # the shell's times need a decimal point
[ $# -ge 2 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
build=$1 graph=$2 repeat=${3:-21}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- --pattern cycle:4 --count
cmake --build "$build" --target gemp-mpi bench_empty >/dev/null || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HWLOC_COMPONENTS=-opencl
TIMEFORMAT='%R %U %S'
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
empty=("$build/tests/bench_empty")
match=("$build/gemp-mpi" match "$graph" "$@")

# seconds NAME COMMAND...: appends the wall and processor time of the command to the file NAME
seconds() {
	local name=$1
	shift
	{ time "$@" >"$scratch/output" 2>&1 || touch "$scratch/failed"; } 2>"$scratch/time"
	[ ! -e "$scratch/failed" ] || { cat "$scratch/output" >&2; exit 1; }
	awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }' "$scratch/time" >>"$scratch/$name"
}

# quartile NAME COLUMN N: prints the N-th quartile of a column of the file NAME
quartile() {
	sort -n -k "$2" "$scratch/$1" | awk -v c="$2" -v q="$3" '{ s[NR] = $c } END { print s[1 + int((NR - 1) * q / 4 + 0.5)] }'
}

seconds warm "${empty[@]}"
seconds warm "${match[@]}" # this run fills the cache
for _ in $(seq "$repeat"); do
	seconds empty "${empty[@]}"
	seconds match "${match[@]}"
done
tail -n +2 "$scratch/output"
printf '\n%-8s %10s %10s %10s %10s   (seconds, %d runs each)\n' process quartile median quartile processor "$repeat"
for name in empty match; do
	printf '%-8s %10.3f %10.3f %10.3f %10.3f\n' "$name" "$(quartile $name 1 1)" "$(quartile $name 1 2)" \
		"$(quartile $name 1 3)" "$(quartile $name 2 2)"
done
awk -v a="$(quartile empty 1 2)" -v b="$(quartile match 1 2)" -v c="$(quartile empty 2 2)" -v d="$(quartile match 2 2)" \
	'BEGIN { printf "%-8s %21.3f %21.3f\n", "more", b - a, d - c; exit !(b - a <= 0.1) }'
