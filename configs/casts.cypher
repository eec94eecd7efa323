MATCH (a:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(b:Person),
      (c:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(d:Person)
WHERE a.name CONTAINS 'Jack'
RETURN m.name AS film, a.name AS jack, b.name, c.name, d.name
