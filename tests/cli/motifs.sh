# Censuses: counts by sums equal counts by enumeration and counts of single patterns, edge-induced and vertex-induced.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
expect 0 1 generate uniform --vertices 40 --edges 200 -o g.h5
expect 0 2 match g.h5 --pattern motifs:3 --json -
wedges=$(field motifs.0.count) triangles=$(field motifs.1.count)
equal "$(field motifs.0.pattern)" edges:0-1,0-2 'the first pattern'
expect 0 1 match g.h5 --pattern triangle --count --json -
equal "$(field matches)" "$triangles" triangles
expect 0 1 match g.h5 --pattern motifs:3 --semantics induced --count-by enumerate --json -
equal "$(field motifs.0.count)" $((wedges - 3 * triangles)) 'induced wedges'
equal "$(field motifs.1.count)" "$triangles" 'induced triangles'
expect 2 1 match g.h5 --pattern motifs:6
grep -q 'from 3 to 5' err || fail 'the message does not say which K are allowed'

# Names and rows: each shape has the count that --pattern NAME finds, and rows do not depend on the ranks.
expect 0 1 match g.h5 --pattern motifs:4 --json - --output four.csv
equal "$(sed -n 4p four.csv | tr -d "\r")" "$(field motifs.2.name),\"$(field motifs.2.pattern)\",$(field motifs.2.edges),$(field motifs.2.count)" 'a row'
equal "$(cut -d, -f 1 four.csv | tr '\n' ' ')" 'name star:3 path:4 paw cycle:4 diamond clique:4 ' 'names of four vertices'
for i in 1 2 3; do
	name=$(field motifs.$i.name) wanted=$(field motifs.$i.count)
	cp out census
	expect 0 1 match g.h5 --pattern "$name" --count --json -
	equal "$(field matches)" "$wanted" "count of $name"
	cp census out
done
for ranks in 1 3; do
	expect 0 $ranks match g.h5 --pattern motifs:5 --semantics induced --output five$ranks.tsv
	grep -q 'butterfly  *edges:' out || fail 'the table has no names'
done
equal "$(wc -l <five1.tsv)" 22 'rows of five vertices'
cmp -s five1.tsv five3.tsv || fail 'rows depend on the number of ranks'
expect 0 2 match g.h5 --pattern motifs:3 --output three.jsonl
equal "$(head -c 15 three.jsonl)" '{"name": "path:' 'JSON lines'
expect 2 1 match g.h5 --pattern motifs:3 --output rows.txt
expect 2 1 match g.h5 --pattern motifs:3 --output rows.dot
says 'motifs are counts'
expect 2 1 match g.h5 --pattern motifs:3 --semantics hom
expect 2 1 match g.h5 --pattern motifs:3 --estimate
expect 2 1 match g.h5 --pattern motifs:3 --count-per 0
finish
