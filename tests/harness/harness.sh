# Shell tests source this file: . "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
#
# GEMP_MPI is the program, GEMP_MPIRUN the command that starts ranks, and $work an empty folder that is removed at exit.
set -u -o pipefail
: "${GEMP_MPI:?run this by ctest, or set it to the path of gemp-mpi}"
GEMP_SOURCE_DIR=${GEMP_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
GEMP_MPIRUN=${GEMP_MPIRUN:-mpirun -q --oversubscribe --bind-to none}
GEMP_PYTHON=${GEMP_PYTHON:-/usr/bin/python3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# These values equal those of cmake/GempTests.cmake. A script that is run by hand needs them.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_odls_base_sigkill_timeout=0 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
export OMPI_MCA_coll=basic,self,libnbc,tuned OMPI_MCA_osc=sm OMPI_MCA_io=ompio
export OMPI_MCA_ess_singleton_isolated=1 PMIX_MCA_gds=hash HWLOC_COMPONENTS=-opencl,-pci,-linuxio
shared=${GEMP_SHARED:-$GEMP_SOURCE_DIR/../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
finish() { [ "$failures" -eq 0 ] && echo "all passed" || { echo "$failures failed" >&2; exit 1; }; }

# need PATH: sets $found to a file or folder of the real graphs, or skips the test if it is not there.
need() { found=$shared/$1; [ -e "$found" ] || skip "$found is not there"; }

# gemp N ARGUMENTS...: runs the program on N ranks. Its output goes to $work/out and $work/err, and its exit code to
# $code. One rank starts without mpirun, because mpirun takes longer than most runs of the tests.
gemp() {
	local ranks=$1 launch=; shift
	[ "$ranks" -eq 1 ] || launch="$GEMP_MPIRUN -n $ranks"
	timeout -k 10 "${GEMP_TEST_LIMIT:-240}" $launch "$GEMP_MPI" "$@" >"$work/out" 2>"$work/err" </dev/null
	code=$?
}

# expect CODE N ARGUMENTS...: runs the program on N ranks and checks the exit code.
expect() {
	local wanted=$1; shift
	gemp "$@"
	[ "$code" -eq "$wanted" ] || { fail "code $code, not $wanted: gemp-mpi under $*"; sed 's/^/    /' "$work/err" >&2; }
}

# says TEXT: checks that the stderr of the last run contains this text; field NAME: prints a field of the JSON that the
# last run wrote to stdout.
says() { grep -qF -- "$1" "$work/err" || { fail "stderr has no '$1':"; sed 's/^/    /' "$work/err" >&2; }; }
field() { "$GEMP_PYTHON" -c 'import json, sys; v = json.load(open(sys.argv[1]))
for part in sys.argv[2].split("."): v = v[int(part) if isinstance(v, list) else part]
print(v)' "$work/out" "$1"; }
equal() { [ "$1" = "$2" ] || fail "${3:-value}: '$1', not '$2'"; }
