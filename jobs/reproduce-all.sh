#!/usr/bin/env bash
# Repeats the published experiments of the works that GEMP-MPI descends from, on this machine: runs every jobs/reproduce-NAME.sh and
# writes one table of all comparisons. docs/lineage.md explains the experiments.
#
#   jobs/reproduce-all.sh [OPTIONS]      the options that all scripts have: -o FOLDER, --folder FOLDER, -d DEVICES, --small
#   jobs/reproduce-all.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce all "$@"
