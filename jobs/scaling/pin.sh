#!/usr/bin/env bash
# pin.sh K PROGRAM ARGUMENTS... runs the program on K cores that no other rank uses, if the system allows it.
local_rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-${SLURM_LOCALID:-0}}}
cores=$((local_rank * $1))-$((local_rank * $1 + $1 - 1))
shift
if taskset -c "$cores" true 2>/dev/null; then
	exec taskset -c "$cores" "$@"
fi
exec "$@"
