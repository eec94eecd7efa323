# Sourced by device.sh, latency.sh and rows.sh, which set $here to their folder and may set $benches to targets such as
# bench_rows_open. Unless GEMP_MPI names the program, it builds the sources around the folder in GEMP_BUILD, without
# tests but with these targets, and sets GEMP_MPI; a failed build ends the script.
if [ -z "${GEMP_MPI:-}" ]; then
	build=${GEMP_BUILD:-/tmp/gemp-bench-build}
	if ! cmake -S "$here/../.." -B "$build" -DBUILD_TESTING="${benches:+ON}" >/tmp/gemp-bench-cmake.log 2>&1 ||
		! cmake --build "$build" -j"$(nproc)" --target gemp-mpi ${benches:-} >/tmp/gemp-bench-build.log 2>&1; then
		tail -20 /tmp/gemp-bench-cmake.log /tmp/gemp-bench-build.log >&2
		exit 1
	fi
	export GEMP_MPI=$build/gemp-mpi
fi
