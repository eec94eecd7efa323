#!/usr/bin/env bash
# Repeats the published experiment on self-organising maps, on this machine: 12,000 vectors of 12 values on 200 x 200 units, 500
# epochs, with the errors of the map, the search for the best unit of one vector, and pictures. docs/lineage.md explains it.
#
#   jobs/reproduce-som.sh [OPTIONS]
#   jobs/reproduce-som.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce som "$@"
