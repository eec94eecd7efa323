#!/usr/bin/env bash
# Repeats the search for cycles in a graph of translations, and writes a page with the published and the new figures.
# docs/lineage.md explains the experiment.
#
#   jobs/reproduce-wiktionary.sh [OPTIONS]                        a stand-in for the published list of 514,047 pairs
#   jobs/reproduce-wiktionary.sh --pairs list.txt                 or lists of pairs; --dump FILE: dumps of Wiktionaries
#   jobs/reproduce-wiktionary.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce wiktionary "$@"
