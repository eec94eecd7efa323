#!/usr/bin/env bash
# pin.sh K PROGRAM ARGUMENTS...: the program on K cores of this rank's own, where the system allows that.
local_rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:-0}}}
cores=$((local_rank * $1))-$((local_rank * $1 + $1 - 1))
shift
if taskset -c "$cores" true 2>/dev/null; then
	exec taskset -c "$cores" "$@"
fi
exec "$@"
