// The ten pairs of people with the most films in common, and the titles of these films.
MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person)
WHERE id(a) < id(b)
WITH a, b, count(m) AS films, collect(m.name) AS titles
WHERE films >= 3
RETURN a.name AS a, b.name AS b, films, titles
ORDER BY films DESC, a, b
LIMIT 10
