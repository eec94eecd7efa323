#!/bin/bash
# Tests tests/bench/latency.sh: a table of small cells, raw results, kept graphs, and a wrong answer.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
command -v cc >/dev/null || skip 'there is no C compiler'
export GEMP_PYTHON GEMP_MPI GEMP_SHARED=$work/nowhere PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1

# latency CODE ARGUMENTS...: runs the script with small sizes and checks its exit code
latency() {
	local wanted=$1; shift
	timeout 200 bash "$GEMP_SOURCE_DIR/tests/bench/latency.sh" --cpu --scale 10 --edges 5000 --megabytes 1 --repeat 1 "$@" \
		>out 2>err </dev/null
	code=$?
	[ "$code" -eq "$wanted" ] || { fail "code $code, not $wanted: latency.sh $*"; sed 's/^/    /' err >&2; }
}
# right CELL: checks that every line of a cell that has an answer is right, and that there is one.
right() {
	grep -F "| $1 |" out | grep -q '| right |$' || { fail "$1 is not right"; cat out >&2; }
	! grep -F "| $1 |" out | grep -q 'WRONG' || fail "$1 is wrong"
}

latency 0 --only 'usage error|R-MAT 10: generate|movies: 1|wiki-vote: triangle|import' --folder kept --save saved
for cell in 'usage error' 'R-MAT 10: generate' 'movies: 1 one hop' 'import of 0.005 M edges'; do right "$cell"; done
equal "$(grep -c '^| movies: 1 one hop | \(first\|warm\) |' out)" 2 'states of a question'
grep -q '^| R-MAT 10: generate, bytes an edge | warm | [0-9.]* |' out || fail 'the table has no bytes an edge'
[ -s kept/rmat10.h5 ] || fail 'the graph was not kept'
grep -qF '| usage error |' saved/latency-*.md || fail 'no table was saved'
equal "$("$GEMP_PYTHON" -c 'import json, sys
head, *cells = map(json.loads, open(sys.argv[1]))
assert head["rates"]["page_cache"] > 0 and head["start"]["warm"]["process"] > 0
print(sum(cell.get("right") is True for cell in cells))' saved/latency-*.jsonl)" "$(grep -v '^| cell ' out | grep -c '| right |$')" 'right cells in the raw results'
grep -qF 'no GEMP_SHARED/data/graphs/wiki-vote' out || fail 'missing data are not named'

# A program that makes another graph than asked for.
printf '#!/bin/bash\nexec "%s" "${@/#10/11}"\n' "$GEMP_MPI" >wrong
chmod +x wrong
GEMP_MPI=$work/wrong latency 1 --only 'R-MAT 10: generate'
grep -F '| R-MAT 10: generate |' out | grep -q '| WRONG |$' || fail 'a wrong graph passes'
finish
