#!/bin/bash
# Measures how the time of counting grows: on R-MAT graphs of scale 14 to 22 with triangle, cycle:4, clique:4 and house,
# and on one fixed graph with clique:3 to 8, cycle:4 to 8 and path:3 to 8. A series ends when a process takes more
# than --limit seconds (60). Writes FOLDER/growth-DATE.tsv. If gnuplot is installed (Debian: gnuplot-nox), draws
# FOLDER/growth-size-gpu.svg and growth-pattern-gpu.svg, or -cpu with processor time.
#
#     GEMP_MPI=PROGRAM tests/bench/growth.sh FOLDER [--limit S] [--scales A-B] [--budget S] [--graph G.h5] [--made DIR]
#                                            [OPTION of match...]
#     tests/bench/growth.sh --plot FILE.tsv FOLDER                          draws figures that were measured elsewhere
#
#   --graph   the fixed graph; wiki-vote of GEMP_SHARED by default
#   --made    folder of R-MAT graphs that exist already, as DIR/rmat-SCALE.h5
#   --budget  seconds after which no further process starts
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 LC_ALL=C
[ $# -ge 1 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2; }

draw() {
	command -v gnuplot >/dev/null || { echo "no gnuplot: not drawn" >&2; return; }
	gnuplot -e "data='$1'; folder='$2'" "$here/growth.gp"
}

if [ "$1" = --plot ]; then
	draw "$2" "${3:-.}"
	exit
fi
folder=$1
shift
mkdir -p "$folder" || exit 1
data=$folder/growth-$(date -u +%Y-%m-%d).tsv
"${GEMP_PYTHON:-python3}" "$here/growth.py" "$data" "$@" && draw "$data" "$folder"
