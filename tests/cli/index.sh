#!/bin/bash
# Tests gemp-mpi index: what it adds, lists and removes, files that stay valid, and its refusals.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
cd "$work" || exit 1
GEMP_TEST_LIMIT=100

# names: the indexes of the last report
names() { "$GEMP_PYTHON" -c 'import json; print(*[i["name"] for i in json.load(open("out"))["indexes"]])'; }
# rows GRAPH RANKS QUERY: prints the sorted rows of a query
rows() {
	expect 0 "$2" match "$1" "$3" -o rows.tsv --quiet
	LC_ALL=C sort rows.tsv
}

expect 0 1 generate movies --films 60 --people 90 -o plain.h5 --quiet
for ranks in 1 2 3; do
	cp plain.h5 "m$ranks.h5"
	expect 0 "$ranks" index "m$ranks.h5" --rows '*' --rows 'ACTS_IN:either' --json -
	equal "$(names)" 'ACTS_IN|HAS_GENRE:out ACTS_IN|HAS_GENRE:in ACTS_IN:either' "indexes made by $ranks ranks"
	expect 0 "$ranks" verify "m$ranks.h5"
	cmp -s m1.h5 "m$ranks.h5" || fail "files made by 1 and $ranks ranks differ"
done
for query in 'MATCH (m:Movie)-->(x) RETURN m, x' 'MATCH (p:Person)-[:ACTS_IN]-(m)-->(g:Genre) RETURN p, g'; do
	rows plain.h5 1 "$query" >expected
	[ "$(wc -l <expected)" -gt 20 ] || fail "too few rows: $query"
	for ranks in 1 2 3; do
		rows m1.h5 $ranks "$query" | cmp -s - expected || fail "other rows with indexes and $ranks ranks: $query"
	done
done
expect 0 1 match m1.h5 'MATCH (m:Movie)-->(x) RETURN m, x' --explain --dry-run
grep -q 'index of rows: ACTS_IN|HAS_GENRE:' out || fail '--explain names no index'

# What queries would use; nothing new leaves the file as it is.
cp plain.h5 q.h5
expect 0 2 index q.h5 'MATCH (m:Movie)--(x) WHERE EXISTS { (x)-[:ACTS_IN]-(y) } RETURN m' --json -
equal "$(names)" 'ACTS_IN|HAS_GENRE:either ACTS_IN:either' 'indexes for a query'
stat -c %i q.h5 >before
echo 'MATCH (a)-[:ACTS_IN]->(b) RETURN a; MATCH (a)--(b) RETURN b;' >queries.cypher
expect 0 1 index q.h5 --query-file queries.cypher
stat -c %i q.h5 | cmp -s - before || fail 'a file was written without a new index'
# Other commands leave indexes out.
expect 0 1 pagerank q.h5 --into c.h5
expect 0 1 index c.h5 --json -
equal "$(names)" '' 'indexes of a file made from another'
expect 0 1 index q.h5 --drop --compress --rows '*:in' --json -
equal "$(names)" 'ACTS_IN|HAS_GENRE:in' 'indexes after --drop'
expect 0 3 verify q.h5
expect 0 1 index q.h5 --drop --json -
equal "$(names)" '' 'indexes after --drop'
cmp -s q.h5 plain.h5 || fail 'a file without its indexes differs from the file before'

# The file is replaced, but a link to it stays a link, and permissions stay.
cp plain.h5 private.h5
chmod 600 private.h5
ln -s private.h5 link.h5
expect 0 2 index link.h5 --rows '*:in'
grep -q 'link.h5: 1 index' out || fail 'no list'
[ -L link.h5 ] || fail 'a link became a file'
equal "$(stat -c %a private.h5)" 600 'permissions'
expect 0 1 index private.h5 --json -
equal "$(names)" 'ACTS_IN|HAS_GENRE:in' 'indexes made through a link'

# Indexes of values.
query="MATCH (m:Movie {year: \$year})<-[:ACTS_IN]-(p) RETURN m, p"
rows plain.h5 1 "${query/\$year/1990}" >expected
for ranks in 1 2 3; do
	cp plain.h5 "v$ranks.h5"
	expect 0 "$ranks" index "v$ranks.h5" --values name --values year --json -
	equal "$(names)" 'name year' 'indexes of values'
	expect 0 "$ranks" verify "v$ranks.h5"
	cmp -s v1.h5 "v$ranks.h5" || fail "files made by 1 and $ranks ranks differ"
	rows v1.h5 "$ranks" "${query/\$year/1990}" | cmp -s - expected || fail "other rows with $ranks ranks"
