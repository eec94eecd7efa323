#!/usr/bin/env bash
# Installs missing packages, builds, and runs the tests.
#
#   jobs/test.sh                        all tests except the long ones
#   jobs/test.sh --full                 all tests
#   jobs/test.sh ... -- CTEST OPTIONS   for example -L unit or -R io_
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
select=(-LE '^long$')
if [ "${1:-}" = --full ]; then
	select=()
	export GEMP_TEST_BAD_RANKS=${GEMP_TEST_BAD_RANKS:-1 3} GEMP_TEST_EVERY_REQUEST=1
	shift
fi
[ "${1:-}" != -- ] || shift
# All tests of a run have the same seed. A test with 1 rank and the same test with 3 ranks thus search the same patterns, and the
# second one loads the kernels that the first one has built. The seed is the beginning of the commit's hash, so that each commit
# tries another seed and a failure in CI can be repeated here. Without git the seed is random.
commit=$(git -C "$top" rev-parse --short=7 HEAD 2>/dev/null || printf '%x' $((RANDOM << 12)))
export GEMP_TEST_SEED=${GEMP_TEST_SEED:-$((16#${commit:0:7}))}
echo "GEMP_TEST_SEED=$GEMP_TEST_SEED"
"$top/jobs/setup.sh" --tests
build_gemp --preset ci
exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "${select[@]}" "$@"
