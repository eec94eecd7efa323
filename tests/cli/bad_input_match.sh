# Bad input to match: wrong graphs, queries, devices and outputs.
. "$(dirname "$0")/../harness/harness.sh"
. "$(dirname "$(realpath "$0")")/bad_input.bash"

tsv in/v.tsv 'id type name age:int' '1 Person Ann 41' '2 Person Bob 27' '3 Film Cy 7'
tsv in/e.tsv 'src dst type year:int' '1 3 ACTS_IN 1990' '2 3 ACTS_IN 1991' '1 2 KNOWS 1992'
expect 0 1 import --vertices in/v.tsv --edges in/e.tsv -o g.h5
expect 0 3 match g.h5 'MATCH (a:Person)-[:ACTS_IN]->(m:Film) RETURN a.name, m' --output good.tsv
asked() { bad 2 "$1" match g.h5 "$2"; }

# names that the graph does not have: the message lists similar ones
asked 'Persn.*Person|Person.*Persn' 'MATCH (a:Persn) RETURN a'
asked 'ACTSIN.*ACTS_IN|ACTS_IN.*ACTSIN' 'MATCH (a)-[:ACTSIN]->(b) RETURN a'
asked 'nmae.*name|name.*nmae' "MATCH (a:Person) WHERE a.nmae = 'Ann' RETURN a"
asked 'nam.*name' "MATCH (a:Person {nam: 'Ann'}) RETURN a"
asked 'yeer.*year|year.*yeer' 'MATCH (a)-[e:ACTS_IN]->(b) WHERE e.yeer > 1990 RETURN a'
asked 'agee.*age' 'MATCH (a:Person) RETURN a.agee'
asked '\bz\b' 'MATCH (a:Person) WHERE z.age > 3 RETURN a'
asked '\bz\b' 'MATCH (a:Person) RETURN z'

# syntax errors: line:column and a caret
asked '1:1\b' ''
asked '1:[0-9]+' 'MATCH (a:Person RETURN a'
for ranks in 1 3; do
	gemp "$ranks" match g.h5 'MATCH (a:Person) WHERE a.age >> 3 RETURN a'
	evaluate 2 '1:31' 'a wrong operator'
	grep -Eq '^ *(\||[0-9]* *\|)? *\^' "$work/err" || complain 'no caret under the place'
done
asked '1:[0-9]+' 'MATCH (a:Person)-[:ACTS_IN->(b) RETURN a'
asked '1:[0-9]+' "MATCH (a:Person) WHERE a.name = 'Ann RETURN a"
asked '1:[0-9]+' 'FIND (a) RETURN a'
asked '1:[0-9]+' 'MATCH (a) RETURN a a'
asked '1:[0-9]+' 'MATCH (a) WHERE a.age > 99999999999999999999 RETURN a'
printf 'MATCH (a:Person)\nWHERE a.age >\nRETURN a\n' >in/query.cypher
bad 2 'query\.cypher.*3:1|3:1' match g.h5 --query-file in/query.cypher

# unsupported parts of the language: the message names them
asked 'ORDER' 'MATCH (a:Person) ORDER BY a RETURN a'
asked 'DELETE' 'MATCH (a:Person) DELETE a'
asked 'DISTINCT' 'MATCH (a:Person) RETURN toLower(DISTINCT a.name)'
asked 'string.*number|number' 'MATCH (a:Person) RETURN sum(a.name)'

asked 'EXISTS' 'MATCH (a:Person)-[r]->(b) WHERE (a)-[r]->(c) RETURN a'

