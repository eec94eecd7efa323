#!/bin/bash
# Tests jobs/gpus.sh: a table, raw results, an answer that depends on the number of ranks, and an engine that leaves the device;
# and tests/bench/places.py, which uses its parts.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
export GEMP_PYTHON PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1

# gpus CODE ARGUMENTS...: measures on small inputs and checks the exit code of the script
gpus() {
	local wanted=$1; shift
	timeout 200 bash "$GEMP_SOURCE_DIR/jobs/gpus.sh" --size small --ranks 1,2 --repeat 1 --folder "$work" "$@" >out 2>err </dev/null
	code=$?
	[ "$code" -eq "$wanted" ] || { fail "code $code, not $wanted: gpus.sh $*"; sed 's/^/    /' out err >&2; }
}
# program WORDS: makes `other`, the program with more words if it has two ranks
program() {
	printf '#!/bin/bash\n[ "${OMPI_COMM_WORLD_SIZE:-1}" = 1 ] || set -- "$@" %s\nexec %q "$@"\n' "$1" "$gemp" >other
	chmod +x other
	export GEMP_MPI=$work/other
}

gemp=$GEMP_MPI
gpus 0 --only sort --save "$work"
for ranks in 1 2; do
	grep -qP "^sort\tsmall\t$ranks\t[0-9.]+\t[0-9.]+\t[0-9.]+\t[0-9.]+\t.*\tyes$" out || { fail "no line for $ranks ranks"; cat out >&2; }
done
equal "$("$GEMP_PYTHON" -c 'import json, sys; print([(r["engine"], r["ranks"], r["right"]) for r in json.load(open(sys.argv[1]))])' gpus-*.json)" \
	"[('sort', 1, True), ('sort', 2, True)]" 'raw results'
gpus 0 --only sort --shared 0
equal "$(cut -f 1-3 out | sed 1d)" "$(printf 'sort\tsmall\t%s\n' 1 2 '2, shared')" 'ranks that share a device'
gpus 0 --only bfs,cycle
equal "$(grep -c 'yes$' out)" 4 'searches from a vertex with the most edges, and a shape with a colon'

# places.py compares hosts and devices by size
timeout 200 "$GEMP_PYTHON" "$GEMP_SOURCE_DIR/tests/bench/places.py" --sizes 8,10 --ranks 1,2 --repeat 1 --only sort,euler --folder "$work" \
	--save "$work" >out || fail 'places.py'
equal "$(cut -f 1-3 out | sed -n 2,9p)" "$(printf '%s\n' sort$'\t'{8,10}$'\t'1 sort$'\t'{8,10}$'\t'2 euler$'\t'{8,10}$'\t'1 euler$'\t'{8,10}$'\t'2)" 'places: lines'
equal "$("$GEMP_PYTHON" -c 'import json, sys; print(sum(r["loss"] >= 1 and r["host"] > 0 and r["device"] > 0 for r in json.load(open(sys.argv[1]))))' places-*.json)" \
	8 'places: raw results'

program --descending
gpus 1 --only sort
grep -qP '^sort\tsmall\t2 ranks: another answer$' out || { fail 'another answer is not noticed'; cat out >&2; }
program '--on host'
gpus 1 --only sort
grep -qP '^sort\tsmall\t2 ranks: no kernel on the devices of 0, 1$' out || { fail 'a host is taken for a device'; cat out >&2; }
finish
