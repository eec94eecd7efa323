#!/usr/bin/env bash
# Repeats the experiments of GEMP, a pattern matcher for models on GPUs: four people in one film, one of them named Jack. Writes a page
# with the published and the measured figures. docs/lineage.md says what all scripts do.
#
#   jobs/reproduce-gemp.sh                     on the GPUs if there are any, else on the cores; writes reproduced/gemp.md
#   jobs/reproduce-gemp.sh --imdb FOLDER       with IMDb's dumps in place of a generated graph
#   jobs/reproduce-gemp.sh --small             tiny inputs, to see in seconds what the script does
#   jobs/reproduce-gemp.sh --help
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
reproduce gemp "$@"
