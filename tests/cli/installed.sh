#!/usr/bin/env bash
# Tests the scripts and configurations that `cmake --install` puts into PREFIX/share/gemp-mpi: they work from there with the
# installed program, without a source tree and without a PATH to the program. The job templates run under a pretended SLURM
# job; tests/slurm/templates_long.sh runs them under a real SLURM.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"

prefix=$work/prefix share=$work/prefix/share/gemp-mpi
cmake --install "$(dirname "$GEMP_MPI")" --prefix "$prefix" >"$work/install.log" 2>&1 || fail "cmake --install: $(tail -1 "$work/install.log")"
mkdir "$work/run"
cd "$work/run" || exit 1
reference=$GEMP_MPI
unset GEMP_MPI GEMP_SOURCE_DIR GEMP_BUILD
export GEMP_MPIRUN OMPI_MCA_rmaps_base_oversubscribe=1 PYTHONDONTWRITEBYTECODE=1
for name in setup.sh test.sh house.py; do
	[ ! -e "$share/jobs/$name" ] || fail "$name is installed, but needs the source tree"
done

# installed CODE SCRIPT ARGUMENTS...: runs an installed script and checks its exit code
installed() {
	local wanted=$1 script=$2; shift 2
	timeout "${GEMP_TEST_LIMIT:-240}" bash "$share/jobs/$script" "$@" >"$work/out" 2>"$work/err" </dev/null
	code=$?
	[ "$code" -eq "$wanted" ] || { fail "code $code, not $wanted: $script $*"; sed 's/^/    /' "$work/out" "$work/err" >&2; }
}

# job CODE TEMPLATE ARGUMENTS...: runs a template as a job of two ranks would
job() { SLURM_JOB_ID=7 SLURM_NTASKS=2 GEMP_LAUNCH=mpirun installed "$@"; }

# of FILE FIELD: prints a field of a JSON report
of() { "$GEMP_PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

installed 0 quickstart.sh generate movies --films 60 --people 200 -o movies.h5 -q
grep -q "mpirun.* $prefix/bin/gemp-mpi" "$work/out" || fail "quickstart.sh does not run the installed program: $(cat "$work/out")"
grep -q Building "$work/out" && fail 'quickstart.sh builds'

# A configuration finds the query file beside it.
"$prefix/bin/gemp-mpi" match movies.h5 --config "$share/configs/casts.conf" --count --json casts.json -q >"$work/log" 2>&1 ||
	fail "casts.conf: $(cat "$work/log")"
"$reference" match movies.h5 "$(cat "$share/configs/casts.cypher")" --semantics iso --distinct orbit --count --json same.json -q >"$work/log" 2>&1
equal "$(of casts.json matches)" "$(of same.json matches)" 'matches of casts.conf'
[ "$(of casts.json matches)" -gt 0 ] || fail 'casts.conf has no match, so the comparison says nothing'

# Every template runs with the program of its prefix.
printf 'id\ttype\n1\tA\n2\tA\n3\tA\n' >v.tsv
printf 'src\tdst\n1\t2\n2\t3\n3\t1\n' >e.tsv
printf 'a\tb\n1\t2\n2\t1\n5\t6\n6\t5\n' >samples.tsv
printf '%s\n' 'RULE turn MATCH (a)-[e]->(b) CREATE (b)-[:BACK]->(a)' 'RUN turn' >turn.rules
job 0 import.sbatch --vertices v.tsv --edges e.tsv -o g.h5 --json import.json -q
equal "$(of import.json ranks)" 2 'ranks of import'
job 0 match.sbatch movies.h5 --config "$share/configs/casts.conf" --count --json job.json -q
equal "$(of job.json matches)" "$(of casts.json matches)" 'matches of the job'
job 0 transform.sbatch g.h5 turn.rules -o turned.h5 --json turn.json -q
job 0 euler.sbatch g.h5 --verify -o circuit.tsv -q
equal "$(wc -l <circuit.tsv)" 4 'lines of the circuit'
job 0 analytics.sbatch pagerank g.h5 -o ranks.tsv -q
equal "$(wc -l <ranks.tsv)" 4 'lines of the ranks'
job 0 som.sbatch train samples.tsv --size 2x2 --epochs 2 -o map.h5 -q
job 2 som.sbatch train samples.tsv --size 2x2 --epochs 2 -o map.h5 -q
says 'map.h5 exists'
SLURM_RESTART_COUNT=1 job 0 som.sbatch train samples.tsv --epochs 4 -o map.h5 -q
job 0 som.sbatch apply map.h5 samples.tsv -o units.tsv -q
printf '%s\n' '--pattern triangle --count' 'MATCH (a)-->(b) RETURN a' >queries.txt
SLURM_ARRAY_TASK_ID=2 job 0 array.sbatch g.h5 queries.txt -q -o rows-%a.tsv
equal "$(wc -l <rows-2.tsv)" 4 'lines of the second job of the array'
[ -z "$(find . -name '*.checkpoint')" ] || fail 'a checkpoint is left'

# A job that SLURM starts again continues from the checkpoint that its arguments name. A job of another start does not.
counting=(movies.h5 --config "$share/configs/casts.conf" --count --count-by enumerate --checkpoint=own --json job.json -q)
job 75 match.sbatch "${counting[@]}" --max-time 0.000001
job 2 match.sbatch "${counting[@]}"
says 'there is one of an earlier job'
SLURM_RESTART_COUNT=1 job 0 match.sbatch "${counting[@]}"
equal "$(of job.json matches)" "$(of casts.json matches)" 'matches of the job that started again'

# Wrong use is explained.
for template in import match transform euler analytics som array scaling; do
	job 2 $template.sbatch
	says 'usage: sbatch'
done
job 2 analytics.sbatch degree g.h5
GEMP_LAUNCH=ssh SLURM_JOB_ID=7 installed 2 match.sbatch g.h5
says 'is neither srun nor mpirun'
mkdir alone
cp "$share"/jobs/{slurm,program}.sh "$share/jobs/match.sbatch" alone
PATH=/usr/bin:/bin SLURM_JOB_ID=7 timeout 60 bash alone/match.sbatch g.h5 >"$work/out" 2>"$work/err"
equal $? 69 'code without a program'
says 'set GEMP_MPI to its path'

# Studies and experiments know the program, too.
installed 0 scaling-study.sh strong --graph movies.h5 --ranks 1,2 --dry-run -- --pattern triangle --count
grep -q "$prefix/bin/gemp-mpi match movies.h5" "$work/out" || fail "scaling-study.sh uses another program: $(cat "$work/out")"
job 0 scaling.sbatch strong --engine euler --scale 5 --ranks 1,2 --repeat 1 -o study
[ -s study/strong.json ] || fail 'scaling.sbatch wrote no study'
DIGITS=2 installed 0 pins.sh pins.txt
grep -q '^101 keys to press, 100 different PINs of 2 digits' "$work/out" || fail "pins.sh: $(cat "$work/out")"
finish
