#!/bin/bash
# Builds, checks and measures the program on one device, in under 8 minutes on a GPU host. For each graph and pattern of
# cells.tsv it prints the count and whether it is right; milliseconds of the kernels and of the preparation; seconds of
# the whole process; and ratios to a plain kernel, to our prototypes and to published figures of other programs. The
# Markdown table goes to stdout.
#
#     tests/bench/device.sh [--cpu] [--only TEXT] [--repeat N] [--whole N] [--limit S] [--budget S] [--no-plain]
#                           [--no-experiments] [--no-profile] [--save FOLDER] [OPTION of match...]
#
#   GEMP_SHARED  folder with data, oracles, tools/rmat.c and experiments; without it the script exits with code 77
#   GEMP_MPI     the program; by default the sources around this script are built without tests in GEMP_BUILD
#                (a folder of /tmp by default)
#   --cpu        measures the cells that have figures for two cores and PoCL, on a CPU device
#   --limit      seconds after which a process with one pattern is ended (20); a process with several patterns or with
#                other programs has up to four times as long
#   --budget     seconds after which no further process starts (420). Kernels are measured first, then whole
#                processes and the kernels of other programs.
#   --whole      how often whole processes are measured; 0: never
#   --save       folder for the table and raw results; they are saved after each group, so an interrupted run keeps them
set -u -o pipefail
cd "$(dirname "$0")" || exit 1
here=$PWD
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 LC_ALL=C
: "${GEMP_SHARED:=$here/../../../shared}"
export GEMP_SHARED
[ -f "$GEMP_SHARED/oracles/structural.tsv" ] || { echo "no GEMP_SHARED with oracles/structural.tsv" >&2; exit 77; }
. "$here/build.bash"
exec "${GEMP_PYTHON:-python3}" device.py "$@"
