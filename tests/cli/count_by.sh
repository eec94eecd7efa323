# Counts by sums: when they are used, the reason when they are not used, and enumeration of counts that exceed 64 bits.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
tsv v.tsv 'id type' 'a P' 'b P' 'c Q' 'd Q' 'e P'
tsv e.tsv 'src dst type' 'a b R' 'b c R' 'c d R' 'd a R' 'a c R' 'b d R' 'd e S'
expect 0 1 import --vertices v.tsv --edges e.tsv --undirected -o g.h5

subgraphs='--semantics iso --distinct orbit'

# explained WORDS ARGUMENTS...: the plan that --explain prints has these words
explained() { local words=$1; shift; expect 0 1 match g.h5 "$@" --count --explain --dry-run
	grep -qF -- "$words" out err || { fail "the plan of $* does not say '$words'"; cat out err >&2; }; }
explained 'counted without enumerating: (Wedges) / 2' --pattern cycle:4
explained 'counted without enumerating: (Cliques4) / 1' 'MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(a), (d)-[:R]-(a), (d)-[:R]-(b), (d)-[:R]-(c)' $subgraphs
explained 'one by one: count-by enumerate' --pattern triangle --count-by enumerate
explained 'one by one: only semantics iso' --pattern triangle --semantics induced
explained 'one by one: it has conditions' 'MATCH (a:P)-[:R]-(b)-[:R]-(c)' $subgraphs
explained 'one by one: its edges are directed' 'MATCH (a)-[:R]->(b)-[:R]->(c)' $subgraphs
explained 'one by one: its edges are of several types' 'MATCH (a)-[:R]-(b)-[:S]-(c)' $subgraphs
explained 'one by one: an option says how to search' --pattern triangle --lanes 1

# --explain builds no match kernel, so the cache gets only the kernel of the self-test. Nothing is matched. Two ranks
# share a device, so the cache has their programs.
for how in '--count --on device' '--count --count-by enumerate' '--output -' '--count-per 0' --estimate; do
	GEMP_CACHE_DIR=$work/dry expect 0 2 match g.h5 --pattern diamond $how --dry-run
	equal "$(ls "$work"/dry/program-* | wc -l)" 1 "programs that $how --dry-run builds"
	grep -qE 'pivot|counted without' out err || fail "--explain $how prints no plan"
	grep -qE '^[0-9,]+ match|≈|^key' out err && fail "$how --dry-run matched"
done

# A small graph is summed on the host, which has no sums for the cycle of six vertices.
explained 'on the host' --pattern cycle:4
explained 'one by one: no sums are known' --pattern cycle:6 --on host
expect 0 1 match g.h5 --pattern cycle:4 --count --explain --dry-run --on device
grep -q 'on the host' out err && fail 'sums with --on device are on the host'

# A count without sums on the host is a search there if the search is small. No device is opened.
for question in '--pattern cycle:6' 'MATCH (a:P)-[:R]-(b)-[:R]-(c)' 'MATCH (a)-[:R]->(b)-[:R]->(c)'; do
	case $question in --*) set -- $question;; *) set -- "$question";; esac
	for ranks in 1 2; do
		expect 0 $ranks match g.h5 "$@" --count --json -
		equal "$(field searched_on) $(field devices)" 'host []' "the count of $question on $ranks ranks"
	done
done

# Sums on the host, sums on the device and enumeration give the same counts. Triangles are counted on 1, 3 and 8 ranks.
# Other patterns are counted on the host on 1 and 3 ranks, and in the other ways on 1 or 3 ranks, as the seed decides.
seed=${GEMP_TEST_SEED:-$RANDOM}
echo "seed $seed (GEMP_TEST_SEED=$seed repeats this)"
draws=$((seed & 15))
for pattern in triangle cycle:4 diamond star:3 path:4; do
	for by in auto 'auto --on device' enumerate; do
		case $pattern$by in
		triangle*) some='1 3 8';; # starting eight ranks takes a second each time
		*auto) some='1 3';;
		*) some=$((draws % 2 * 2 + 1)) draws=$((draws / 2));;
		esac
		for ranks in $some; do
			expect 0 $ranks match g.h5 --pattern $pattern --count --count-by $by --json -
			[ "$by$ranks" = auto1 ] && wanted=$(field matches)
			equal "$(field matches)" "$wanted" "$pattern by $by under $ranks ranks"
		done
	done
