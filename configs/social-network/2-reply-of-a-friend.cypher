// Replies whose author knows the author of the post.
MATCH (p1:Person)-[:knows]-(p2:Person),
      (p1)<-[:hasCreator]-(c:Comment)-[:replyOf]->(m:Post)-[:hasCreator]->(p2)
RETURN count(*) AS n
