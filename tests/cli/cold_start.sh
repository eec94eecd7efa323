#!/bin/bash
# Eight ranks start together with empty caches, of the program and of PoCL. The question builds kernels of conditions and
# of a search.
# GEMP_COLD_STARTS=20 bash tests/cli/cold_start.sh repeats this 20 times.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"

cd "$work" || exit 1
expect 0 1 generate movies --films 50 -o g.h5
question='MATCH (p:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(q:Person) WHERE m.year > 1930 AND p.name < q.name RETURN p, q'
ask() { expect 0 "$1" match g.h5 "$question" --on device --count; }

starts=${GEMP_COLD_STARTS:-2}
for i in $(seq "$starts"); do
	export GEMP_CACHE_DIR=$work/gemp.$i POCL_CACHE_DIR=$work/pocl.$i
	ask 8
	[ -n "$(ls "$GEMP_CACHE_DIR"/program-* 2>/dev/null)" ] || fail "start $i: no program was kept in the cache"
	rm -rf "$GEMP_CACHE_DIR" "$POCL_CACHE_DIR"
done

# The program also works with a cache that cannot be written or is damaged.
export GEMP_CACHE_DIR= POCL_CACHE_DIR=$work/pocl
ask 2
export GEMP_CACHE_DIR=$work/spoilt
ask 2
for file in "$GEMP_CACHE_DIR"/program-*; do head -c 500 "$file" >"$file.cut" && mv "$file.cut" "$file"; done
ask 2
finish
