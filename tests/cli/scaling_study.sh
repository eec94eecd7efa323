#!/bin/bash
# Tests jobs/scaling-study.sh: runs, tables, plots or a message that there are none, predictions, and refusals.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
study=$GEMP_SOURCE_DIR/jobs/scaling-study.sh
export GEMP_PYTHON GEMP_MPI GEMP_MPIRUN PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1
how=(--pattern triangle --count --count-by enumerate --devices cpu)

# scaling CODE ARGUMENTS...: runs the script and checks its exit code
scaling() {
	local wanted=$1; shift
	timeout 120 bash "$study" "$@" >out 2>err </dev/null
	code=$?
	[ "$code" -eq "$wanted" ] || { fail "code $code, not $wanted: scaling-study.sh $*"; sed 's/^/    /' err >&2; }
}
# value FILE PATH: prints a value of a JSON file
value() { "$GEMP_PYTHON" -c 'import json, sys; v = json.load(open(sys.argv[1]))
for part in sys.argv[2].split("."): v = v[int(part) if isinstance(v, list) else part]
print(v)' "$1" "$2"; }

# A dry run prints the commands and runs nothing, also under SLURM.
scaling 0 weak --scale 6 --ranks 1,2 --repeat 1 --no-profile -o s -n --launcher 'srun --mpi=pmix' -- "${how[@]}"
[ ! -e s ] || fail 'a dry run left a folder'
equal "$(grep -c ' generate rmat --scale [67] ' out)" 2 'graphs that a dry run makes'
equal "$(grep -c '^srun --mpi=pmix -n [12] .* match s/graphs/rmat-[67]-8.h5 --pattern' out)" 2 'runs of a dry run'

# Every engine has its input, its command and, in weak studies, an input that grows.
scaling 0 weak --engine all --scale 6 --ranks 1,2 --repeat 1 --no-profile -o s -n
for engine in match import transform euler bfs sssp pagerank spmv; do
	equal "$(grep -cE " -n 1 .*gemp-mpi $engine s/$engine/graphs/" out)" \
		$(case $engine in bfs | sssp | pagerank | spmv) echo 2 ;; *) echo 1 ;; esac) "runs of $engine with one rank"
	equal "$(grep -cE " -n 2 .*gemp-mpi $engine s/$engine/graphs/" out)" 1 "runs of $engine with two ranks"
done
equal "$(grep -c 'gemp-mpi som train s/som/graphs/vectors-128-16.tsv' out)" 1 'runs of som with two ranks'
equal "$(grep -c 'gemp-mpi generate' out)" 16 'graphs of two sizes'
scaling 2 strong --engine all -- --count
says 'leave out --graph'
scaling 2 weak --engine euler --generator rmat --ranks 1,2
says '--generator rmat: euler needs eulerian'
scaling 2 strong --engine pagerank --outboxes 16
says 'pagerank has no --outbox'
scaling 2 strong --engine dfs
export GEMP_GNUPLOT=no-gnuplot
for engine in import euler pagerank; do
	scaling 0 strong --engine $engine --scale 7 --ranks 1,3 --repeat 1 -o e-$engine
	equal "$(value e-$engine/strong.json engine)" $engine engine
	equal "$(value e-$engine/strong.json points.0.answer)" "$(value e-$engine/strong.json points.1.answer)" "answers of $engine"
	equal "$(value e-$engine/strong.json points.0.efficiency)" 1.0 "efficiency of one rank of $engine"
	[ "$(value e-$engine/strong.json points.1.work)" -ge 128 ] || fail "too little work of $engine"
	[ -z "$(find e-$engine -name 'written-by-*')" ] || fail "a file that $engine wrote is left"
done
equal "$(value e-euler/strong.json points.0.answer)" 'circuit of 1024 edges' 'answer of euler'
printf 'RULE none MATCH (a)-[:E]-(b) WHERE id(a) < 0 CREATE (a)-[:N]->(b)\nRUN none\n' >none.rules
scaling 0 strong --engine transform --graph e-import/graphs/rmat-7-8.h5 --ranks 1,2 --repeat 1 -o e-own -- none.rules --seed 3
equal "$(value e-own/strong.json runs.0.command | grep -c 'none.rules --seed 3 --output')" 1 'rules of the user'
scaling 1 predict e-euler/strong.json e-import/strong.json
says 'of different engines: euler, import'
unset GEMP_GNUPLOT