done
# the clique of four has 12 of these paths; the path from e over d to two other vertices adds 6
equal "$wanted" 18 'paths of four vertices'

# under hom a path is a walk, whose vertices need not be distinct
explained 'counted without enumerating' --pattern path:4 --semantics hom --distinct none
for by in auto enumerate; do
	expect 0 2 match g.h5 --pattern path:4 --semantics hom --distinct none --count --count-by $by --json -
	equal "$(field matches)" 134 "walks of three edges by $by"
done

# In the default sense of a text only edges are distinct. In the clique of a, b, c and d, 4! paths of three edges have four
# vertices, and 4! have equal ends. A path of five edges leaves out one of six edges; each way has 12 Euler trails. Without
# types, a vertex of degree d is the middle of d (d - 1) paths of two edges; d has degree 4, its neighbours 3, 3, 3 and 1.
path3='MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(d)'
explained 'counted without enumerating' "$path3"
explained 'one by one: only semantics iso' "$path3" --distinct orbit
while IFS='|' read -r text wanted; do
	for by in auto enumerate; do
		expect 0 $((draws % 3 + 1)) match g.h5 "$text" --count --count-by $by --explain --json -
		draws=$((draws / 3 + 1))
		equal "$(field matches) $(field embeddings)" "$wanted $wanted" "$text by $by"
		grep -q 'counted without enumerating' out || [ $by = enumerate ] || fail "$text: enumerated"
	done
done <<END
$path3|48
MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(a)|24
MATCH (a)-[:R]-(b), (a)-[:R]-(c), (a)-[:R]-(d)|24
$path3-[:R]-(e)-[:R]-(f)|72
MATCH (a)--(b)--(c)|30
END

# Loops and parallel edges are further images of edges, except under iso, whose matches have no loops. Paths of two
# edges are a-b-c and, over the loop, b-c-c; and over both S, c-d-c and d-c-d; each in both directions.
tsv loop.tsv 'src dst type' 'a b R' 'b c R' 'c c R' 'c d S' 'd c S'
expect 0 1 import --edges loop.tsv --undirected -o loop.h5
for text in 'MATCH (a)-[:R]-(b)-[:R]-(c)|counted without enumerating: 2 sums|4' 'MATCH (a)-[:S]-(b)-[:S]-(c)|counted without enumerating: 2 sums|4'; do
	IFS='|' read -r text reason wanted <<<"$text"
	expect 0 2 match loop.h5 "$text" --count --explain --json -
	grep -q "$reason" out || fail "$text: no '$reason'"
	equal "$(field matches)" "$wanted" "$text"
done
expect 0 1 import --edges loop.tsv -o indexed.h5 # directed: the index has the rows of both directions
expect 0 1 index indexed.h5 'MATCH (a)-[:R]-(b) RETURN count(*)'
expect 0 3 match indexed.h5 'MATCH (a)-[:R]-(b)-[:R]-(c)' --count --explain --json -
grep -q 'counted without enumerating: 2 sums' out || fail 'paths beside a loop are not counted over an index of rows'
equal "$(field matches)" 4 'paths beside a loop with an index of rows'
expect 0 1 match loop.h5 'MATCH (a)-[:R]-(b)-[:R]-(c)' --semantics iso --count --explain --json -
grep -q 'counted without enumerating' out || fail 'a loop rules out sums under iso'
equal "$(field matches)" 2 'paths beside a loop under iso'
expect 0 2 match g.h5 "$path3 RETURN count(*)" --semantics hom --distinct none --explain --output -
grep -q 'counted without enumerating' err || fail 'hom of a text is enumerated'
equal "$(tail -n 1 out)" 108 'walks of three edges in a clique of four vertices'

# count(*) counts embeddings
expect 0 1 match g.h5 'MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(a) RETURN count(*)' --semantics iso --explain --output -
grep -q 'counted without enumerating' err || fail 'RETURN count(*) under iso is not counted by sums'
expect 0 1 match g.h5 'MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(a) RETURN count(*)' --output -
equal "$(tail -n 1 out)" 24 'embeddings of the triangle'

