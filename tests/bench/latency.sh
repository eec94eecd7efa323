#!/bin/bash
# Measures the time to the answer: whole processes, with empty and with filled folders of kernels, and where their seconds
# went. Each time is compared with the time to reach (latency.tsv) and with a limit from rates that are measured in the
# same call (limits.c, empty.c). The Markdown table goes to stdout. The default cells take less than 7 minutes on a host
# with 16 cores and a GPU. The exit code is 1 if an answer is wrong.
#
#     tests/bench/latency.sh [--cpu] [--large] [--only TEXT] [--scale S] [--edges N] [--repeat N] [--seconds S] [--limit S]
#                            [--budget S] [--folder DIR] [--save FOLDER] [OPTION of match, bfs and pagerank...]
#
#   GEMP_SHARED  folder with data and oracles; without it wiki-vote is left out, and movies and railway are generated
#   GEMP_MPI     the program; by default the sources around this script are built without tests in GEMP_BUILD
#                (a folder of /tmp by default)
#   --cpu        uses a CPU device
#   --large      measures R-MAT 27, too, which needs 45 GiB of disk and 80 GiB of memory; --only 'R-MAT 27' leaves the
#                other cells out
#   --only       measures the cells with this part of a name; | separates several parts
#   --scale      scale of the R-MAT graph (24; 21 or 18 on few cores)
#   --edges      edges of the table that is imported (100,000,000; 20,000,000 or 4,000,000 on few cores)
#   --repeat     number of warm runs (3), of which the least counts; after --seconds (6) no further run of a cell starts
#   --megabytes  size of the file with which rates are measured (1024; 256 on few cores)
#   --limit      seconds after which a process is ended (300)
#   --budget     seconds after which no further process starts (380)
#   --folder     folder for graphs, which is kept; only the cells that generate write a graph again that it has
#   --save       folder for the table and raw results; they are saved after each cell, so an interrupted run keeps them
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd) || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LC_ALL=C.UTF-8
: "${GEMP_SHARED:=$here/../../../shared}"
export GEMP_SHARED
. "$here/build.bash"
exec "${GEMP_PYTHON:-python3}" "$here/latency.py" "$@"