done
expect 0 1 index q.h5 "$query" --param year=1990 --json -
equal "$(names)" year 'an index of values for a query'
expect 0 1 match v1.h5 "${query/\$year/1990}" --explain --dry-run
! grep -q 'index of values' out || fail 'an index of a few values is used'
expect 0 1 generate movies --films 2000 --people 66000 -o big.h5 --quiet
expect 0 1 index big.h5 --values name
expect 0 2 match big.h5 "MATCH (p {name: 'X'}) RETURN p" --explain
grep -q "index of values: p.name = 'X'" out || fail '--explain names no index of values'
expect 2 1 index v1.h5 --values born --values nothing
says 'values nothing: v1.h5 has no such attribute of vertices'
expect 2 2 index v1.h5 --values rating
says 'values rating: a float has no index'

# Stale indexes.
"$GEMP_PYTHON" -c 'import h5py; h5py.File("v2.h5", "r+")["indexes/values/0"].attrs["attribute"] = "year"'
expect 65 3 verify v2.h5
"$GEMP_PYTHON" -c 'import h5py; h5py.File("m2.h5", "r+")["indexes/rows/0"].attrs["direction"] = "in"'
expect 65 2 verify m2.h5
says "m2.h5: '/indexes/rows/0' differs from the graph; make the indexes again"

# spoil CODE: verify finds what Python's CODE does to the keys and vertices of a copy of big.h5
spoil() {
	cp big.h5 spoilt.h5
	"$GEMP_PYTHON" -c "import h5py; f = h5py.File('spoilt.h5', 'r+')['indexes/values/0']
k, v, n = f['keys'], f['vertices'], len(f['keys']); $1"
	expect 65 2 verify spoilt.h5
}
spoil 'k[:] = k[:][::-1]'
expect 65 2 match spoilt.h5 "MATCH (p {name: 'X'}) RETURN p"
says "'/indexes/values/0/keys' does not ascend"
spoil 'k[n // 2] = 2**64 - 1 - k[n // 2]'
spoil 'v[:] = 2**32 - 2'
name=$(expect 0 1 match big.h5 'MATCH (p:Person) RETURN p.name LIMIT 1' -o - --quiet && sed -n 2p out)
expect 65 2 match spoilt.h5 "MATCH (p {name: '$name'}) RETURN p"
says "'/indexes/values/0' has vertices that do not ascend or that the graph lacks"
spoil 'v[3] = v[4]'

# Refusals.
expect 66 2 index none.h5 --rows '*'
expect 2 2 index m1.h5 --rows 'ACTS_IN|NONE:out'
says "rows NONE: m1.h5 has no edges of this type"
expect 2 1 index m1.h5 --rows 'ACTS_IN:in'
says "every graph file has these rows"
expect 2 1 index m1.h5 'MATCH (a)-->(b) RETURN c'
expect 2 1 index m1.h5 'MATCH (a)-->(b) RETURN a' --query-file queries.cypher
# Root may write to every file, so the program runs as nobody where root runs this test.
program=$GEMP_MPI
if [ "$(id -u)" -eq 0 ]; then
	cp "$GEMP_MPI" program
	chmod a+rwx "$work" program
	printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups env GEMP_CACHE_DIR= "%s/program" "$@"\n' "$work" >as_nobody
	chmod +x as_nobody
	program=./as_nobody
fi
chmod a-w m1.h5
GEMP_MPI=$program expect 74 1 index m1.h5 --drop
says 'is write-protected'
cat >limited <<SHELL
#!/usr/bin/env bash
ulimit -f 50
exec env --default-signal=XFSZ "$GEMP_MPI" "\$@"
SHELL
chmod +x limited
cp m3.h5 before.h5
GEMP_MPI=./limited expect 74 1 index m3.h5 --drop
cmp -s m3.h5 before.h5 || fail 'a full disk changed the file'
equal "$(ls | grep -c tmp-)" 0 'temporary files'
finish
