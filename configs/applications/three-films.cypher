// Pairs of people with at least three films in common.
MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person)
WHERE id(a) < id(b)
WITH a, b, count(m) AS films
WHERE films >= 3
RETURN a, b, films
