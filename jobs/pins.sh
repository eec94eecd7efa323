#!/usr/bin/env bash
# Makes the shortest string of digits that contains every PIN of four digits. Then counts the different PINs in the string,
# independently of how the string was made.
#
#   jobs/pins.sh [FILE]                    writes the string to FILE, by default pins.txt
#   DIGITS=6 RANKS=4 jobs/pins.sh          PINs of six digits instead, made by 4 ranks
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
file=${1:-pins.txt} digits=${DIGITS:-4}
use_gemp
$MPIRUN -n "${RANKS:-1}" "$GEMP_MPI" euler --sequence --alphabet 0123456789 --length "$digits" --verify --quiet -o "$file"
awk -v n="$digits" '{
	for (i = 1; i + n - 1 <= length($0); i++)
		pins += !seen[substr($0, i, n)]++
	printf "%d keys to press, %d different PINs of %d digits\n", length($0), pins, n
}' "$file"
