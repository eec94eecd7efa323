# The jobs source this file: it knows where the project is, how it is built, and how ranks are started.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GEMP_BUILD:-$top/build}

# Containers run as root, which Open MPI refuses without both of these variables.
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# Where there are more ranks than cores, waiting ranks yield their core.
export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
MPIRUN=${GEMP_MPIRUN:-mpirun -q --oversubscribe --bind-to none}

# build_gemp [CMAKE OPTIONS] builds in $build and prints messages only if that fails.
build_gemp() {
	local log
	mkdir -p "$build"
	log=$build/build.log
	echo "Building in $build"
	if ! { cmake -S "$top" -B "$build" -G Ninja "$@" && cmake --build "$build"; } >"$log" 2>&1; then
		tail -n 40 "$log" >&2
		echo "$0: the build failed; all of its messages are in $log" >&2
		exit 1
	fi
}
