# Tests transform: the change log and errors in it, drawings, and runs that stop and continue.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
# alone CODE ARGUMENTS...: like expect with one rank, without mpirun.
alone() {
	local wanted=$1; shift
	timeout -k 10 60 "$GEMP_MPI" "$@" >"$work/out" 2>"$work/err" </dev/null
	equal $? "$wanted" "code of gemp-mpi $*"
}

tsv v.tsv 'id type x:int' 'a P 1' 'b P 2' 'c P;Q 3' 'd Q 4'
tsv e.tsv 'src dst type w:int' 'a b K 1' 'a b K 1' 'a b K 5' 'b c K 2' 'c d M 3' 'd d M 4'
alone 0 import --vertices v.tsv --edges e.tsv -o g.h5 -q
cat >r.rules <<'END'
RULE link MATCH (p:P)-[k:K {w: 5}]->(q) CREATE (p)-[:L {z: 1.5}]->(n:N {y: p.x, s: 'é"'}) SET k.w = NULL, q:Z, n:O
RULE gone MATCH (p:Q {x: 4}) DETACH DELETE p
RULE join MATCH (p:N)<-[:L]-(q) MERGE q INTO p
RUN link; gone; join
END

# The log, line by line.
expect 0 3 transform g.h5 r.rules -o h.h5 --changes c.jsonl --json -
equal "$(field rules.0.created.vertices) $(field rules.0.created.edges) $(field rules.0.set)" '1 1 2' 'created and set'
equal "$(field rules.1.deleted.vertices) $(field rules.1.deleted.edges)" '1 2' 'deleted'
equal "$(field rules.2.deleted.vertices) $(field rules.2.deleted.edges)" '1 0' 'merged'
equal "$(field changes.lines)" 12 'lines'
hash=$(field graph.hash)
cat >wanted.jsonl <<'END'
{"step":1,"rule":"link","applied":1}
{"match":1,"change":"create vertex","key":"#1","labels":["N","O"],"attributes":{"y":1,"s":"é\""}}
{"match":1,"change":"create edge","type":"L","source":"a","target":"#1","attributes":{"z":1.5}}
{"match":1,"change":"set edge","type":"K","source":"a","target":"b","attributes":{"w":5},"name":"w","value":null,"was":5}
{"match":1,"change":"add labels","key":"b","labels":["Z"]}
{"step":2,"rule":"gone","applied":1}
{"match":1,"change":"delete edge","type":"M","source":"c","target":"d","attributes":{"w":3}}
{"match":1,"change":"delete edge","type":"M","source":"d","target":"d","attributes":{"w":4}}
{"match":1,"change":"delete vertex","key":"d","labels":["Q"],"attributes":{"x":4}}
{"step":3,"rule":"join","applied":1}
{"match":1,"change":"move edge","type":"K","source":"a","target":"b","to":{"type":"K","source":"#1","target":"b"}}
END
head -n 12 c.jsonl | tail -n +2 | cmp - wanted.jsonl || fail "other lines: $(cat c.jsonl)"
equal "$(grep -c '"n":2,"attributes":{"w":1},"to"' c.jsonl)" 1 'the second of two equal edges'
tail -n 1 c.jsonl | grep -q "^{\"end\":3,\"lines\":12,\"graph\":\"$hash\",\"vertices\":3," || fail "foot: $(tail -n 1 c.jsonl)"

# Replay, also of a compressed log.
gzip -k c.jsonl
for log in c.jsonl c.jsonl.gz; do
	expect 0 2 transform g.h5 $log -o again.h5 --json -
	equal "$(field graph.hash) $(field steps) $(field replayed)" "$hash 3 12" "replay of $log"
done
alone 0 transform h.h5 r.rules -o same.h5 --changes none.jsonl -q
equal "$(wc -l <none.jsonl)" 2 'a log of nothing'
alone 0 transform h.h5 none.jsonl -o again.h5 --json -
equal "$(field graph.hash)" "$hash" 'replay of nothing'

