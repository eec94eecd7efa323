#!/usr/bin/env bash
# The program recognises how it was started: as one world of ranks, or as several worlds of one rank.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"

warning="processes were started"
alone() { env "$@" "$GEMP_MPI" --version >"$work/out" 2>"$work/err" || fail "code $? with $*"; }
silent() { if grep -qF "$warning" "$work/err"; then fail "a warning $1"; cat "$work/err" >&2; fi; }

alone PMI_SIZE=3 PMI_RANK=0
says "3 processes were started (PMI_SIZE), but MPI knows of one"
alone PMI_SIZE=3 PMI_RANK=2
silent "by another than the first"
alone SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0
says "4 processes were started (SLURM_STEP_NUM_TASKS)"
alone SLURM_NTASKS=4 SLURM_PROCID=0
silent "in a batch script, which is one process of a job of four"
alone SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 PMI_SIZE=1 PMI_RANK=0
silent "where the nearest launcher started one"
alone PMI_SIZE=many
silent "without a number"
expect 0 2 --version
silent "by mpirun"
SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 $GEMP_MPIRUN -n 1 "$GEMP_MPI" --version >"$work/out" 2>"$work/err" || fail "code $?"
silent "by mpirun with one rank"

expect 69 2 devices --devices ff:1f.7
says "no OpenCL device fits 'ff:1f.7' of devices"
expect 0 2 devices --devices cpu --json -
equal "$(field assignment.1.shared_by)" 2 shared_by
equal "$(field devices.0.pci)" None "PCI place of a CPU"

finish
