#!/usr/bin/env bash
# Repeats the published experiments on gather-apply-scatter with an on-the-fly shuffle, on this machine: PageRank, BFS, SSSP and SpMV
# by decode, polling, convergence and atomics on stand-ins of eight graphs, tuples of 4 to 64 bytes, and resources of kernels.
# docs/lineage.md explains the experiments.
#
#   jobs/reproduce-shuffle.sh [OPTIONS]
#   jobs/reproduce-shuffle.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce shuffle "$@"
