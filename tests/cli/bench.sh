# bench: repeated queries, the rates of a device, and launch shapes from a tuning file.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
export XDG_CONFIG_HOME=$work/config
unset GEMP_TUNING
expect 0 1 generate rmat --scale 8 --seed 5 -o g.h5 -q
expect 0 1 match g.h5 --pattern cycle:4 --count --json - -q
matches=$(field matches) embeddings=$(field embeddings)

# one_query: replaces the last report by the part of its only query
one_query() {
	"$GEMP_PYTHON" -c 'import json
[one] = json.load(open("out"))["queries"]
json.dump(one, open("out", "w"))' || fail 'the report has no single query'
}

# match: every run has the same count, and the times are in order
for ranks in 1 3; do
	for by in auto enumerate; do
		expect 0 $ranks bench match g.h5 --pattern cycle:4 --count-by $by --repeat 3 --json - -q
		one_query
		equal "$(field matches) $(field embeddings) $(field runs)" "$matches $embeddings 3" "counts by $by on $ranks ranks"
		"$GEMP_PYTHON" - out <<-'END' || fail "wrong times of $by on $ranks ranks"
			import json, sys
			report = json.load(open(sys.argv[1]))
			for name in 'kernel_ms', 'prepare_ms', 'run_ms', 'cpu_ms':
			    time = report[name]
			    assert 0 <= time['min'] <= time['median'] <= time['max'], name
			assert 0 < report['kernel_ms']['median'] and report['first_ms'] > report['first_prepare_ms'] >= 0
		END
	done
done
for on in host device; do
	expect 0 1 bench match g.h5 --pattern cycle:4 --count-by enumerate --on $on --repeat 1 --json - -q
	one_query
	equal "$(field matches) $(($(field launches) > 0))" "$matches $([ $on = host ]; echo $?)" "count and launches of --on $on"
done
expect 0 1 bench match g.h5 'MATCH (a)-[]-(b)-[]-(c)-[]-(a)' --repeat 0 --json - -q
one_query
equal "$(field runs)" 1 'runs if the first run is the only run'
expect 0 1 bench match g.h5 --pattern house --seconds 0.000001 --json - -q
one_query
equal "$(field runs)" 1 'runs if the first run exceeds the limit'
expect 2 1 bench match g.h5
says 'bench match needs a query'
expect 0 2 bench match g.h5 'MATCH (a)-[]-(b)' --pattern triangle --pattern cycle:4 --repeat 1 --json - -q
queries=$("$GEMP_PYTHON" -c 'import json
print(*(q["query"].split("\n")[0] for q in json.load(open("out"))["queries"]), sep=", ")')
equal "$queries" 'triangle, cycle:4, MATCH (a)-[]-(b)' 'order of the queries'
printf 'MATCH (a)-[]-(b)-[]-(c) WHERE id(a) < $top;\n\nMATCH (a)-[]-(b)\n' >two.cypher
expect 0 2 bench match g.h5 --query-file two.cypher --param top=100 --pattern cycle:4 --repeat 1 --json - -q
queries=$("$GEMP_PYTHON" -c 'import json
print(*(q["query"].split("\n")[0] for q in json.load(open("out"))["queries"]), sep=", ")')
equal "$queries" 'cycle:4, MATCH (a)-[]-(b)-[]-(c) WHERE id(a) < $top, MATCH (a)-[]-(b)' 'queries of a file'
equal "$(field queries.0.matches)" "$matches" 'count beside the queries of a file'
counted=$(field queries.1.matches)
expect 0 1 match g.h5 'MATCH (a)-[]-(b)-[]-(c) WHERE id(a) < 100' --count --json - -q
equal "$(field matches)" "$counted" 'count of a query of a file'
expect 2 1 bench match g.h5 --query-file two.cypher
says '$top'
expect 2 1 bench match g.h5 --pattern triangle --param top=100
says 'there is none'
expect 66 1 bench match g.h5 --query-file none.cypher
expect 2 1 bench match g.h5 --pattern triangle --pattern pentagonn --json - -q
says 'pentagonn'
expect 2 3 bench mach g.h5 --pattern triangle
says 'bench needs match G.h5 QUERY, or match G.h5 --query-file FILE, or match G.h5 --pattern NAME..., or match G.h5 --query-graph FILE..., or tune [G.h5], or device, or shuffle'
expect 2 1 bench device g.h5
says 'or device, or shuffle'

# device: rates above 0
expect 0 1 bench device --json - -q
"$GEMP_PYTHON" -c 'import json, sys
r = json.load(open("out"))
sys.exit(not (r["copy_bytes_per_second"] > 1e6 and r["launch_us"] > 0 and r["empty_kernel_us"] >= 0))' || fail 'wrong rates of the device'

# Reports of other commands compare their rate with that of `bench device`, if that was kept.
expect 0 1 generate rmat --scale 14 --seed 5 -o large.h5 -q
for ranks in 1 2; do
	expect 0 $ranks bench device -q
	expect 0 $ranks pagerank large.h5 --tolerance 1e-9 --json - -q
	"$GEMP_PYTHON" -c 'import json, sys
sys.exit(not json.load(open("out"))["bandwidth_share"] > 0)' || fail "no bandwidth_share on $ranks ranks"
done
GEMP_CACHE_DIR='' expect 0 1 edges large.h5 --on device --json - -q
equal "$(field rate.copy_bytes_per_second)" None 'rate of a copy that was not kept'

# tune: the result goes to the file that later runs read by default, or to --output
expect 0 1 bench tune -q
file=$(ls config/gemp-mpi/tuning/*.conf) || fail 'bench tune wrote no file'
expect 0 1 bench device --json - -q
equal "$(field tuning)" "$work/$file" 'file in use'
expect 0 1 bench tune g.h5 -o here.conf --json report.json -q
"$GEMP_PYTHON" -c 'import json
report = json.load(open("report.json"))
for name in "sort", "distinct", "edges", "degrees", "reverse", "components":
    assert all(s["host_ms"] > 0 and s["device_ms"] > 0 for s in report[name + ".host_below"]["sizes"]), name' || fail 'wrong times in the report of bench tune'
[ -s here.conf ] || fail 'here.conf was not written'
export GEMP_TUNING=$work/here.conf
expect 0 1 bench device --json - -q
equal "$(field tuning)" "$work/here.conf" 'file that GEMP_TUNING names'
expect 2 3 bench tune
says 'run it with one rank'
printf '# mine\n\nnested.lane = 4\n' >here.conf
expect 2 3 bench device
says 'here.conf:3: there is no tuning of the name nested.lane; did you mean nested.lanes?'
equal "$(grep -c '^gemp-mpi: error:' err)" 1 'number of messages'
rm here.conf
expect 66 2 bench device
says 'here.conf: No such file'
finish
