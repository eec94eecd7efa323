#!/bin/bash
# Measures Euler circuits of 1 to 40 million edges in each shape. Writes FOLDER/euler-sweep.tsv (shape, vertices, edges,
# engine, splitters, milliseconds of all stages, of the upload, of the download, of the whole run). If gnuplot is
# installed, draws FOLDER/euler-sweep.svg.
#
#     tests/bench/euler_sweep.sh BENCH_EULER FOLDER [device|ranks [MILLIONS...]]      BENCH_EULER: made by ninja bench_euler
#     tests/bench/euler_sweep.sh --plot FILE.tsv FILE.svg [device|ranks [WHERE]]      draws figures that were measured elsewhere
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LC_ALL=C
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }

draw() {
	command -v gnuplot >/dev/null || { echo "no gnuplot: not drawn" >&2; return; }
	gnuplot -e "data='$1'; out='$2'; engine='${3:-device}'; where='${4:-${3:-device}}'" "$here/euler_sweep.gp"
}

if [ "$1" = --plot ]; then
	draw "${@:2}"
	exit
fi
program=$1 folder=$2 engine=${3:-device}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- 1 2 5 10 20 30 40
mkdir -p "$folder" || exit 1
data=$folder/euler-sweep.tsv
: >"$data"
for millions; do
	edges=$((millions * 1000000))
	for shape in deep shallow random; do
		vertices=$((edges / (4 - ${#shape} / 7)))
		"$program" $shape $vertices $edges 4 "$engine" | "${GEMP_PYTHON:-python3}" -c '
import json, sys
row = json.load(sys.stdin)
ms = row["ms"]
print(row["shape"], row["vertices"], row["edges"], row["engine"], row["splitters"],
      ms["sum"], ms["upload"], ms["download"], ms["total"], sep="\t")' >>"$data" || exit 1
	done
done
draw "$data" "$folder/euler-sweep.svg" "$engine"
