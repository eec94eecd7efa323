# The scripts in jobs/ source this file. It sets $top, the root of the tree, $build, the folder of the build, and $MPIRUN, the
# command that starts ranks, and it defines build_gemp, use_gemp and reproduce. If the scripts are installed, $top is
# PREFIX/share/gemp-mpi, and there is nothing to build.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GEMP_BUILD:-$top/build}
source "$top/jobs/program.sh"

# Containers often run as root, and Open MPI refuses to run as root without these two variables.
if [ "$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
# A waiting rank yields its core, since there may be more ranks than cores.
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

# use_gemp [OPTIONS OF setup.sh] sets GEMP_MPI to the path of the program, if it is not set: to the program that was installed
# together with these scripts, or else to that of the build folder. It installs missing packages and builds before.
use_gemp() {
	if [ -z "${GEMP_MPI:-}" ]; then
		if [ -f "$top/CMakeLists.txt" ]; then
			"$top/jobs/setup.sh" "$@"
			build_gemp -DBUILD_TESTING=OFF
			GEMP_MPI=$build/gemp-mpi
		elif ! GEMP_MPI=$(any_gemp "$top/jobs"); then
			echo "$0: there is no gemp-mpi in $top/../../bin or on the PATH; set GEMP_MPI to its path" >&2
			exit 69
		fi
	fi
	export GEMP_MPI
}

# reproduce NAME [ARGUMENTS] runs an experiment of jobs/reproduce. If GEMP_MPI does not name the program, it is built before.
reproduce() {
	local name=$1
	shift
	case " $* " in
	*' --help '* | *' -h '*) ;;
	*) use_gemp --reproduce ;;
	esac
	export GEMP_MPIRUN=$MPIRUN
	"${GEMP_PYTHON:-python3}" "$top/jobs/reproduce/$name.py" "$@"
}
