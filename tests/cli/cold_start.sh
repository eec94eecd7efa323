#!/bin/bash
# Eight ranks start together with empty caches, of the program and of PoCL. The demo builds every kind of kernel.
# GEMP_COLD_STARTS=20 bash tests/cli/cold_start.sh repeats this 20 times.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"

starts=${GEMP_COLD_STARTS:-2}
for i in $(seq "$starts"); do
	export GEMP_CACHE_DIR=$work/gemp.$i POCL_CACHE_DIR=$work/pocl.$i
	expect 0 8
	[ -n "$(ls "$GEMP_CACHE_DIR"/program-* 2>/dev/null)" ] || fail "start $i: no program was kept in the cache"
	rm -rf "$GEMP_CACHE_DIR" "$POCL_CACHE_DIR"
done

# The program also works with a cache that cannot be written or is damaged.
export GEMP_CACHE_DIR= POCL_CACHE_DIR=$work/pocl
expect 0 2
export GEMP_CACHE_DIR=$work/spoilt
expect 0 2
for file in "$GEMP_CACHE_DIR"/program-*; do head -c 500 "$file" >"$file.cut" && mv "$file.cut" "$file"; done
expect 0 2
finish
