// Three people of one country who know one another.
MATCH (p1:Person)-[:knows]-(p2:Person)-[:knows]-(p3:Person)-[:knows]-(p1),
      (p1)-[:isLocatedIn]->(:City)-[:isPartOf]->(c:Country),
      (p2)-[:isLocatedIn]->(:City)-[:isPartOf]->(c),
      (p3)-[:isLocatedIn]->(:City)-[:isPartOf]->(c)
RETURN count(*) AS n
