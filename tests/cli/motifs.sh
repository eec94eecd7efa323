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
expect 2 1 match g.h5 --pattern motifs:3 --output rows.tsv
expect 2 1 match g.h5 --pattern motifs:3 --semantics hom
expect 2 1 match g.h5 --pattern motifs:3 --estimate
expect 2 1 match g.h5 --pattern motifs:3 --count-per 0
finish
