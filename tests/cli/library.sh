#!/usr/bin/env bash
# Tests libgemp from an installed prefix: the programs of examples/ build with pkg-config and with CMake against the
# shared library and give right answers; one of them runs inside an MPI program. The library exports only the functions
# that the headers mark.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"

build=$(dirname "$GEMP_MPI")
prefix=$work/prefix
if nm -D "$build/libgemp.so" | grep -Eq '__(asan|tsan)_init'; then
	echo "skipped: programs without sanitizers cannot load a library with them"
	exit 77
fi
cmake --install "$build" --prefix "$prefix" >"$work/install.log" 2>&1 || fail "cmake --install: $(tail -1 "$work/install.log")"

# The library exports every function of the headers, and nothing else.
grep -rhoE '^GEMP_API [^;(]*\b(gemp_\w+)\(' "$prefix/include/gemp" | sed -E 's/.*\b(gemp_\w+)\($/\1/' | sort -u >"$work/declared"
nm -D --defined-only "$prefix"/lib*/libgemp.so | awk '$2 == "T" { sub("@.*", "", $3); print $3 }' | sort -u >"$work/exported"
[ -s "$work/declared" ] || fail "no function is declared"
diff "$work/declared" "$work/exported" >&2 || fail "declared (<) and exported (>) functions differ"

# An empty entry of a run path stands for the current folder, from which no library may be loaded.
for file in "$GEMP_MPI" "$build/libgemp.so" "$prefix/bin/gemp-mpi" "$prefix"/lib*/libgemp.so; do
	readelf -d "$file" | grep -qE 'R(UN)?PATH.*(\[:|::|:\])' && fail "the run path of $file has an empty entry"
done

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/lib/$(cc -dumpmachine)/pkgconfig LD_LIBRARY_PATH=$prefix/lib
mkdir "$work/pc"
for source in "$GEMP_SOURCE_DIR"/examples/*.c; do
	[ "$(wc -l <"$source")" -le 80 ] || fail "$source has more than 80 lines"
	# shellcheck disable=SC2046
	cc -std=c17 -Wall -Wextra -Werror -o "$work/pc/$(basename "$source" .c)" "$source" $(pkg-config --cflags --libs gemp) ||
		fail "$source does not build with pkg-config"
done
command -v ninja >"$work/log" && export CMAKE_GENERATOR=Ninja # the site has no make
cmake -S "$GEMP_SOURCE_DIR/examples" -B "$work/cm" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" 2>&1 &&
	cmake --build "$work/cm" >>"$work/cmake.log" 2>&1 || fail "CMake: $(tail -1 "$work/cmake.log")"
# Each header compiles without any other header, in C and in C++.
for header in "$prefix"/include/gemp/*.h; do
	# shellcheck disable=SC2046
	cc -std=c17 -Wall -Wextra -Werror -x c -fsyntax-only $(pkg-config --cflags gemp) "$header" || fail "$header does not compile alone"
done

"$GEMP_MPI" generate movies -o "$work/movies.h5" --quiet >"$work/log" 2>&1 || fail "generate: $(cat "$work/log")"
for folder in "$work/pc" "$work/cm"; do
	"$folder/build_graph" "$work/roads.h5" | sort >"$work/out" || fail "build_graph failed"
	printf 'from 1 to %s\n' '1: 0' '2: 1' '3: 2.5' '4: 3.5' | diff - "$work/out" >&2 || fail "wrong distances of $folder"
	"$folder/rows_to_arrays" "$work/movies.h5" >"$work/out" || fail "rows_to_arrays failed"
	"$GEMP_MPI" match "$work/movies.h5" 'MATCH (p:Person)-[:ACTS_IN]->(m:Movie) WHERE m.year < 1950 AND p.name IS NOT NULL
		RETURN p.name AS name, count(m) AS films ORDER BY films DESC, name LIMIT 3' -o "$work/rows.tsv" --quiet >"$work/log" 2>&1
	tail -n +2 "$work/rows.tsv" | sed -E 's/^(.*)\t(.*)$/  \1: \2 films/' | diff - <(sed -n 2,4p "$work/out") >&2 ||
		fail "rows of $folder differ from those of gemp-mpi"
	$GEMP_MPIRUN -n 4 "$folder/own_communicator" | sort >"$work/out" || fail "own_communicator failed"
	printf '%s\n' '100 vertices: 100 triangles, found by 2 ranks' '1000 vertices: 1000 triangles, found by 2 ranks' |
		diff - "$work/out" >&2 || fail "wrong groups of ranks"
	for ranks in 1 3; do
		$GEMP_MPIRUN -n $ranks "$folder/pagerank_array" >"$work/out.$ranks" || fail "pagerank_array failed on $ranks ranks"
		grep -qx 'sum 1.000000' "$work/out.$ranks" || fail "PageRank on $ranks ranks does not sum to 1"
	done
	$GEMP_MPIRUN -n 2 "$folder/count_triangles" "$work/roads.h5" cycle:4 >"$work/out" || fail "count_triangles failed"
	grep -qx '4 vertices, 4 edges, 1 x cycle:4' "$work/out" || fail "wrong count of cycles in a square of four roads: $(cat "$work/out")"
	"$folder/count_triangles" "$work/none.h5" >"$work/out" 2>"$work/err"
	equal $? 66 "exit code without a graph"
done
"$GEMP_MPI" verify "$work/roads.h5" --quiet >"$work/log" 2>&1 || fail "verify fails on the graph of build_graph: $(cat "$work/log")"
finish
