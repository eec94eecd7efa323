#!/usr/bin/env bash
# Leads from a clean clone to the first matches: installs missing packages, builds, and runs the demo with 8 ranks.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$top/jobs/setup.sh"
build_gemp -DBUILD_TESTING=OFF
echo "Running mpirun -q --oversubscribe --bind-to none -n 8 $build/gemp-mpi"
exec $MPIRUN -n 8 "$build/gemp-mpi" "$@"
