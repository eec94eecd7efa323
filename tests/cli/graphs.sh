# Tests the reports of import, generate, info, verify, partition, devices and the demo, as text and as JSON.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
# people TEXT: stdout of the last run has this text; json: stdout is one JSON object
people() { grep -qE -- "$1" out || { fail "stdout has no '$1':"; sed 's/^/    /' out >&2; }; }
json() { "$GEMP_PYTHON" -c 'import json, sys; json.load(open("out"))' || fail "stdout is not one JSON object: $*"; }

tsv v.tsv 'id type name born:int' 'p1 Person Ann 1950' 'p2 Person Bob ' 'p3 Person;Star Cy 1970' 'm1 Film Up '
tsv e.tsv 'src dst type role' 'p1 m1 ACTS_IN Tom' 'p2 m1 ACTS_IN ' 'p3 m1 ACTS_IN ' 'p3 m1 ACTS_IN Di' 'p1 p2 KNOWS '
expect 0 1 import --vertices v.tsv --edges e.tsv -o one.h5
people '^one.h5: 4 vertices, 5 edges, '
people '  labels +Film +1$'
people ' Person +3$'
people '  edge types +ACTS_IN +4  directed, with parallel edges'
people ' KNOWS +1  directed'
people 'born +integer$'
people '^  write +[0-9.]+ '
expect 0 3 import --vertices v.tsv --edges e.tsv -o three.h5 --quiet
[ ! -s out ] || fail 'import --quiet printed text'
cmp -s one.h5 three.h5 || fail 'files made by 1 and 3 ranks differ'

# info: the same with every number of ranks
for ranks in 1 3; do
	expect 0 $ranks info one.h5
	people '^one.h5: 4 vertices, 5 edges, .*; seed 1, hash [0-9a-f]{16}$'
	people 'born +integer +50.0 % NULL'
	people 'degrees +min 2, avg 2.50, max 4 '
	people '^  4 to 7 +1  #+$'
	expect 0 $ranks info three.h5 --json -
	json info
	equal "$(field graph.vertices)/$(field graph.edges)" 4/5 sizes
	equal "$(field schema.labels.Person)/$(field schema.labels.Star)/$(field schema.labels.Film)" 3/1/1 labels
	equal "$(field schema.relations.ACTS_IN.edges)" 4 'edges of ACTS_IN'
	equal "$(field schema.relations.ACTS_IN.multigraph)" True 'parallel edges'
	equal "$(field schema.relations.KNOWS.multigraph)" False 'no parallel edges'
	equal "$(field schema.attributes.born.type)/$(field schema.attributes.born.null_share)" integer/0.5 born
	equal "$(field degrees.min)/$(field degrees.avg)/$(field degrees.max)" 2/2.5/4 degrees
	hash=$(field graph.hash)
done
expect 0 2 info one.h5 --json report.json --schema
people '^one.h5: 4 vertices'
cp report.json out
equal "$(field graph.hash)" "$hash" 'hash of files made by 1 and 3 ranks'
[ "$(field degrees 2>/dev/null)" = '' ] || fail '--schema counted degrees'

# undirected and merged
tsv u.tsv 'src dst' '1 2' '2 1' '2 3' '2 3'
expect 0 2 import --edges u.tsv --undirected --parallel merge -o u.h5 --json -
json import
equal "$(field graph.vertices)/$(field graph.edges)" 3/2 'merged edges'
equal "$(field schema.relations.E.directed)" False 'undirected'
expect 0 2 import --edges u.tsv --undirected -o u.h5 --type LINK --label Thing --json -
equal "$(field schema.relations.LINK.edges)/$(field schema.labels.Thing)" 4/3 'kept edges'

# verify: good, truncated and damaged files
for ranks in 1 3; do
	expect 0 $ranks verify one.h5
	people '^one.h5: good \(4 vertices, 5 edges\)$'
