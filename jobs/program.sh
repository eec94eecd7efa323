# Other scripts of this folder source this file, which says which gemp-mpi they use. Its functions are for bash.

# own_gemp FOLDER prints the path of the program that was installed together with the scripts in FOLDER, which is
# PREFIX/share/gemp-mpi/jobs. It prints nothing and fails if FOLDER belongs to a source tree.
own_gemp() {
	local path=$1/../../../bin/gemp-mpi
	[ ! -f "$1/../CMakeLists.txt" ] && [ -x "$path" ] && (cd "$(dirname "$path")" && echo "$PWD/gemp-mpi")
}

# any_gemp FOLDER prints, without a build: GEMP_MPI, the program that was installed together with the scripts, the one in the build
# folder of the source tree, or the one of PATH. It fails if there is none.
any_gemp() {
	local build=${GEMP_BUILD:-$1/../build}
	if [ -n "${GEMP_MPI:-}" ]; then
		echo "$GEMP_MPI"
	else
		own_gemp "$1" || { [ -x "$build/gemp-mpi" ] && (cd "$build" && echo "$PWD/gemp-mpi"); } || command -v gemp-mpi
	fi
}
