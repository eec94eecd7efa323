# The scripts in jobs/ source this file. It finds the project, builds it, and defines how ranks are started.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GEMP_BUILD:-$top/build}

# Containers run as root. Without both of these variables Open MPI refuses to run as root.
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# If there are more ranks than cores, a waiting rank yields its core.
export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
MPIRUN=${GEMP_MPIRUN:-mpirun -q --oversubscribe --bind-to none}

# build_gemp [CMAKE OPTIONS] builds in $build. It prints the messages of the build only if the build fails.
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
