// Interests of friends of friends. For --semantics hom.
MATCH (p1:Person)-[:knows]-(p2:Person)-[:knows]-(p3:Person)-[:hasInterest]->(t:Tag)
WHERE p1 <> p3
RETURN count(*) AS n
