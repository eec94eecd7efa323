// Words of one language with at least two common translations: --param lang=DE
MATCH (a:Word)-[:TRANSLATES]-(m:Word)-[:TRANSLATES]-(b:Word)
WHERE a.lang = $lang AND b.lang = $lang AND id(a) < id(b)
WITH a, b, count(DISTINCT m) AS ways
WHERE ways >= 2
RETURN a.word AS word, b.word AS synonym, ways
ORDER BY ways DESC, word, synonym
