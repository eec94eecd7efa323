#!/usr/bin/env bash
# Leads from a clean clone to the first matches: installs missing packages, builds, and runs gemp-mpi with 8 ranks. Arguments are
# for gemp-mpi; without arguments gemp-mpi runs its demo. If GEMP_MPI is the path of a program, or this script was installed
# together with one, that program runs and nothing is built.
#
#   jobs/quickstart.sh [COMMAND ARGUMENTS ...]     for example: jobs/quickstart.sh match movies.h5 'MATCH (a)-->(b)'
if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
	sed -n '2,/^if/ { s/^# \{0,1\}//p }' "$0"
	exit
fi
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
use_gemp
echo "Running mpirun -q --oversubscribe --bind-to none -n 8 $GEMP_MPI"
exec $MPIRUN -n 8 "$GEMP_MPI" "$@"
