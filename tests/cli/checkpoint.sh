#!/usr/bin/env bash
# A search that stops and continues gives the answer of an uninterrupted search, whatever happens in between. Queries
# that cannot be searched in parts are refused.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
cd "$work"

# one CODE ARGUMENTS...: like expect with one rank, but without mpirun, which takes longer to start than the program.
one() {
	local wanted=$1; shift
	timeout -k 10 60 "$GEMP_MPI" "$@" >"$work/out" 2>"$work/err" </dev/null
	equal $? "$wanted" "exit code of gemp-mpi $*"
}

one 0 generate rmat -o g.h5 --scale 9 -q
one 0 generate movies -o m.h5 --films 60 --people 90 -q

# stops RANKS ARGUMENTS...: runs a job that has time for one step.
stops() { local ranks=$1; shift; expect 75 "$ranks" match "$@" --checkpoint c --resume --max-time 0.001 --json j -q; says "checkpoint c and resume goes on"; }
of() { "$GEMP_PYTHON" -c 'import json, sys; v = json.load(open("j"))
for part in sys.argv[1].split("."): v = v[part]
print(v)' "$1"; }

# Counts.
count="g.h5 --pattern cycle:4 --count --count-by enumerate"
one 0 match $count --json - -q
matches=$(field matches) embeddings=$(field embeddings)
stops 1 $count
equal "$(of complete)" False "complete"
equal "$(of checkpoint.finished)" 1 "parts of the first job"
stops 3 $count --replicate none
equal "$(of checkpoint.finished)" 2 "parts of two jobs"
one 2 match $count --checkpoint c
says "checkpoint c: there is one of an earlier job"
expect 2 2 match $count --checkpoint c --resume --semantics hom
says "the checkpoint in c has another semantics, 'iso' and not 'hom'"
one 2 match m.h5 --pattern cycle:4 --count --count-by enumerate --checkpoint c --resume
says "the checkpoint in c has another graph"
cp -r c kept
expect 0 2 match $count --checkpoint c --resume --json - -q
equal "$(field matches)" "$matches" matches
equal "$(field embeddings)" "$embeddings" embeddings
equal "$(field checkpoint.jobs)" 3 jobs
[ ! -e c ] || fail "the folder of a complete search was not removed"

# A damaged checkpoint is refused.
echo '{' >kept/checkpoint.json
expect 65 2 match $count --checkpoint kept --resume
says "kept/checkpoint.json:2:"

# Rows, with attribute conditions before and after the search.
query='MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person) WHERE m.year > 1950 AND a.name < b.name RETURN a.name, m.name, b.name'
for ending in tsv jsonl; do
	one 0 match m.h5 "$query" -o "plain.$ending" -q
	stops 2 m.h5 "$query" -o "rows.$ending"
	[ ! -e "rows.$ending" ] || fail "rows.$ending exists although the search is incomplete"
	: >c/rows-0002.tmp-1 # a file that a killed job left
	stops 1 m.h5 "$query" -o "rows.$ending"
	expect 0 3 match m.h5 "$query" -o "rows.$ending" --checkpoint c --resume -q
	[ ! -e c ] || fail "files were not removed: $(ls c)"
	cmp <(sort "plain.$ending") <(sort "rows.$ending") || fail "a search with stops has other rows, in .$ending"
	equal "$(head -n 1 "plain.$ending" | cut -c 1-6)" "$(head -n 1 "rows.$ending" | cut -c 1-6)" "first line"
done

# A count as a row, and a query without matches.
stops 1 m.h5 "MATCH (a)-[:ACTS_IN]->(m) RETURN count(*)" --count-by enumerate
expect 0 2 match m.h5 "MATCH (a)-[:ACTS_IN]->(m) RETURN count(*)" --count-by enumerate --checkpoint c --resume -o n.tsv --json - -q
equal "$(tail -n 1 n.tsv)" "$(field count)" "count(*)"
expect 0 2 match m.h5 "MATCH (a:Person {name: 'Nobody'})-[:ACTS_IN]->(m) RETURN a.name" --checkpoint c -o none.tsv -q
equal "$(wc -l <none.tsv)" 1 "lines of an output without rows"

# A signal arrives after the checkpoint folder exists, through mpirun or at one rank. The searches last much longer than
# the wait for the folder.
one 0 generate rmat -o long.h5 --scale 10 -q
one 0 generate rmat -o longer.h5 --scale 12 -q
one 0 match long.h5 --pattern house --count --json - -q
matches=$(field matches)
for signal in USR2 TERM; do
	rm -rf c
	launch="$GEMP_MPIRUN -n 2" long="long.h5 --pattern house --count"
	[ $signal = USR2 ] || launch= long="longer.h5 --pattern house --count"
	(trap - EXIT; exec $launch "$GEMP_MPI" match $long --count-by enumerate --checkpoint c >out 2>err) &
	pid=$!
	for ((i = 0; i < 300; i++)); do [ -e c/lock ] && break; sleep 0.05; done
	kill -$signal $pid
	wait $pid
	equal $? 75 "exit code after SIG$signal"
	grep -q "stopped by SIG$signal with" err || fail "the message does not name SIG$signal: $(cat err)"
	[ $signal = USR2 ] || continue
	expect 0 2 match $long --count-by enumerate --checkpoint c --resume --json - -q
	equal "$(field matches)" "$matches" "matches after SIG$signal"
done
rm -rf c
(trap - EXIT; exec "$GEMP_MPI" match $long --count-by enumerate >out 2>err) & pid=$!
sleep 0.3
kill -TERM $pid; wait $pid
equal $? 143 "exit code of a search without checkpoints"

# Only one job at a time may use a folder.
stops 1 $count
exec 8<>c/lock
flock 8
(trap - EXIT; exec timeout -k 10 60 "$GEMP_MPI" match $count --checkpoint c --resume >out 2>err 8>&-) & pid=$!
for ((i = 0; i < 600; i++)); do grep -q "another job is at work there; waiting" err && break; sleep 0.05; done
exec 8>&-
wait $pid
equal $? 0 "exit code of the job that waited"
says "another job is at work there; waiting"

refused() { local text=$1; shift; one 2 match "$@" --checkpoint c; says "$text"; [ ! -e c ] || fail "a refused command made a folder"; }
refused "does not go with limit" $count --limit 3
refused "does not go with profile" $count --profile
refused "does not go with estimate" g.h5 --pattern cycle:4 --estimate
refused "does not go with subgraph" m.h5 "$query" --subgraph s.h5
refused "name a file that ends in .tsv" m.h5 "$query" -o rows.h5
refused "name a file that ends in .tsv" m.h5 "$query" -o -
refused "does not go with LIMIT" m.h5 "MATCH (a)-[:ACTS_IN]->(m) RETURN a.name LIMIT 3"
refused "does not go with WITH, DISTINCT, aggregates and ORDER BY" m.h5 "MATCH (a)-[:ACTS_IN]->(m) RETURN a.name, count(*)"
refused "does not go with WITH, DISTINCT, aggregates and ORDER BY" m.h5 "MATCH (a)-[:ACTS_IN]->(m) RETURN a.name ORDER BY a.name"
refused "is for one search" m.h5 "MATCH (a)-[:ACTS_IN*1..2]->(m) RETURN a.name"
refused "is for one query" g.h5 --pattern motifs:3
one 2 match $count --checkpoint c --symmetry hash
says "deduplicated by a hash over the whole search"
one 2 match $count --resume
says "--resume needs --checkpoint FOLDER"
one 2 match $count --max-time 3
says "--max-time needs --checkpoint FOLDER"
one 74 match $count --checkpoint no/such/folder
says "checkpoint no/such/folder: No such file or directory"

finish
