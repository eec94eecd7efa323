# Bad input to import and generate gives one message with file, line and remedy and the right code; no rank hangs, and
# no file is written.
. "$(dirname "$0")/../harness/harness.sh"
. "$(dirname "$(realpath "$0")")/bad_input.bash"

tsv in/v.tsv 'id type name x:int' '1 P Ann 1' '2 P Bob 2' '3 Q Cy 3'
tsv in/e.tsv 'src dst type' '1 2 T' '2 3 T'
graph() { bad "$1" "$2" import --vertices "$3" --edges "$4" -o made/g.h5; }

expect 0 1 import --vertices in/v.tsv --edges in/e.tsv -o good.h5 # the good input must work, or the refusals below prove nothing
[ -s good.h5 ] || fail "good.h5 was not written"

# columns
tsv in/no_id.tsv 'name type' 'Ann P'
graph 65 'no_id\.tsv.*\bid\b' in/no_id.tsv in/e.tsv
tsv in/no_dst.tsv 'src into type' '1 2 T'
graph 65 'no_dst\.tsv.*\bdst\b' in/v.tsv in/no_dst.tsv
tsv in/twice.tsv 'id type x x' '1 P 1 2'
graph 65 'twice\.tsv' in/twice.tsv in/e.tsv
tsv in/unknown_type.tsv 'id type x:integr' '1 P 1'
graph 65 'unknown_type\.tsv.*integr' in/unknown_type.tsv in/e.tsv

# rows
tsv in/short.tsv 'src dst type' '1 2 T' '2'
graph 65 'short\.tsv(:3|.*line 3)' in/v.tsv in/short.tsv
tsv in/wide.tsv 'src dst type' '1 2 T' '2 3 T T T'
graph 65 'wide\.tsv(:3|.*line 3)' in/v.tsv in/wide.tsv
tsv in/no_key.tsv 'id type name' '1 P Ann' '2 P Bob' ' P Cy' '3 P Di'
graph 65 'no_key\.tsv(:4|.*line 4)' in/no_key.tsv in/e.tsv
tsv in/no_end.tsv 'src dst type' '1 2 T' '1  T'
graph 65 'no_end\.tsv(:3|.*line 3)' in/v.tsv in/no_end.tsv

# ids
tsv in/unknown_id.tsv 'src dst type' '1 2 T' '2 3 T' '2 99 T'
graph 65 'unknown_id\.tsv(:4|.*line 4).*99|99.*unknown_id\.tsv(:4|.*line 4)' in/v.tsv in/unknown_id.tsv
tsv in/duplicate.tsv 'id type name x' '1 P Ann 1' '2 P Bob 2' '3 P Cy 3' '2 P Di 4'
graph 65 'duplicate\.tsv(:[35]|.*line [35])' in/duplicate.tsv in/e.tsv
tsv in/again.tsv 'id type name x:int' '7 P Ann 1' '3 P Bob 2'
bad 65 '(again|v)\.tsv(:[34]|.*line [34])' import --vertices in/v.tsv --vertices in/again.tsv --edges in/e.tsv -o made/g.h5

# values
tsv in/word.tsv 'id type name x:int' '1 P Ann 1' '2 P Bob two' '3 P Cy 3'
graph 65 'word\.tsv(:3|.*line 3)' in/word.tsv in/e.tsv
tsv in/huge.tsv 'id type name x:int' '1 P Ann 1' '2 P Bob 99999999999999999999' '3 P Cy 3'
graph 65 'huge\.tsv(:3|.*line 3)' in/huge.tsv in/e.tsv
tsv in/huge_id.tsv 'id:int type' '1 P' '99999999999999999999 P'
graph 65 'huge_id\.tsv(:3|.*line 3)' in/huge_id.tsv in/e.tsv
tsv in/nan.tsv 'id type x:float' '1 P 0.5' '2 P NaN' '3 P 1'
graph 65 'nan\.tsv(:3|.*line 3)' in/nan.tsv in/e.tsv
printf 'id\ttype\tname\n1\tP\tAnn\n2\tP\t\xff\xfe\n3\tP\tCy\n' >in/bytes.tsv
graph 65 'bytes\.tsv(:3|.*line 3)' in/bytes.tsv in/e.tsv

# files
: >in/empty.tsv
graph 65 'empty\.tsv' in/empty.tsv in/e.tsv
graph 65 'empty\.tsv' in/v.tsv in/empty.tsv
graph 66 'nowhere\.tsv' in/nowhere.tsv in/e.tsv
graph 66 'nowhere\.tsv' in/v.tsv in/nowhere.tsv
graph '65|66|74' 'in\b' in in/e.tsv
{ printf 'id\ttype\n'; seq 1 20000 | sed 's/$/\tP/'; } >in/many.tsv
gzip -c in/many.tsv | head -c 20000 >in/cut.tsv.gz
graph 65 'cut\.tsv\.gz' in/cut.tsv.gz in/e.tsv
zstd -q -c in/many.tsv | head -c 5000 >in/cut.tsv.zst
graph 65 'cut\.tsv\.zst' in/cut.tsv.zst in/e.tsv
cp in/v.tsv in/plain.tsv.gz
graph 65 'plain\.tsv\.gz' in/plain.tsv.gz in/e.tsv
printf 'id,type,name\n1,P,"Ann\n2,P,Bob\n' >in/quote.csv
bad 65 'quote\.csv(:2|.*line 2)' import --format csv --vertices in/quote.csv -o made/g.h5
printf '# a comment\n1 2\n2 x y z\n' >in/edges.snap
bad 65 'edges\.snap(:3|.*line 3)' import --format snap --edges in/edges.snap -o made/g.h5

# output and options
bad 74 'no/such/folder' import --vertices in/v.tsv --edges in/e.tsv -o no/such/folder/g.h5
mkdir folder.h5
bad 74 'folder\.h5' import --vertices in/v.tsv --edges in/e.tsv -o folder.h5
bad 2 '\bnonsense\b' import --format nonsense --edges in/e.tsv -o made/g.h5
bad 2 'output|-o\b' import --vertices in/v.tsv --edges in/e.tsv
bad 2 'edges|vertices' import -o made/g.h5
bad 2 'no-such-option' import --no-such-option -o made/g.h5
bad '2|65' '4,?294,?967,?294|limit|too (large|many|big)' generate uniform --vertices 5000000000 --edges 10 -o made/g.h5
bad 2 'nothing-known' generate nothing-known -o made/g.h5

# an existing file is not changed
cp good.h5 made/kept.h5
for ranks in 1 3; do
	gemp "$ranks" import --vertices in/v.tsv --edges in/unknown_id.tsv -o made/kept.h5
	cmp -s good.h5 made/kept.h5 || fail "a failing import changed the existing file"
	[ "$(ls -A made)" = kept.h5 ] || fail "left behind: $(ls -A made)"
done
finish
