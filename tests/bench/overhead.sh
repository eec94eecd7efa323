#!/bin/bash
# What a whole `match --count` costs beyond its kernel: the process beside an empty program that does MPI_Init and makes an
# OpenCL context, in turns, with a warm cache. Prints medians, their difference, and the phases of the last run.
#
#     tests/bench/overhead.sh BUILD GRAPH.h5 [REPEAT [MATCH OPTION...]]
#
# BUILD is a configured build folder; both programs are built there. REPEAT is 21 unless given; the options of match are
# --pattern cycle:4 --count unless given. Exit code 1: the difference is over 0.1 s.
set -u -o pipefail
export LC_ALL=C # numbers with a point
[ $# -ge 2 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
build=$1 graph=$2 repeat=${3:-21}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- --pattern cycle:4 --count
cmake --build "$build" --target gemp-mpi bench_empty >/dev/null || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
empty=("$build/tests/bench_empty")
match=("$build/gemp-mpi" match "$graph" "$@")

# seconds NAME COMMAND...: appends the wall time of the command to NAME
seconds() {
	local name=$1 began=$EPOCHREALTIME
	shift
	"$@" >"$scratch/output" 2>&1 || { cat "$scratch/output" >&2; exit 1; }
	awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", b - a }' >>"$scratch/$name"
}

# quartile NAME N: its N-th quartile
quartile() {
	sort -n "$scratch/$1" | awk -v q="$2" '{ s[NR] = $1 } END { print s[1 + int((NR - 1) * q / 4 + 0.5)] }'
}

seconds warm "${empty[@]}"
seconds warm "${match[@]}" # fills the cache
for _ in $(seq "$repeat"); do
	seconds empty "${empty[@]}"
	seconds match "${match[@]}"
done
tail -n +2 "$scratch/output"
printf '\n%-8s %10s %10s %10s   (seconds, %d runs each)\n' process quartile median quartile "$repeat"
for name in empty match; do
	printf '%-8s %10.4f %10.4f %10.4f\n' "$name" "$(quartile $name 1)" "$(quartile $name 2)" "$(quartile $name 3)"
done
awk -v a="$(quartile empty 2)" -v b="$(quartile match 2)" \
	'BEGIN { printf "%-8s %21.4f\n", "more", b - a; exit !(b - a <= 0.1) }'
