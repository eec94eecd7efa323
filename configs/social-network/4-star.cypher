// A message with its tags, likes, replies and author.
MATCH (:Tag)<-[:hasTag]-(m:Post|Comment)-[:hasCreator]->(creator:Person),
      (m)<-[:likes]-(liker:Person), (m)<-[:replyOf]-(c:Comment)
RETURN count(*) AS n
