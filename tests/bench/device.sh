#!/bin/bash
# Builds, checks and measures on one device, in under 8 minutes on a GPU host: for each graph and pattern of cells.tsv
# the count, and whether it is right; milliseconds of kernels and of preparation; seconds of the whole process; the
# ratio to a plain kernel, to the experiments and to other programs' figures. A table in markdown on stdout, raw results
# under tests/bench/results.
#
#     tests/bench/device.sh [--cpu] [--only TEXT] [--repeat N] [--whole N] [--limit S] [--budget S] [--no-plain]
#                           [--no-experiments] [--no-profile] [--save FOLDER] [OPTION of match...]
#
# GEMP_SHARED  folder with data, oracles, tools/rmat.c and experiments; without it the script ends with code 77
# GEMP_MPI     the program; without it the sources around this script are built first, without tests, in GEMP_BUILD (a folder
#              of /tmp by default)
# --cpu        the cells with figures for two cores and PoCL, on a CPU device
# --limit      seconds a process may take (20); --budget: nothing further begins after so many (420). Kernels come
# first; whole
#              processes (--whole 0: none) and the other programs' kernels while there is time
# --save       each result is saved at once, so an interrupted run keeps its results
set -u -o pipefail
cd "$(dirname "$0")" || exit 1
here=$PWD
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 LC_ALL=C
: "${GEMP_SHARED:=$here/../../../shared}"
export GEMP_SHARED
[ -f "$GEMP_SHARED/oracles/structural.tsv" ] || { echo "no GEMP_SHARED with oracles/structural.tsv" >&2; exit 77; }
if [ -z "${GEMP_MPI:-}" ]; then
	build=${GEMP_BUILD:-/tmp/gemp-bench-build}
	cmake -S "$here/../.." -B "$build" -DBUILD_TESTING=OFF >"/tmp/gemp-bench-cmake.log" 2>&1 &&
		cmake --build "$build" -j"$(nproc)" --target gemp-mpi >"/tmp/gemp-bench-build.log" 2>&1 ||
		{ tail -20 /tmp/gemp-bench-cmake.log /tmp/gemp-bench-build.log >&2; exit 1; }
	export GEMP_MPI=$build/gemp-mpi
fi
exec "${GEMP_PYTHON:-python3}" device.py "$@"
