#!/bin/bash
# Measures how fast matches reach host memory, pass deduplication, and are written to files. Each rate is compared with
# a bandwidth of the machine that is measured in the same call.
#
#     tests/bench/listing.sh [GRAPH.h5 PATTERN]...
#
#   GEMP_MPI     the program
#   GEMP_LISTING bench_listing, built by `ninja bench_listing`
#   GEMP_SHARED  folder with data/graphs and data/translations, used if no graph is given
#   GEMP_SCRATCH folder on the disk to write to (default: a temporary folder)
#   GEMP_ROWS    number of rows that are written to files (default 20000000)
#   GEMP_REPEAT  number of runs (default 3): of listings the best counts, of writes each run has a line
set -u -o pipefail
: "${GEMP_MPI:?the program}" "${GEMP_LISTING:?bench_listing}"
rows=${GEMP_ROWS:-20000000} repeat=${GEMP_REPEAT:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
scratch=${GEMP_SCRATCH:-$(mktemp -d)}
trap 'rm -f "$scratch"/listing.*; [ -n "${GEMP_SCRATCH:-}" ] || rmdir "$scratch"' EXIT

import() {
	"$GEMP_MPI" import --undirected --edges "$1/edges.tsv.zst" -o "$2" > /dev/null 2>&1
}

# Prints the seconds of a phase of a report.
phase() {
	sed -n "/\"$2\": {/,/}/s/.*\"max\": \([0-9.e-]*\).*/\1/p" "$1" | head -1
}

# Prints the seconds in which dd writes the same number of bytes to the same disk.
dd_seconds() {
	local began ended size
	size=$(stat -c %s "$1")
	began=$(date +%s.%N)
	head -c "$size" /dev/zero | dd of="$scratch/listing.dd" bs=8M iflag=fullblock status=none
	ended=$(date +%s.%N)
	rm -f "$scratch/listing.dd"
	awk "BEGIN { print $ended - $began }"
}

write() {
	local graph=$1 pattern=$2 form=$3 file=$scratch/listing.$3 report=$scratch/listing.json i size
	for ((i = 0; i < repeat; i++)); do
		rm -f "$file"
		"$GEMP_MPI" match "$graph" --pattern "$pattern" --limit "$rows" -o "$file" --json "$report" > /dev/null 2>&1 || return
		size=$(stat -c %s "$file")
		printf '%s %s %s: %s bytes, elapsed %.3f s, kernel %.3f, attributes %.3f, write %.3f, dd %.3f\n' \
			"$(basename "$graph")" "$pattern" "$form" "$size" "$(phase "$report" elapsed)" \
			"$(phase "$report" kernel)" "$(phase "$report" attributes)" "$(phase "$report" write)" \
			"$(dd_seconds "$file")"
	done
}

if [ $# -eq 0 ]; then
	: "${GEMP_SHARED:?folder of data}"
	import "$GEMP_SHARED/data/graphs/wiki-vote" "$scratch/listing.wiki-vote.h5"
	import "$GEMP_SHARED/data/translations" "$scratch/listing.translations.h5"
	set -- "$scratch/listing.wiki-vote.h5" cycle:4 "$scratch/listing.translations.h5" cycle:5 \
		"$scratch/listing.translations.h5" cycle:6
fi
while [ $# -ge 2 ]; do
	"$GEMP_LISTING" "$1" "$2" "$repeat" 2> /dev/null
	for form in h5 tsv; do
		write "$1" "$2" "$form"
	done
	shift 2
done
