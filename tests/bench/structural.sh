#!/bin/bash
# Milliseconds per pattern on wiki-vote and email-enron, with checked counts; intended for a GPU machine, but it runs
# anywhere.
#
#     tests/bench/structural.sh [--ranks N] [--repeat N] [--limit SECONDS] [--only TEXT] [--save] [OPTION of match...]
#
# GEMP_MPI       the program                            GEMP_SHARED  folder with data/graphs and oracles/structural.tsv
# GEMP_BASELINE  another build, which runs alternately with it; the ratio is baseline / program
# --save keeps the raw reports under tests/bench/results/DATE.jsonl.
set -u -o pipefail
cd "$(dirname "$0")" || exit 1
exec "${GEMP_PYTHON:-/usr/bin/python3}" structural.py "$@"
