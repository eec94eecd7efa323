#!/bin/bash
# Measures milliseconds per pattern on wiki-vote and email-enron, and checks the counts. It is intended for a GPU
# machine, but runs anywhere.
#
#     tests/bench/structural.sh [--ranks N] [--repeat N] [--limit SECONDS] [--only TEXT] [--save] [OPTION of match...]
#
#   GEMP_MPI       the program
#   GEMP_SHARED    folder with data/graphs and oracles/structural.tsv
#   GEMP_BASELINE  another build, which runs alternately with the program; the ratio is baseline / program
#   --save         keeps the raw reports as tests/bench/results/structural-DATE.jsonl
set -u -o pipefail
cd "$(dirname "$0")" || exit 1
exec "${GEMP_PYTHON:-/usr/bin/python3}" structural.py "$@"
