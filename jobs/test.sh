#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
#
#   jobs/test.sh           all but the long ones
#   jobs/test.sh --full    all
#   jobs/test.sh ... -- CTEST OPTIONS, as -L unit or -R io_
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
select=(-LE '^long$')
if [ "${1:-}" = --full ]; then
	select=()
	shift
fi
[ "${1:-}" != -- ] || shift
# One seed for the tests of all numbers of ranks, which then ask the same and share kernels; each run has another.
export GEMP_TEST_SEED=${GEMP_TEST_SEED:-$((RANDOM << 15 | RANDOM))}
echo "GEMP_TEST_SEED=$GEMP_TEST_SEED"
"$top/jobs/setup.sh" --tests
build_gemp --preset ci
exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "${select[@]}" "$@"