# A small study of each kind. Without gnuplot nothing is drawn.
GEMP_GNUPLOT=no-gnuplot \
	scaling 0 strong --scale 8 --ranks 1,2 --repeat 1 -o s -- "${how[@]}"
equal "$(grep -c 'no no-gnuplot here' err)" 1 'words on what is not drawn'
says '[3/3]'
[ ! -e s/strong-speedup.svg ] || fail 'a plot exists although there is no gnuplot'
equal "$(wc -l <s/strong.csv)" 3 'lines of the table of runs'
equal "$(value s/strong.json points.0.efficiency)" 1.0 'efficiency of one rank'
equal "$(value s/strong.json points.0.answer)" "$(value s/strong.json points.1.answer)" 'matches'
grep -q 'No predictions: they need 3 points' out || fail 'a single point gave predictions'
equal "$(value s/strong.json work_unit)" entries_read 'unit of work'
for fact in cpu cores memory_bytes date mpi program launcher devices.0.name; do
	[ -n "$(value s/strong.json machine.$fact)" ] || fail "the machine has no $fact in the report"
done

scaling 0 weak --generator uniform --scale 7 --ranks 1,3 --outboxes 16,512 --repeat 1 -o s \
	-- "${how[@]}" --replicate none
equal "$(wc -l <s/weak.csv)" 5 'lines of the table of runs'
equal "$(value s/weak.json points.1.vertices)" 384 'vertices for three ranks'
equal "$(value s/weak.json points.1.room)" 16 'message size'
if command -v gnuplot >/dev/null; then
	for plot in speedup efficiency phases; do
		grep -q '<svg' s/weak-$plot.svg || fail "the plot $plot is missing as SVG"
		[ -s s/weak-$plot.png ] || fail "the plot $plot is missing as PNG"
	done
fi

scaling 0 plot s/strong.json -o plots
! command -v gnuplot >/dev/null || [ -s plots/strong-phases.svg ] || fail 'no plot of an earlier study'

scaling 0 predict s/strong.json s/weak.json --latency 2e-6 --bandwidth 1e10 -o s
grep -q '^  weak  *4096 ' out || fail 'no prediction for 4,096 ranks'
grep -q 'held out' out || fail 'no held-out run'
equal "$(value s/model.json predicted.6.ranks)" 4096 'ranks predicted'
equal "$(value s/model.json bandwidth)" 10000000000.0 'bandwidth'

# Errors are reported, and the results of good runs are kept.
launched=(strong --graph s/graphs/rmat-8-8.h5 --ranks 1,2 --repeat 1 --no-profile -o t --launcher "bash $work/launch")
scaling 1 "${launched[@]}" -- "${how[@]}"
says 'no run ended well'
printf 'shift\nranks=$1; shift\n[ "$ranks" = 1 ] || { echo no such node >&2; exit 1; }\nexec "$@"\n' >launch
scaling 1 "${launched[@]}" -- "${how[@]}"
says '2 ranks, run 1: no such node'
equal "$(wc -l <t/strong.csv)" 2 'lines beside a run that failed'
printf 'exec sleep 30\n' >launch
scaling 1 "${launched[@]}" --limit 1 -- "${how[@]}"
says '1 rank, run 1: over 1 s'
scaling 1 strong --graph s/graphs/rmat-8-8.h5 --ranks 1 --budget 0 -o t -- "${how[@]}"
says 'the budget of 0 s is spent: 4 of 4 runs were not made'
scaling 2 strong --ranks 1,x -- --pattern triangle
says "'1,x' is not a list of positive numbers"
scaling 2 strong --ranks 1,2
says 'what is to be matched?'
scaling 1 weak --ranks 1,3 -- --pattern triangle
says 'must be powers of two'
scaling 2 weak --graph s/graphs/rmat-8-8.h5 -- --pattern triangle
scaling 1 predict nothing.json
says 'nothing.json is no study'
finish
