#!/usr/bin/env bash
# Tests the job templates on a real SLURM: jobs are submitted with srun, with mpirun and as an array, stopped by the
# time limit, cancelled, requeued, and lose a node. Each search ends with the count of an undisturbed search. The output
# is a transcript.
#
# Needs root and SLURM (Debian: slurm-wlm, munge). If these are missing, GEMP_SLURM_INSTALL=yes installs them; otherwise
# the test is skipped.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
here=$GEMP_SOURCE_DIR/tests/slurm jobs=$GEMP_SOURCE_DIR/jobs
export PATH=$PATH:/usr/sbin GEMP_MPI

[ "$(id -u)" -eq 0 ] || skip "not root"
if ! command -v slurmctld >/dev/null && [ "${GEMP_SLURM_INSTALL:-}" = yes ]; then
	apt-get -qq install -y --no-install-recommends slurm-wlm munge >/dev/null 2>&1 || skip "slurm-wlm and munge cannot be installed"
fi
for tool in slurmctld slurmd munged sbatch srun; do command -v $tool >/dev/null || skip "no $tool"; done
unshare --mount --uts true 2>/dev/null || skip "no namespaces"

cd "$work"
chmod 755 "$work" # the daemon munged runs as another user
bed=$work/bed
"$here/bed.bash" up "$bed" || { cat "$bed"/log/* >&2; fail "no SLURM"; finish; }
trap '"$here/bed.bash" down "$bed"; rm -rf "$work"' EXIT
. "$bed/env"
# The harness names parts of Open MPI that work on one node only.
unset OMPI_MCA_pml OMPI_MCA_btl OMPI_MCA_coll OMPI_MCA_osc OMPI_MCA_io OMPI_MCA_ess_singleton_isolated

# show COMMAND...: prints the command as a user would type it, runs it, and prints its output.
show() { echo "\$ $*"; "$@" 2>&1; }
title() { printf '\n== %s\n' "$*"; }
report() { sed 's/^/    /' "$1" | grep -vE '^    $|  0\.000  |phase  ' | cut -c 1-150; }

# submit [OPTIONS OF SBATCH] TEMPLATE ARGUMENTS...: submits a job and sets $id.
submit() { echo "\$ ${GEMP_LAUNCH:+GEMP_LAUNCH=$GEMP_LAUNCH }${GEMP_CHECKPOINT:+GEMP_CHECKPOINT=$GEMP_CHECKPOINT }sbatch $*" | sed "s,$jobs,jobs,"; id=$(sbatch --parsable "$@"); }
state() { scontrol -o show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | head -n 1; }
restarts() { scontrol -o show job "$1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p'; }
running() { local i; for ((i = 0; i < 600; i++)); do [ "$(state "$1")" != RUNNING ] || return 0; sleep 0.1; done; fail "job $1 does not run"; }

# ended ID: waits for the last state of the job and prints it. A requeued job has not ended.
ended() {
	local i now before=
	for ((i = 0; i < 1800; i++)); do
		now=$(state "$1")
		case $now in
		COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) [ "$now" != "$before" ] || break ;;
		esac
		before=$now
		sleep 0.5
	done
	echo "    job $1: $now, $(restarts "$1") restarts, $(scontrol -o show job "$1" | grep -o 'ExitCode=[0-9:]*')"
	[ "$now" = "$2" ] || { fail "job $1 is $now, not $2"; cat gemp-"$1".out >&2; }
}
finished() { sed -n 's/^ *"finished": "\([0-9]*\)".*/\1/p' "gemp-$1.checkpoint/checkpoint.json" 2>/dev/null; }
kept() { local i; for ((i = 0; i < 900; i++)); do [ -z "$(finished "$1")" ] || return 0; sleep 0.1; done; fail "job $1 has no checkpoint"; }
of() { "$GEMP_PYTHON" -c 'import json, sys; v = json.load(open(sys.argv[1]))
for part in sys.argv[2].split("."): v = v[int(part) if isinstance(v, list) else part]
print(v)' "$1" "$2"; }
right() { local n; n=$(of "$1" matches); echo "    matches: $n"; equal "$n" "$wanted" "matches in $1"; }

"$GEMP_MPI" generate rmat --scale 11 -q -o g.h5 || fail "no graph"
search="large.h5 --pattern house --count --count-by enumerate -q"
# Finds a graph of which the search completes at most 70 % in five seconds, because the templates delay SIGUSR2 by ten
# seconds.
for edges in 8 10 12 14 16 20 24 32; do
	rm -rf trial
	"$GEMP_MPI" generate rmat --scale 12 --edge-factor $edges -q -o large.h5 || fail "no graph"
	"$GEMP_MPI" match $search --checkpoint trial --max-time 5 >/dev/null 2>&1
	[ $? -ne 75 ] || [ "$(of trial/checkpoint.json finished)" -gt 700 ] || break
done
rm -rf trial
"$GEMP_MPI" match large.h5 --pattern house --count --json large.json -q >/dev/null 2>&1
wanted=$(of large.json matches)
small="g.h5 --pattern cycle:4 --count --count-by enumerate -q"
few=$("$GEMP_MPI" match $small --json - | "$GEMP_PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["matches"])')
two="--nodes=2 --ntasks-per-node=2"

title "The cluster"
show sinfo --format='%P %D %T %c cores %G'
show srun --mpi=list

title "Who gets which device"
show srun --mpi=pmix --nodes=2 --ntasks-per-node=2 "$GEMP_MPI" devices >devices
report devices
grep -q 'node2' devices || fail "no rank on the second node"

title "srun --mpi=pmix, two nodes of two ranks, with GPUs asked for by node"
submit $two --gpus-per-node=2 "$jobs/match.sbatch" $small --json srun.json
ended $id COMPLETED
report gemp-$id.out
equal "$(of srun.json ranks)" 4 ranks
equal "$(of srun.json matches)" "$few" matches

title "mpirun, the same"
GEMP_LAUNCH=mpirun submit $two "$jobs/match.sbatch" $small --json mpirun.json
ended $id COMPLETED
report gemp-$id.out
equal "$(of mpirun.json ranks)" 4 ranks
equal "$(of mpirun.json matches)" "$few" matches

title "srun without PMIx: Open MPI refuses, and N worlds of one rank would be warned of"
show srun --mpi=none --ntasks=2 "$GEMP_MPI" info g.h5 >none
grep -vE '^[[:space:]]*$' none | grep -E 'OMPI was not built|processes were started|Exited' | sort -u | report /dev/stdin
grep -qE 'OMPI was not built|processes were started' none || fail "no word of two worlds"

title "An array: a query a line"
printf '%s\n' '--pattern triangle --count' '--pattern clique:4 --count' 'MATCH (a)-[]-(b) RETURN count(*)' >queries.txt
submit --array=1-3 "$jobs/array.sbatch" g.h5 queries.txt -q --json 'answer-%a.json'
for i in 1 2 3; do ended "${id}_$i" COMPLETED; echo "    $(sed -n "${i}p" queries.txt): $(of answer-$i.json matches)"; done
"$GEMP_MPI" match g.h5 --pattern clique:4 --count -q --json clique.json >/dev/null
equal "$(of answer-2.json matches)" "$(of clique.json matches)" "cliques"

title "Rules: four ranks, by srun and by mpirun, write the graph that one rank writes"
printf '%s\n' 'RULE close MATCH (a)-[:E]-(b)-[:E]-(c) WHERE id(a) % 16 = 0 AND NOT (a)-[:E]-(c) CREATE (a)-[:CLOSED]->(c)' 'RUN close' >close.rules
"$GEMP_MPI" transform g.h5 close.rules -o closed-here.h5 -q || fail "no new graph"
for launch in srun mpirun; do
	GEMP_LAUNCH=$launch submit $two "$jobs/transform.sbatch" g.h5 close.rules -o closed-$launch.h5 -q --json closed-$launch.json
	ended $id COMPLETED
	equal "$(of closed-$launch.json ranks)" 4 ranks
	cmp closed-here.h5 closed-$launch.h5 || fail "another graph by $launch"
	"$GEMP_MPI" info closed-$launch.h5 | head -n 1 | report /dev/stdin
done

title "The other templates: import, euler, analytics, som"
printf 'src\tdst\n' >ring.tsv
for ((i = 0; i < 500; i++)); do printf '%d\t%d\n' $i $(((i + 1) % 500)); done >>ring.tsv
submit $two "$jobs/import.sbatch" ring.tsv -o ring.h5 --json import.json -q
ended $id COMPLETED
equal "$(of import.json ranks)" 4 ranks
GEMP_LAUNCH=mpirun submit $two "$jobs/euler.sbatch" ring.h5 --verify -o circuit.tsv --json euler.json -q
ended $id COMPLETED
equal "$(of euler.json ranks)" 4 ranks
equal "$(wc -l <circuit.tsv)" 501 "lines of the circuit"
submit $two "$jobs/analytics.sbatch" bfs ring.h5 --source 0 -o levels.tsv --json bfs.json -q
ended $id COMPLETED
equal "$(of bfs.json ranks)" 4 ranks
equal "$(cut -f 2 levels.tsv | tail -n +2 | sort -n | tail -n 1)" 499 "largest level"
submit "$jobs/analytics.sbatch" degree ring.h5
ended $id FAILED
grep -q 'usage: sbatch' gemp-$id.out || fail "no usage of analytics.sbatch"
"$GEMP_PYTHON" -c 'import random
print("a\tb\tc")
for i in range(2000): print(*[random.random() for _ in range(3)], sep="\t")' >samples.tsv
submit $two "$jobs/som.sbatch" train samples.tsv --size 20x20 --epochs 5 -o map.h5 --json som.json -q
ended $id COMPLETED
equal "$(of som.json ranks)" 4 ranks
submit $two --time=1 --signal=B:USR2@40 "$jobs/som.sbatch" train samples.tsv --size 60x60 --epochs 20000000 -o long.h5
for ((i = 0; i < 900 && $(restarts $id) < 1; i++)); do sleep 0.2; done
[ "$(restarts $id)" -ge 1 ] || fail "the training did not return to the queue"
running $id
show scancel $id
ended $id CANCELLED
report gemp-$id.out
grep -q "back into the queue, with the map so far in long.h5" gemp-$id.out || fail "no word of the map"
[ -s long.h5 ] || fail "no map is left"

title "A scaling study, with srun and mpirun"
for launch in srun mpirun; do
	GEMP_LAUNCH=$launch submit --nodes=2 --ntasks-per-node=2 "$jobs/scaling.sbatch" strong --engine euler --scale 10 --repeat 1 --ranks 1,4 -o study-$launch
	ended $id COMPLETED
	report gemp-$id.out | head -n 6
	equal "$(of study-$launch/strong.json points.1.ranks)" 4 "ranks of the study"
done

title "Out of time, with srun and mpirun: SIGUSR2, a checkpoint, back into the queue, until it is done"
for launch in srun mpirun; do
	GEMP_LAUNCH=$launch submit $two --time=1 --signal=B:USR2@40 "$jobs/match.sbatch" $search --json limit-$launch.json
	ended $id COMPLETED
	report gemp-$id.out
	right limit-$launch.json
	[ "$(restarts $id)" -ge 1 ] || fail "it was done before its time was over"
	grep -q "stopped by SIGUSR2" gemp-$id.out || fail "SIGUSR2 did not come through $launch"
	[ ! -e gemp-$id.checkpoint ] || fail "a checkpoint is left"
done

title "scancel: what is finished stays, and another job goes on, with another number of ranks"
for launch in srun mpirun; do
	GEMP_LAUNCH=$launch submit $two "$jobs/match.sbatch" $search
	kept $id
	show scancel $id
	ended $id CANCELLED
	report gemp-$id.out
	before=$(finished $id)
	echo "    parts finished: $before"
	GEMP_CHECKPOINT=gemp-$id.checkpoint submit --ntasks=1 --nodes=1 "$jobs/match.sbatch" $search --json cancel-$launch.json
	ended $id COMPLETED
	right cancel-$launch.json
	equal "$(of cancel-$launch.json checkpoint.jobs)" 2 "jobs that worked on it"
done

title "scontrol requeue: it goes on where it was"
submit $two "$jobs/match.sbatch" $search --json requeue.json
kept $id
show scontrol requeue $id
ended $id COMPLETED
report gemp-$id.out
right requeue.json
[ "$(of requeue.json checkpoint.jobs)" -ge 2 ] || fail "it began anew"

title "A node fails: the job goes back into the queue, and on from the last checkpoint on other nodes"
submit $two "$jobs/match.sbatch" $search --json node.json
kept $id
show squeue --jobs=$id --format='%i %T %N' --noheader
node=$(scontrol -o show job $id | grep -o ' NodeList=[^ ]*' | cut -d= -f2 | sed 's/\[\([0-9]\).*/\1/')
ns=$(readlink "/proc/$(cat "$bed/$node.pid")/ns/uts") all=
for process in /proc/[0-9]*; do [ "$(readlink "$process/ns/uts" 2>/dev/null)" != "$ns" ] || all+=" ${process#/proc/}"; done
echo "(all $(wc -w <<<"$all") processes of $node are killed, the batch script among them)"
kill -KILL $all
show scontrol update NodeName=$node State=DOWN Reason=test
ended $id COMPLETED
report gemp-$id.out
right node.json
show sinfo --noheader --format='%D %T %N'

echo
finish
