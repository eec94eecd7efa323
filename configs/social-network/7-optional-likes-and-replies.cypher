// The star of 4-star.cypher, also for messages without likes or replies.
MATCH (:Tag)<-[:hasTag]-(m:Post|Comment)-[:hasCreator]->(creator:Person)
OPTIONAL MATCH (m)<-[:likes]-(liker:Person)
OPTIONAL MATCH (m)<-[:replyOf]-(c:Comment)
RETURN count(*) AS n, count(liker) AS likes, count(c) AS replies
