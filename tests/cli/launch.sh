#!/usr/bin/env bash
# The program recognises how it was started: as one world of ranks, or as several worlds of one rank.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"

warning="processes were started"
expect 0 1 generate movies --films 5 -o g.h5
alone() { env "$@" "$GEMP_MPI" info g.h5 >"$work/out" 2>"$work/err" || fail "code $? with $*"; }
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
expect 0 2 info g.h5
silent "by mpirun"
SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 $GEMP_MPIRUN -n 1 "$GEMP_MPI" info g.h5 >"$work/out" 2>"$work/err" || fail "code $?"
silent "by mpirun with one rank"

# Help needs no ranks: each process ends without MPI, and the first one prints.
expect 0 3 --version
equal "$(grep -c gemp-mpi "$work/out")" 1 "lines of --version"
expect 0 3 --version --config none.conf # the configuration cannot change the output, so it is not read
equal "$(grep -c gemp-mpi "$work/out")" 1 "lines of --version with a configuration"
expect 66 3 info g.h5 --config none.conf
expect 2 3 help nonsense
equal "$(grep -c "there is no command 'nonsense'" "$work/err")" 1 "messages of help for an unknown command"
PMI_SIZE=3 PMI_RANK=0 timeout 20 "$GEMP_MPI" --version >/dev/full 2>"$work/err"
equal $? 74 "code of help that cannot be printed"
expect 2 3 nonsense
equal "$(grep -c "there is no command 'nonsense'" "$work/err")" 1 "messages of a usage error"
PMI_SIZE=3 PMI_RANK=1 "$GEMP_MPI" help >"$work/out" 2>"$work/err" || fail "code $?"
equal "$(stat -c %s "$work/out")" 0 "bytes of help by the second process"
# The dynamic loader lists the modules of MPI and the drivers of OpenCL that a process opens.
modules() { LD_DEBUG=files "$GEMP_MPI" "$@" 2>&1 >/dev/null | grep -cE "calling init: .*(mca_|pocl|nvidia)"; }
for words in --version "help match" "completion bash" "match --nope"; do
	equal "$(modules $words)" 0 "modules opened by '$words'"
done
[ "$(modules info g.h5)" -gt 0 ] || fail "info opens no module of MPI, so the check above proves nothing"

expect 69 2 devices --devices ff:1f.7
says "no OpenCL device fits 'ff:1f.7' of devices"
expect 0 2 devices --devices cpu --json -
equal "$(field assignment.1.shared_by)" 2 shared_by
equal "$(field devices.0.pci)" None "PCI place of a CPU"

finish
