// Interests of friends of friends whom one does not know.
MATCH (p1:Person)-[:knows]-(p2:Person)-[:knows]-(p3:Person)-[:hasInterest]->(t:Tag)
WHERE NOT (p1)-[:knows]-(p3) AND p1 <> p3
RETURN count(*) AS n