# counts within clauses count embeddings, too
triangle='MATCH (a)-[:R]-(b)-[:R]-(c)-[:R]-(a)'
while IFS='|' read -r clauses wanted; do
	for by in auto enumerate; do
		expect 0 1 match g.h5 "$triangle $clauses" --semantics iso --count-by $by --explain --output -
		equal "$(tail -n 1 out | tr '\t' ' ')" "$wanted" "$clauses by $by"
		grep -q 'counted one by one: count-by' err || [ $by = auto ] || fail "$clauses: not counted"
		grep -q 'counted without enumerating' err || [ $by = enumerate ] || fail "$clauses: enumerated"
	done
done <<'END'
RETURN count(b)|24
RETURN 2 * count(*) + 1, count(b)|49 24
WITH count(*) AS n WHERE n > 23 RETURN n|24
WITH count(*) AS n WHERE n > 24 RETURN n|n
END
expect 0 1 match g.h5 "$triangle RETURN a, count(*)" --semantics iso --explain --dry-run
grep -q 'counted without' out && fail 'a query with groups was counted by sums'

# LIMIT applies to rows
expect 2 1 match g.h5 'MATCH (a)-[:R]-(b) RETURN a, b LIMIT 2' --estimate
expect 2 1 match g.h5 'MATCH (a)-[:R]-(b) RETURN a, b LIMIT 2' --count-per a

# stars with any number of leaves
{ printf 'src\tdst\ttype\n'; for i in $(seq 1 12); do printf '0\t%d\tR\n' "$i"; done; } >twelve.tsv
expect 0 1 import --edges twelve.tsv --undirected -o twelve.h5
for by in auto enumerate; do
	expect 0 2 match twelve.h5 --pattern star:8 --count --count-by $by --json -
	equal "$(field matches) $(field embeddings)" '495 19958400' "stars of eight leaves by $by"
done
star='MATCH (c)-[:R]-(l)'
for leaf in 2 3 4 5 6 7; do star="$star, (c)-[:R]-(l$leaf)"; done
for by in auto enumerate; do
	expect 0 1 match twelve.h5 "$star RETURN count(l)" --semantics iso --count-by $by --json -
	equal "$(field count) $(field matches)" '3991680 5544' "stars with one distinguished leaf by $by"
done
expect 0 1 match twelve.h5 --pattern star:12 --count --json -
equal "$(field matches)" 1 'a star of all leaves'
expect 0 1 match twelve.h5 --pattern star:13 --count --json -
equal "$(field matches)" 0 'stars with more leaves than neighbours'

# powers that exceed 64 bits
{ printf 'src\tdst\ttype\n'; for i in $(seq 1 18000); do printf '0\t%d\tR\n' "$i"; done; } >hub.tsv
expect 0 1 import --edges hub.tsv --undirected -o hub.h5
expect 0 2 match hub.h5 --pattern star:5 --count
grep -q '^15,737,653,700,865,003,600 matches' out || { fail 'wrong number of stars with five leaves around a hub of degree 18,000'; cat out >&2; }
expect 65 2 match hub.h5 --pattern star:6 --count
says '2^64'
expect 65 1 match hub.h5 --pattern star:20 --count
says '2^64'
# count(*) is a signed integer of 64 bits
expect 65 1 match hub.h5 'MATCH (c)-[:R]-(a), (c)-[:R]-(b), (c)-[:R]-(d), (c)-[:R]-(e), (c)-[:R]-(f) RETURN count(*)' $subgraphs
says '2^63 - 1'
expect 0 1 match hub.h5 'MATCH (c)-[:R]-(a), (c)-[:R]-(b), (c)-[:R]-(d), (c)-[:R]-(e), (c)-[:R]-(f) RETURN count(*)' $subgraphs \
	--count --json -
equal "$(field matches)" 15737653700865003600 'count with all digits'

# C(1000, 9) is 2.7e21, so an estimate may exceed 64 bits. The time of a sample is proportional to the number of the
# hub's neighbours.
{ printf 'src\tdst\ttype\n'; for i in $(seq 1 1000); do printf '0\t%d\tR\n' "$i"; done; } >thousand.tsv
expect 0 1 import --edges thousand.tsv --undirected -o thousand.h5
expect 65 1 match thousand.h5 --pattern star:9 --count
says '2^64'
expect 0 3 match thousand.h5 --pattern star:9 --estimate --estimate-seconds 0.1 --json -
"$GEMP_PYTHON" -c 'import sys; sys.exit(not 6e20 < float(sys.argv[1]) < 1.2e22)' "$(field estimate.matches)" ||
	fail "wrong estimate: $(field estimate.matches)"
finish
