// For each person the interests of friends of friends whom the person does not know.
MATCH (p1:Person)-[:knows]-(p2:Person)-[:knows]-(p3:Person)-[:hasInterest]->(t:Tag)
WHERE NOT (p1)-[:knows]-(p3) AND p1 <> p3
RETURN count(*) AS n
