#!/bin/bash
# Tests tests/bench/rows.sh: every question over tiny graphs has SQLite's answer, and a wrong answer is found.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
"${GEMP_PYTHON:-python3}" -c 'import sqlite3' 2>/dev/null || skip 'Python has no sqlite3'
export GEMP_PYTHON GEMP_MPI PYTHONDONTWRITEBYTECODE=1 GEMP_BENCH_NODE=$work/nowhere
cd "$work" || exit 1

# rows CODE ARGUMENTS...: runs the script with tiny graphs and checks its exit code
rows() {
	local wanted=$1; shift
	timeout 200 bash "$GEMP_SOURCE_DIR/tests/bench/rows.sh" --size tiny --repeat 1 "$@" >out 2>err </dev/null
	code=$?
	[ "$code" -eq "$wanted" ] || { fail "code $code, not $wanted: rows.sh $*"; sed 's/^/    /' err >&2; }
}

rows 0 --save saved
equal "$(grep -c '| right |$' out)" 31 'right answers'
equal "$(grep -c '| [a-z]*: [^|]* | 0 |' out)" 1 'questions without rows'  # SemaphoreNeighbor, with few faults
[ -s saved/rows-*.md ] || fail 'no table was saved'
equal "$("$GEMP_PYTHON" -c 'import json, sys
head, *results = map(json.loads, open(sys.argv[1]))
print(sum(result["right"] and all(system["warm"] > 0 for system in result["systems"].values()) for result in results))' saved/rows-*.jsonl)" 31 'results with times in open processes'

# Without peers there is nothing to compare, and Python needs no sqlite3.
mkdir none && echo 'raise ImportError' >none/sqlite3.py
PYTHONPATH=$work/none rows 0 --peers '' --only 'groups by'
equal "$(grep -c '| - |$' out)" 3 'questions without peers'

# A program that answers another question.
printf '#!/bin/bash\nexec "%s" "${@//films >= 3/films >= 4}"\n' "$GEMP_MPI" >wrong
chmod +x wrong
GEMP_MPI=$work/wrong rows 1 --only couples
grep -F '| films: couples |' out | grep -q '| WRONG |$' || fail 'a wrong answer passes'
finish
