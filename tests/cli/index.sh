#!/bin/bash
# Tests gemp-mpi index: what it adds, lists and removes, files that stay valid, and its refusals.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
cd "$work" || exit 1
GEMP_TEST_LIMIT=100

# names: the indexes of the last report
names() { "$GEMP_PYTHON" -c 'import json; print(*[i["name"] for i in json.load(open("out"))["indexes"]])'; }
# rows GRAPH RANKS QUERY: prints the sorted rows of a query
rows() {
	expect 0 "$2" match "$1" "$3" -o rows.tsv --quiet "${@:4}"
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
# Results that are written into the file keep its indexes; other graphs have none.
cp q.h5 into.h5
expect 0 2 pagerank into.h5 --into into.h5
expect 0 1 index into.h5 --json -
equal "$(names)" 'ACTS_IN|HAS_GENRE:either ACTS_IN:either' 'indexes after --into'
expect 0 3 verify into.h5
expect 0 1 partition q.h5 --parts 2 --method block -o c.h5
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
	expect 0 "$ranks" index "v$ranks.h5" --values name --values year --values rating --json -
	equal "$(names)" 'name year rating' 'indexes of values'
	expect 0 "$ranks" verify "v$ranks.h5"
	cmp -s v1.h5 "v$ranks.h5" || fail "files made by 1 and $ranks ranks differ"
	rows v1.h5 "$ranks" "${query/\$year/1990}" | cmp -s - expected || fail "other rows with $ranks ranks"
done
expect 0 1 index q.h5 "$query" --param year=1990 --json -
equal "$(names)" year 'an index of values for a query'
expect 0 2 match v1.h5 "${query/\$year/1990}" --explain --dry-run
grep -q 'index of values: m.year = 1990' out || fail '--explain names no index of values'
grep -q 'neighbourhood: .* vertices and .* edges, read row by row' out || fail '--explain names no neighbourhood'
expect 0 1 match v1.h5 "MATCH (m) WHERE m.year >= 1990 AND m.year < 1992 RETURN m" --explain --dry-run
grep -q 'index of values: m.year < 1992' out || fail '--explain names no range'
expect 0 2 generate movies --films 200 --people 600 --index name --index year --index none -o big.h5
says "index none: no vertex has this attribute"
expect 0 2 index big.h5 --json -
equal "$(names)" 'name year' 'indexes of a new file'
expect 0 3 verify big.h5
expect 2 1 index v1.h5 --values born --values nothing
says 'values nothing: v1.h5 has no such attribute of vertices'
printf 'id\tflag\na\ttrue\nb\tfalse\n' >flags.tsv
expect 0 1 import --vertices flags.tsv -o flags.h5
expect 2 2 index flags.h5 --values flag
says 'values flag: a boolean has no index'

# Stale indexes.
"$GEMP_PYTHON" -c 'import h5py; h5py.File("v2.h5", "r+")["indexes/sorted/0"].attrs["attribute"] = "year"'
expect 65 3 verify v2.h5
says 'v2.h5: was changed by another program, as its seal is missing'
expect 65 3 verify v2.h5 --trust
says "'/indexes/sorted/0/vertices' differs from the graph"
"$GEMP_PYTHON" -c 'import h5py; h5py.File("m2.h5", "r+")["indexes/rows/0"].attrs["direction"] = "in"'
expect 65 2 verify m2.h5 --trust
says "m2.h5: '/indexes/rows/0' differs from the graph; make the indexes again"

# spoil CODE: verify finds what Python's CODE does to the values and vertices of an index of years in a copy of big.h5
spoil() {
	cp big.h5 spoilt.h5
	"$GEMP_PYTHON" -c "import h5py; f = h5py.File('spoilt.h5', 'r+')['indexes/sorted/1']
k, v, n = f['values'], f['vertices'], len(f['values']); $1"
	expect 65 2 verify spoilt.h5
	expect 65 2 verify spoilt.h5 --trust
}
year="MATCH (m:Movie {year: 1990}) RETURN m"
spoil 'k[:] = k[:][::-1]'
expect 65 2 match spoilt.h5 "$year" --trust
says "the index '/indexes/sorted/1/vertices' is damaged: its values do not ascend"
spoil 'k[n // 2] = 3000'
spoil 'v[:] = 2**32 - 2'
expect 65 2 match spoilt.h5 "MATCH (m:Movie) WHERE m.year > 0 RETURN m" --trust
says "the index '/indexes/sorted/1/vertices' is damaged: it has a vertex that the graph lacks"
spoil 'v[3] = v[4]'
# An index that cannot be described does not keep the file from being used, or the index from being made again.
rows big.h5 1 "$year" >expected
cp big.h5 spoilt.h5
"$GEMP_PYTHON" -c "import h5py; del h5py.File('spoilt.h5', 'r+')['indexes/sorted/1'].attrs['attribute']"
rows spoilt.h5 2 "$year" --trust | cmp -s - expected || fail 'other rows with a damaged index'
expect 0 2 match spoilt.h5 "$year" --trust
says "spoilt.h5: the index '/indexes/sorted/1' is damaged and is not used"
expect 0 1 index spoilt.h5 --trust --values year --json -
equal "$(names)" 'name year' 'indexes that were made again'
expect 0 1 verify spoilt.h5
cp plain.h5 older.h5
"$GEMP_PYTHON" -c "import h5py; h5py.File('older.h5', 'r+').create_group('indexes/values/0')"
expect 0 2 match older.h5 "$year" --trust
says 'older.h5: its indexes of values are of an older form and are not used'

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
