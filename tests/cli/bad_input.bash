# bad_input_*.sh source this file after harness.sh.
GEMP_TEST_LIMIT=30 # a rank that hangs is a failure
export TMPDIR=$work
cd "$work" || exit 1
mkdir -p in made

# tsv FILE LINE...: writes a table; blanks in the arguments separate cells.
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }

# bad 'CODE|CODE' 'REGEX' ARGUMENTS...: expects one message that matches, the code, and no file in made/. Runs alternate
# between 1 and 3 ranks, and the seed decides which of them begins, because each start of ranks takes a second.
# GEMP_TEST_BAD_RANKS='1 3' runs everything with both.
bad_runs=${GEMP_TEST_SEED:-$RANDOM}
echo "seed $bad_runs (GEMP_TEST_SEED=$bad_runs repeats this)"
bad() {
	local codes=$1 pattern=$2 ranks; shift 2
	for ranks in ${GEMP_TEST_BAD_RANKS:-$((bad_runs++ % 2 * 2 + 1))}; do
		gemp "$ranks" "$@"
		evaluate "$codes" "$pattern" "$ranks ranks: $*"
	done
}

evaluate() {
	local codes=$1 pattern=$2 what=$3 messages
	case $code in
	124 | 137) fail "hangs: $what" ;;
	esac
	[[ "|$codes|" == *"|$code|"* ]] || complain "code $code, not $codes: $what"
	messages=$(grep -c '^gemp-mpi: error:' "$work/err")
	[ "$messages" -eq 1 ] || complain "$messages messages: $what"
	grep -Eq -- "$pattern" "$work/err" || complain "the message does not say '$pattern': $what"
	if grep -Eiq 'MPI_ABORT|mpirun|segmentation|HDF5-DIAG|assert|signal' "$work/err"; then
		complain "noise on stderr: $what"
	fi
	[ -z "$(ls -A made)" ] || { fail "left behind: $(ls -A made): $what"; rm -rf made; mkdir made; }
}

complain() { fail "$1"; head -n 8 "$work/err" | sed 's/^/    /' >&2; }
