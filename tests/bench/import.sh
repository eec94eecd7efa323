#!/bin/bash
# Measures time and memory of importing tables of edges to graph files, and of reading graph files.
#
#     GEMP_MPI=PROGRAM tests/bench/import.sh [--edges N] [--scale S] [--ranks "1 2 4 8"] [--kinds "tsv zst generate"]
#                                            [--folder DIR] [--runs N] [--save] [--brief]
#
# Makes a table of N random edges (20,000,000) between 2^S ids (S is 22) in DIR. Imports it, plain and as .zst, with
# each number of ranks, and generates a graph with about as many edges. Then reads the last file. Prints a line of JSON
# for each measurement: seconds; processor seconds of all ranks, user and system; edges and input bytes per second; peak
# resident memory of the largest rank, and the same in bytes per edge of a rank's part; seconds of each step; seconds in
# which cat copied the input to a file of DIR just before. The best of --runs (1) by the seconds of the report counts.
# --save keeps the lines as tests/bench/results/import-MACHINE-DATE.jsonl. --brief prints a short line for each run
# instead. bench_edges and bench_load (ninja bench_edges bench_load) are taken from $GEMP_BENCH, by default from the
# folder tests beside PROGRAM.
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 LC_ALL=C
edges=20000000 scale=22 ranks="1 2 4 8" kinds="tsv zst generate" folder=${TMPDIR:-/tmp}/gemp-import runs=1 save= brief=
while [ $# -gt 0 ]; do
	case $1 in
	--edges) edges=$2; shift ;;
	--scale) scale=$2; shift ;;
	--ranks) ranks=$2; shift ;;
	--kinds) kinds=$2; shift ;;
	--folder) folder=$2; shift ;;
	--runs) runs=$2; shift ;;
	--save) save=1 ;;
	--brief) brief=1 ;;
	*) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 2 ;;
	esac
	shift
done
program=${GEMP_MPI:-gemp-mpi}
beside=${GEMP_BENCH:-$(dirname "$(command -v "$program")")/tests}
mkdir -p "$folder" || exit 1
table=$folder/edges-$edges-$scale.tsv graph=$folder/graph.h5 report=$folder/report.json out=$folder/results.jsonl
: > "$out"
[ -s "$table" ] || "$beside/bench_edges" "$edges" "$scale" 1 > "$table" || exit 1

# Runs a command and writes its wall, user and system seconds as three words to $folder/time.
timed() { local TIMEFORMAT='%R %U %S'; { time "$@" > "$folder/log" 2>&1; } 2> "$folder/time"; }

# Prints one line about the last measurement. Arguments: kind, number of ranks, name of the input
tell() {
	python3 - "$1" "$2" "$3" "$report" "$folder/time" "$folder/cat" "$(uptime | sed 's/.*average: //; s/,.*//')" "$brief" <<-'END'
	import json, sys
	kind, ranks, name, report, time, cat, load, brief = sys.argv[1:]
	r = json.load(open(report))
	wall, user, system = map(float, open(time).read().split())
	speed, edges = r["throughput"], r["graph"]["edges"]
	line = {"what": kind, "ranks": int(ranks), "edges": edges, "vertices": r["graph"]["vertices"], "hash": r["graph"]["hash"],
	        "seconds": round(speed["seconds"], 3), "process_seconds": wall, "user": user, "system": system,
	        "edges_per_second": round(edges / speed["seconds"]),
	        "resident_mib": round(speed["resident_bytes"] / 2**20), "bytes_per_edge": round(speed["resident_bytes"] * int(ranks) / edges, 1),
	        "steps": {k: round(v["max"], 3) for k, v in r["steps"].items()}, "load_average": float(load)}
	if name:
	    line["input_mb"] = round(speed["input_bytes"] / 1e6, 1)
	    line["mb_per_second"] = round(speed["input_bytes"] / 1e6 / speed["seconds"], 1)
	    line["cat_seconds"] = float(open(cat).read().split()[0])
	    line["times_cat"] = round(speed["seconds"] / max(line["cat_seconds"], 1e-3), 1)
	if brief:
	    print("%s %sr: %.2f s (user %.1f), %.2f M edges/s, %s MB/s, %d MiB a rank (%.0f B/edge); %s" % (
	        kind, ranks, line["seconds"], user, line["edges_per_second"] / 1e6, line.get("mb_per_second", "-"), line["resident_mib"],
	        line["bytes_per_edge"], " ".join("%s %.2f" % s for s in line["steps"].items())), file=sys.stderr)
	print(json.dumps(line))
	END
}

# Measures one kind of run. Arguments: kind, number of ranks, name of the input ('' for none), arguments of gemp-mpi
measure() {
	local kind=$1 count=$2 name=$3 best=
	shift 3
	for ((run = 0; run < runs; run++)); do
		if [ -n "$name" ]; then timed cat "$name"; mv "$folder/time" "$folder/cat"; fi
		if [ "$count" = 1 ]; then
			timed "$program" "$@" -o "$graph" --json "$report"
		else
			timed mpirun -q --oversubscribe --bind-to none -n "$count" "$program" "$@" -o "$graph" --json "$report"
		fi || { echo "$kind, $count ranks: failed" >&2; tail -3 "$folder/log" >&2; return; }
		best=$best$(tell "$kind" "$count" "$name")$'\n'
	done
	python3 -c 'import json, sys; print(min(filter(None, sys.stdin.read().split("\n")), key=lambda l: json.loads(l)["seconds"]))' \
		<<< "$best" >> "$out"
	[ -n "$brief" ] || tail -1 "$out"
}

for kind in $kinds; do
	name=
	[ "$kind" = tsv ] && name=$table
	[ "$kind" = zst ] && name=$table.zst && { [ -s "$name" ] || zstd -q -T0 "$table" -o "$name" || continue; }
	for count in $ranks; do
		if [ "$kind" = generate ]; then
			measure generate "$count" "" generate rmat --scale "$((scale - 1))" --edge-factor "$((edges >> (scale - 1)))" --a 0.45 --b 0.22 --c 0.22
		else
			measure "$kind" "$count" "$name" import --edges "$name" --format tsv
		fi
	done
done
for count in $ranks; do
	for cache in warm cold; do
		line=$(mpirun -q --oversubscribe --bind-to none -n "$count" "$beside/bench_load" "$graph" "$cache" | sed 's/^{/{"what": "read", /')
		echo "$line" >> "$out"
		echo "$line"
	done
done
if [ -n "$save" ]; then
	machine=$(nproc)cores
	saved=$here/results/import-$machine-$(date -u +%Y-%m-%d-%H%M).jsonl
	{ printf '{"machine": "%s", "cores": %s, "memory_gib": %s, "commit": "%s", "hdf5": "%s"}\n' \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(awk '/MemTotal/ {printf "%.0f", $2 / 2^20}' /proc/meminfo)" \
		"${GEMP_COMMIT:-$(git -C "$here" rev-parse --short HEAD 2>/dev/null)}" \
		"$(case $(ldd "$(command -v "$program")" 2>/dev/null) in *libhdf5_openmpi* | *libhdf5_mpich*) echo parallel ;; *) echo serial ;; esac)"; cat "$out"; } > "$saved"
	echo "kept in $saved"
fi