done
head -c $(($(stat -c %s one.h5) / 2)) one.h5 >cut.h5
expect 65 2 verify cut.h5
says 'cut.h5'
if "$GEMP_PYTHON" -c 'import h5py' 2>/dev/null; then
	"$GEMP_PYTHON" - <<'END'
import h5py, shutil
for name in '/edges/ACTS_IN/csr/indices', '/edges/KNOWS/csc/indptr', '/nodes/_rank', '/nodes/_id':
    with h5py.File('one.h5') as file:
        where = file[name].id.get_offset()
    target = 'spoilt-%s.h5' % name.strip('/').replace('/', '-')
    shutil.copy('one.h5', target)
    with open(target, 'r+b') as file:
        file.seek(where)
        byte = file.read(1)[0]
        file.seek(where)
        file.write(bytes([byte ^ 1]))
END
	for file in spoilt-*.h5; do
		expect 65 2 verify "$file"
		says "$file"
	done
fi

# partition: every vertex and edge is in one partition, with every number of ranks
for ranks in 1 3; do
	for parts in 1 2 4 7; do
		expect 0 $ranks partition one.h5 --parts $parts --json -
		json partition
		"$GEMP_PYTHON" - $parts <<'END' || fail "wrong partition into $parts partitions"
import json, sys
report, parts = json.load(open('out')), int(sys.argv[1])
assert len(report['parts']) == parts
assert [part['begin'] for part in report['parts']] == [p * 4 // parts for p in range(parts)]
assert sum(part['vertices'] for part in report['parts']) == 4
for name in 'edges_out', 'edges_in':
    assert sum(part[name] for part in report['parts']) == 5
assert parts > 1 or report['edges_inside_share'] == 1
END
	done
done
expect 0 2 partition one.h5
people 'one.h5 in 2 random parts'

# generate: the graph is the same with every number of ranks and differs with another seed
for ranks in 1 4; do
	expect 0 $ranks generate movies --films 40 --people 60 -o movies$ranks.h5 --json -
	json generate
	hashes[ranks]=$(field graph.hash)
done
equal "${hashes[1]}" "${hashes[4]}" 'hash of a generated graph'
expect 0 1 generate movies --films 40 --people 60 --seed 2 -o movies.h5 --json -
[ "$(field graph.hash)" != "${hashes[1]}" ] || fail 'two seeds gave the same graph'
expect 0 1 generate rmat --scale 6 -o rmat.h5 --quiet
expect 0 2 verify rmat.h5

# devices
for ranks in 1 3; do
	expect 0 $ranks devices --json -
	json devices
	"$GEMP_PYTHON" -c "
import json
report = json.load(open('out'))
assert report['devices'] and [a['rank'] for a in report['assignment']] == list(range($ranks))
assert all(a['device'] < len(report['devices']) for a in report['assignment'])" || fail 'wrong devices in the report'
done
expect 69 2 devices --devices no-such-device
says 'no-such-device'

# the demo, plan and dry run
expect 0 2
people 'CONTAINS .Jack.'
people '[0-9] matches \(orbits\) = [0-9,]+ embeddings'
people 'What to type next'
people '^  kernel '
expect 0 1 --json -
json demo
equal "$(field command)" demo command
matches=$(field matches)
[ "$matches" -gt 0 ] || fail 'the demo finds nothing'
expect 0 3 demo --replicate none --json -
equal "$(field matches)" "$matches" 'matches of the demo under 3 ranks'
says 'What to type next'
expect 0 2 demo --json - --quiet
[ ! -s err ] || fail "--quiet --json - printed messages: $(head -3 err)"
expect 0 2 match movies.h5 'MATCH (a:Person)-[:ACTS_IN]->(m)' --dry-run
people 'pivot'
grep -q matches out && grep -q '^[0-9,]* match' out && fail '--dry-run matched'
expect 0 2 match movies.h5 'MATCH (a:Person)-[:ACTS_IN]->(m)' --explain --count
people 'pivot'
people '^[0-9,]+ match'
finish
