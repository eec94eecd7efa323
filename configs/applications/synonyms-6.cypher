// Words of one language that cycles of six words join, by two paths of three translations.
// The words of a cycle are distinct: --param lang=DE --semantics iso
// Each of two parallel edges makes a cycle of its own; import --undirected --parallel merge joins them.
MATCH (a:Word)-[:TRANSLATES]-(x:Word)-[:TRANSLATES]-(y:Word)-[:TRANSLATES]-(b:Word),
      (a)-[:TRANSLATES]-(v:Word)-[:TRANSLATES]-(w:Word)-[:TRANSLATES]-(b)
WHERE a.lang = $lang AND b.lang = $lang AND id(a) < id(b) AND id(x) < id(v)
RETURN a.word AS word, b.word AS synonym, count(*) AS cycles
ORDER BY cycles DESC, word, synonym
