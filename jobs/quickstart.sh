#!/usr/bin/env bash
# Leads from a clean clone to the first matches: installs missing packages, builds, and runs gemp-mpi with 8 ranks. Arguments are
# for gemp-mpi; without arguments gemp-mpi runs its demo.
#
#   jobs/quickstart.sh [COMMAND ARGUMENTS ...]     for example: jobs/quickstart.sh match movies.h5 'MATCH (a)-->(b)'
if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
	sed -n '2,/^if/ { s/^# \{0,1\}//p }' "$0"
	exit
fi
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$top/jobs/setup.sh"
build_gemp -DBUILD_TESTING=OFF
echo "Running mpirun -q --oversubscribe --bind-to none -n 8 $build/gemp-mpi"
exec $MPIRUN -n 8 "$build/gemp-mpi" "$@"