# wrong RANKS SCRIPT PLACE TEXT: refuses a log that the sed script changed, with this position and text, and writes no
# graph
wrong() {
	sed "$2" c.jsonl >m.jsonl
	rm -f m.h5
	if [ "$1" = 1 ]; then alone 65 transform g.h5 m.jsonl -o m.h5; else expect 65 "$1" transform g.h5 m.jsonl -o m.h5; fi
	says "m.jsonl:$3: "
	says "$4"
	equal "$(grep -c error: err)" 1 'messages'
	[ ! -e m.h5 ] || fail "a graph in spite of: $4"
}
alone 65 transform h.h5 c.jsonl -o m.h5
says 'c.jsonl:1: the log was written for the graph with hash'
wrong 1 '$d' 16 'the log is incomplete: its last line is no foot'
wrong 1 '3d' 16 'the foot counts 12 changes, and there are 11'
wrong 3 '3s/"change"/change/' 3 'column'
wrong 1 '3s/create vertex/make vertex/' 3 "\"change\" is 'make vertex', which is none that this version knows"
wrong 1 '3s/"#1"/7/' 3 '"key" is an integer; keys of this graph are strings'
wrong 1 '3s/"#1"/"a"/' 3 "vertex 'a' cannot be created, since it exists"
wrong 2 '6s/"b"/"x"/' 6 "there is no vertex 'x' in step 1"
wrong 1 '5s/"w":5}/"w":6}/' 5 "there is no edge K from 'a' to 'b' with these attributes before step 1"
wrong 3 '5s/"was":5/"was":6/' 5 "'w' of the edge from 'a' has another value than the log says it was before step 1"
wrong 1 '5s/"name":"w"/"name":"u"/' 5 "attribute 'u' is not in the foot of the log"
wrong 1 '5s/"value":null/"value":"u"/' 5 "attribute 'w' is of type integer in the foot of the log, and a value is a string"
wrong 1 '12s/"to":{"type":"K","source":"#1","target":"b"/"to":{"type":"K","source":"#1","target":"e"/' 12 "the edge's target 'e' is not among the vertices"
wrong 1 '6s/"Z"/"Y"/' 17 'and the changed graph has'
wrong 1 '1s/"changes":1/"changes":9/' 1 'the log has form 9'
wrong 1 '2d' 2 'this change has no step before it'
wrong 1 '1s/.*/{}/' 1 'this is not the head of a change log'
alone 2 transform g.h5 c.jsonl -o m.h5 --changes n.jsonl
says '--changes has no effect on a change log'
alone 2 transform g.h5 r.rules -o m.h5 --changes -
says 'changes -: this cannot be written to stdout; name a file'
alone 2 transform g.h5 r.rules -o -
says '--output -: this cannot be written to stdout; name a file'
alone 74 transform g.h5 r.rules -o m.h5 --changes no/such/folder.jsonl
says 'changes no/such/folder.jsonl: cannot write to folder'

# Drawings.
for ranks in 1 3; do expect 0 $ranks transform g.h5 r.rules -o h.h5 --dot d$ranks.dot -q; done
cmp d1.dot d3.dot || fail 'the drawing depends on the number of ranks'
alone 0 transform g.h5 c.jsonl -o h.h5 --dot d.dot -q
cmp d1.dot d.dot || fail 'the drawing of a replay'
grep -q 'label="d\\n:Q\\nx: 4", color="#c0392b"' d.dot || fail 'a deleted vertex is not red'
grep -q 'label="#1\\n:N:O\\ny: 1\\ns: é\\"", color="#1e8449"' d.dot || fail 'a created vertex is not green'
grep -q 'label="b\\n:P:Z\\nx: 2", color="#b26a00"' d.dot || fail 'a changed vertex is not amber'
if command -v dot >/dev/null; then dot -Tsvg d.dot >d.svg || fail 'Graphviz does not take the drawing'; fi
alone 0 generate rmat -o large.h5 --scale 10 -q
echo 'RULE r MATCH (a)-[e]->(b) DELETE e RUN ONE r' >one.rules
alone 65 transform large.h5 one.rules -o m.h5 --dot m.dot
says 'are too many to draw (at most 2000)'
[ ! -e m.h5 ] || fail 'a graph without its drawing'

