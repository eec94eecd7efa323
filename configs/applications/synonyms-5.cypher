// Words of one language that cycles of five words join, by a path of two and a path of three translations.
// The words of a cycle are distinct: --param lang=DE --semantics iso
// Each of two parallel edges makes a cycle of its own; import --undirected --parallel merge joins them.
MATCH (a:Word)-[:TRANSLATES]-(m:Word)-[:TRANSLATES]-(b:Word)-[:TRANSLATES]-(x:Word)-[:TRANSLATES]-(y:Word)-[:TRANSLATES]-(a)
WHERE a.lang = $lang AND b.lang = $lang AND id(a) < id(b)
RETURN a.word AS word, b.word AS synonym, count(*) AS cycles
ORDER BY cycles DESC, word, synonym
