#!/usr/bin/env bash
# Measures on this machine when replicas of rows, pull of rows and push of partial matches send the fewest bytes and take the least
# time: over the density of the graph, the selectivity of the question, and 1 to 16 ranks. docs/ranks.md explains the three ways.
#
#   jobs/reproduce-exchange.sh [OPTIONS]
#   jobs/reproduce-exchange.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce exchange "$@"