# A run that stops and continues does at least one step, whatever the time limit.
alone 0 transform g.h5 r.rules -o h.h5 --changes c.jsonl -q
job() { local wanted=$1 ranks=$2; shift 2; expect "$wanted" "$ranks" transform g.h5 r.rules -o r.h5 --changes r.jsonl --checkpoint k "$@"; }
job 75 1 --max-time 0.001 --json -
says 'stopped by max-time after 1 step; the same rules with checkpoint k and resume go on'
equal "$(field complete) $(field steps)" 'False 1' 'a run that stopped'
[ ! -e r.h5 ] && [ ! -e r.jsonl ] || fail 'something is written of a run that is not done'
job 2 1
says 'checkpoint k: there is one of an earlier job'
job 75 3 --resume --max-time 0.001
job 2 2 --resume --seed 2
says "the checkpoint in k has another seed, '1' and not '2'"
alone 2 transform g.h5 one.rules -o r.h5 --changes r.jsonl --checkpoint k --resume
says 'the checkpoint in k has another rules'
alone 2 transform h.h5 r.rules -o r.h5 --changes r.jsonl --checkpoint k --resume
says 'the checkpoint in k has another graph'
alone 2 transform g.h5 r.rules -o r.h5 --checkpoint k --resume
says "the checkpoint in k has another changes, 'written' and not 'none'"
job 0 2 --resume --json -
equal "$(field checkpoint.jobs) $(field steps) $(field rules.0.created.vertices)" '3 3 1' 'jobs, steps, created'
cmp h.h5 r.h5 || fail 'another graph after stops'
cmp c.jsonl r.jsonl || fail 'another log after stops'
[ ! -e k ] || fail "a folder is left of a run that is done: $(ls k)"
alone 2 transform g.h5 r.rules -o r.h5 --max-time 3
says '--max-time needs --checkpoint FOLDER'
alone 2 transform g.h5 r.rules -o r.h5 --checkpoint k --dot r.dot
says 'dot does not go with checkpoint'

# Undirected edges without attributes keep the direction in which rules created them, since it orders the matches and the
# lines of the log, and an edge that gets an attribute later has it.
for ((i = 0; i < 40; i++)); do echo "$i $(((i * 7 + 3) % 40))"; echo "$i $(((i + 1) % 40))"; done >u.txt
alone 0 import u.txt --undirected -o u.h5 -q
cat >u.rules <<'END'
RULE link MATCH (a)-[e:E]-(b) CREATE (b)-[:U]->(a), (b)-[:U]->(a)
RULE cut MATCH (a)-[e:U]-(b), (b)-[:U]-(c) SET c.n = 1 DELETE e
RULE mark MATCH (a)-[e:U]-(b) SET e.x = a.n
RUN link; cut; link; cut; mark
END
alone 0 transform u.h5 u.rules -o h.h5 --changes c.jsonl -q
equal "$(grep -c '"rule"' c.jsonl)" 5 'steps that applied matches'
job() { expect "$1" "$2" transform u.h5 u.rules -o r.h5 --changes r.jsonl --checkpoint k --resume --max-time 0.000001 -q; }
job 75 1; job 75 3; job 75 2; job 75 1; job 0 2
cmp h.h5 r.h5 || fail 'another graph of undirected edges after stops'
cmp c.jsonl r.jsonl || fail 'another log of undirected edges after stops'

# Signals stop a run of rules that would never end.
echo 'RULE more MATCH (p:P) SET p.x = p.x + 1 RUN more*' >r.rules
(trap - EXIT; exec "$GEMP_MPI" transform g.h5 r.rules -o r.h5 >out 2>err) & pid=$!
sleep 0.5
kill -TERM $pid; wait $pid
equal $? 143 'code of a run that keeps nothing'
for launch in "" "$GEMP_MPIRUN -n 2"; do
	rm -rf k
	(trap - EXIT; exec $launch "$GEMP_MPI" transform g.h5 r.rules -o r.h5 --checkpoint k >out 2>err) & pid=$!
	for ((i = 0; i < 300; i++)); do [ -e k/lock ] && break; sleep 0.05; done
	kill -USR2 $pid
	wait $pid
	equal $? 75 'code after SIGUSR2'
	grep -q 'stopped by SIGUSR2 after' err || fail "no word of SIGUSR2: $(cat err)"
done
finish
