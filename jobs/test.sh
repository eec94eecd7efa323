#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
#
#   jobs/test.sh                        all tests but the long ones
#   jobs/test.sh --full                 all tests
#   jobs/test.sh ... -- CTEST OPTIONS   for example -L unit or -R io_
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
select=(-LE '^long$')
if [ "${1:-}" = --full ]; then
	select=()
	shift
fi
[ "${1:-}" != -- ] || shift
# All tests of a run have one seed: a test under 1 and 3 ranks then searches the same patterns and shares the built kernels. Each
# run has another seed.
export GEMP_TEST_SEED=${GEMP_TEST_SEED:-$((RANDOM << 15 | RANDOM))}
echo "GEMP_TEST_SEED=$GEMP_TEST_SEED"
"$top/jobs/setup.sh" --tests
build_gemp --preset ci
exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "${select[@]}" "$@"