# sizes and options
long=$(for i in $(seq 33); do printf ', (v0)-[:KNOWS]->(v%d)' "$i"; done)
asked '32' "MATCH ${long:2} RETURN v0"
bad 2 'cycle' match g.h5 --pattern cycle:1
bad 2 'blob' match g.h5 --pattern blob
bad 2 'edges' match g.h5 --pattern edges:0-1,1-x
bad 2 '32' match g.h5 --pattern clique:33
bad 2 'sideways' match g.h5 --pattern triangle --semantics sideways
bad 2 'everything' match g.h5 --pattern triangle --distinct everything
bad 2 'no-such-option' match g.h5 --pattern triangle --no-such-option
bad 2 'result-buffer' match g.h5 --pattern triangle --result-buffer 0
bad 2 'replicate|lots' match g.h5 --pattern triangle --replicate lots
bad 2 'query|pattern|QUERY' match g.h5
bad 2 'query|pattern|QUERY' match g.h5 'MATCH (a) RETURN a' --pattern triangle
bad 2 'frobnicate' frobnicate g.h5
printf 't 2 1\nv 0 0 1\nv 1 0 1\ne 0 5\n' >in/q.graph
bad '2|65' 'q\.graph(:4|.*line 4)' match g.h5 --query-graph in/q.graph
printf 't 2 1\nv 0 0 1\n' >in/cut.graph
bad '2|65' 'cut\.graph' match g.h5 --query-graph in/cut.graph
bad 66 'none\.graph' match g.h5 --query-graph none.graph
bad 66 'none\.cypher' match g.h5 --query-file none.cypher

# graphs
bad 66 'none\.h5' match none.h5 --pattern triangle
bad 65 'v\.tsv' match in/v.tsv --pattern triangle
: >in/empty.h5
bad 65 'empty\.h5' match in/empty.h5 --pattern triangle
head -c $(($(stat -c %s g.h5) * 2 / 3)) g.h5 >in/cut.h5
bad 65 'cut\.h5' match in/cut.h5 --pattern triangle
"$GEMP_PYTHON" - <<'END'
import h5py, shutil
with h5py.File('in/other.h5', 'w') as file:
    file['x'] = [1, 2, 3]
with h5py.File('g.h5') as file:
    where = file['edges/KNOWS/csr/indices'].id.get_offset()
    version = file.attrs['gemp-format-version']
shutil.copy('g.h5', 'in/flipped.h5')
with open('in/flipped.h5', 'r+b') as file:
    file.seek(where)
    byte = file.read(1)
    file.seek(where)
    file.write(bytes([byte[0] ^ 1]))
shutil.copy('g.h5', 'in/newer.h5')
with h5py.File('in/newer.h5', 'r+') as file:
    new = 999 if not isinstance(version, (str, bytes)) else '999.0.0'
    file.attrs['gemp-format-version'] = new
shutil.copy('g.h5', 'in/lacking.h5')
with h5py.File('in/lacking.h5', 'r+') as file:
    del file['edges/KNOWS/csr']
END
bad 65 'other\.h5' match in/other.h5 --pattern triangle
bad 65 'flipped\.h5: .* was changed after the file had been written' match in/flipped.h5 --pattern triangle
bad 65 'flipped\.h5.*(checksum|damaged)|(checksum|damaged).*flipped\.h5' match in/flipped.h5 --trust --pattern triangle
bad 65 'newer\.h5.*999|999.*newer\.h5' match in/newer.h5 --pattern triangle
bad 65 'lacking\.h5' match in/lacking.h5 --pattern triangle

# devices
export OCL_ICD_VENDORS=$work/in
bad 69 '[Dd]evice|OpenCL' match g.h5 --pattern triangle --on device
unset OCL_ICD_VENDORS
bad '2|69' 'no-such-device' match g.h5 --pattern triangle --on device --devices no-such-device
# A named device must exist, also if the host answers.
bad 69 'no-such-device' match g.h5 --pattern triangle --count --devices no-such-device
bad 69 "fits '99'" match g.h5 "MATCH (a:Person)-[:ACTS_IN]->(m) RETURN a" --devices 99

# outputs
query='MATCH (a:Person)-[:ACTS_IN]->(m) RETURN a, m'
bad 74 'no/such/folder' match g.h5 "$query" --output no/such/folder/rows.tsv
bad 74 'no/such/folder' match g.h5 "$query" --output no/such/folder/rows.h5
mkdir folder.tsv
bad 74 'folder\.tsv' match g.h5 "$query" --output folder.tsv
bad 2 'rows\.xyz' match g.h5 "$query" --output made/rows.xyz
bad 74 'no/such/folder' match g.h5 "$query" --count --json no/such/folder/report.json
bad '2|65|66' 'none\.conf' match g.h5 "$query" --config none.conf
printf 'semantics = iso\nno such = 3\n' >in/run.conf
bad '2|65' 'run\.conf(:2|.*line 2)' match g.h5 "$query" --config in/run.conf
finish
