# Tests help, options, configurations and exit codes. Every error is one message on stderr, with one rank and with 3
# ranks.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
commands='demo import generate info match verify partition euler devices bench warm help completion'

# alone CODE ARGUMENTS...: runs without mpirun
alone() {
	local wanted=$1; shift
	timeout 60 "$GEMP_MPI" "$@" >out 2>err </dev/null
	equal $? "$wanted" "code of $*"
}

# one_message TEXT: the last run printed one error with this text on stderr, and nothing on stdout
one_message() {
	says "$1"
	equal "$(grep -c '^gemp-mpi: error:' err)" 1 "messages with '$1'"
	[ "$(wc -l <err)" -eq 1 ] || { fail "more or fewer lines than one on stderr with '$1':"; sed 's/^/    /' err >&2; }
	[ ! -s out ] || fail "text on stdout beside '$1'"
}

# usage TEXT ARGUMENTS...: expects exit code 2 and one message with this text; together: runs with 3 ranks, too
usage() {
	local text=$1; shift
	alone 2 "$@"
	one_message "$text"
}
together() {
	usage "$@"
	local text=$1; shift
	expect 2 3 "$@"
	one_message "$text"
}

# help: every command is listed once, with any number of ranks
for ranks in 1 3; do
	expect 0 $ranks --help
	for command in $commands; do
		grep -q "^  $command " out || fail "--help does not name $command"
	done
	equal "$(grep -c '^Usage:' out)" 1 'usages in --help'
done
for command in $commands; do
	alone 0 "$command" --help
	equal "$(grep -c '^Usage: gemp-mpi '"$command" out)" 1 "usages in help of $command"
	[ ! -s err ] || fail "$command --help wrote to stderr"
	awk 'length > 120 { exit 1 }' out || fail "$command --help has a long line"
done
expect 0 3 match --help
for option in query-file query-graph pattern semantics distinct symmetry pivot attributes attribute-copies replicate launch-factor order explain \
	profile count count-per estimate output limit json devices host-memory device-memory result-buffer outbox row-cache config dry-run quiet; do
	grep -q -- "--$option" out || fail "match --help does not name --$option"
done
cp out help
alone 0 help match
cmp -s out help || fail 'help match and match --help differ'
alone 0 help som
cp out help
alone 0 help som train
cmp -s out help || fail 'help som train is not the help of som'
expect 2 3 help som trane
says "no usage of som begins with 'trane'"
"$GEMP_SOURCE_DIR/jobs/quickstart.sh" --help >out || fail 'quickstart.sh --help failed'
grep -q 'jobs/quickstart.sh \[COMMAND' out || fail 'quickstart.sh --help does not explain its arguments'
grep -q Building out && fail 'quickstart.sh --help builds'
alone 0 generate --help
grep -q -- '--films' out || fail 'generate --help does not name its parameters'
version=$(sed -n 's/^project(gemp-mpi VERSION \([0-9.]*\).*/\1/p' "$GEMP_SOURCE_DIR/CMakeLists.txt")
expect 0 3 --version
equal "$(cat out)" "gemp-mpi $version" version

# the manual pages equal the output of the program
alone 0 help --as markdown
cmp -s out "$GEMP_SOURCE_DIR/docs/command-line.md" || fail 'docs/command-line.md is out of date; make it anew: gemp-mpi help --as markdown'
alone 0 help --as man
cmp -s out "$GEMP_SOURCE_DIR/docs/gemp-mpi.1" || fail 'docs/gemp-mpi.1 is out of date; make it anew: gemp-mpi help --as man'

# unknown commands and options
together "did you mean 'match'?" macth
usage 'import, generate, info' frobnicate g.h5
usage "there is no command 'dfs'" dfs g.h5
usage "there is no command 'nothing'" help nothing
together 'did you mean --semantics?' match g.h5 q --semantic hom
usage 'match has no option --no-such-option' match g.h5 q --no-such-option
usage 'it belongs to match' import --count
usage 'no option -z' match g.h5 q -z
usage 'a command comes first' --json - match g.h5 q
usage 'there is one for bash' completion tcsh

# values
together "--replicate: 'lots'" match g.h5 q --replicate lots
usage "--row-cache: '12Q' is not a size" match g.h5 q --row-cache 12Q
usage "--host-memory: '-1'" match g.h5 q --host-memory=-1
usage "--result-buffer: '0'" match g.h5 q --result-buffer 0
usage "--limit: 'many'" match g.h5 q --limit many
usage "--semantics: 'sideways' is not one of these words: iso|edge-iso|hom|induced" match g.h5 q --semantics sideways
usage '--launch-factor' match g.h5 q --launch-factor 0
usage '--lanes' match g.h5 q --lanes 5000
usage "--output: missing argument" match g.h5 q --output
usage "--parts: '0'" partition g.h5 --parts 0
usage 'both want stdout' match g.h5 q --output - --json -
usage '--count makes no rows' match g.h5 q --count --output rows.tsv
usage 'the ending must be' match g.h5 q --output rows.xyz
together 'generate needs the file to write: --output G.h5' generate movies
usage 'import needs files' import -o g.h5
usage 'info needs G.h5' info
usage "accepts no argument 'b.h5'" info a.h5 b.h5
usage 'has none' match g.h5
usage 'has several' match g.h5 q --pattern triangle

# configurations
printf '# a run\nsemantics = hom\n\nno-such = 3\n' >run.conf
together 'run.conf:4: match has no option no-such' match g.h5 q --config run.conf
printf 'semantics = sideways\n' >run.conf
usage "run.conf:1: semantics: 'sideways'" match g.h5 q --config run.conf
printf 'result-buffer = 5\nsemantics\n' >run.conf
usage 'run.conf:2: expected' match g.h5 q --config run.conf
printf 'films = 10\npeople = x\n' >run.conf
usage "run.conf:2: generate movies: --people 'x'" generate movies -o g.h5 --config run.conf
for ranks in 1 3; do
	expect 66 $ranks match g.h5 q --config none.conf
	one_message 'none.conf'
	expect 66 $ranks match g.h5 --query-file none.cypher
	one_message 'none.cypher'
	expect 66 $ranks info none.h5
	one_message 'none.h5'
	expect 74 $ranks generate movies -o no/such/folder/g.h5
	one_message 'no/such/folder'
	expect 74 $ranks info g.h5 --json no/such/folder/report.json
	one_message 'no/such/folder'
done

# every file in configs/ is a valid configuration, and finds its query file from any folder
for file in "$GEMP_SOURCE_DIR"/configs/*.conf; do
	alone 66 match none.h5 --config "$file" $(grep -q '^query-file' "$file" || echo --pattern=triangle)
	says 'none.h5'
done
mkdir -p conf
printf 'query-file = none.cypher\n' >conf/run.conf
for ranks in 1 3; do
	expect 66 $ranks match g.h5 --config conf/run.conf
	one_message 'conf/none.cypher'
done

# completion: the script works in a shell
alone 0 completion bash
cat >complete.sh <<'END'
. ./out
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _gemp_mpi; echo "${COMPREPLY[*]}"; }
complete_line gemp-mpi ma
complete_line gemp-mpi match g.h5 --sem
complete_line gemp-mpi match g.h5 --semantics i
complete_line gemp-mpi generate mo
END
equal "$(bash complete.sh | tr '\n' ';')" 'match;--semantics;iso induced;movies;' completion
finish
