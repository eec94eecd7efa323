#!/usr/bin/env bash
# Repeats the published experiments on Euler circuits, on this machine: circuits of four kinds of graphs with the time of each step,
# the list of edges, primitives, PINs, DNA and pictures. docs/lineage.md explains the experiments.
#
#   jobs/reproduce-euler.sh [OPTIONS]
#   jobs/reproduce-euler.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce euler "$@"
