#!/bin/bash
# Measures whole questions, from a graph in a file to rows in a file, beside SQLite and, where their packages of npm are
# installed, DuckDB and Kuzu: over generated films, the nine queries of LSQB over a generated social network, and the
# Train Benchmark. The answers are compared, and the Markdown table goes to stdout. The exit code is 1 if an answer is
# wrong.
#
#     tests/bench/rows.sh [--size tiny|small|medium|large] [--only TEXT] [--peers sqlite,duckdb,kuzu] [--repeat N] [--limit S]
#                         [--folder DIR] [--save FOLDER] [OPTION of match...]
#
#   GEMP_MPI         the program, in a folder with tests/bench_rows_open unless open processes are left out; by default
#                    the sources around this script are built in GEMP_BUILD (a folder of /tmp by default)
#   GEMP_BENCH_NODE  folder in which `npm install @duckdb/node-api kuzu` was run; without it these two are left out
#   --size           60,000 films and 1,500 people who know one another (small, the default: 5 minutes on two
#                    cores), 300,000 and 4,000 (medium), 5,000,000 and 20,000 (large), or 400 and 60 (tiny)
#   --peers          systems to compare with; '': none, and no Python with sqlite3 is needed
#   --only           asks the questions with this part of a name; | separates several parts
#   --repeat         number of runs of each system in turns (2) after a run that fills caches; the least time counts
#   --limit          seconds after which a question is ended (30)
#   --folder         folder for graphs and databases, which is kept
#   --save           folder for the table and raw results
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd) || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LC_ALL=C.UTF-8
benches=bench_rows_open
. "$here/build.bash"
exec "${GEMP_PYTHON:-python3}" "$here/rows.py" "$@"
