// Replies with another tag than the message.
MATCH (t1:Tag)<-[:hasTag]-(m:Post|Comment)<-[:replyOf]-(c:Comment)-[:hasTag]->(t2:Tag)
WHERE t1 <> t2
RETURN count(*) AS n
