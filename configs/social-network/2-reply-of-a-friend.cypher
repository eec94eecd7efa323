// Replies to posts of people whom one knows.
MATCH (p1:Person)-[:knows]-(p2:Person),
      (p1)<-[:hasCreator]-(c:Comment)-[:replyOf]->(m:Post)-[:hasCreator]->(p2)
RETURN count(*) AS n
