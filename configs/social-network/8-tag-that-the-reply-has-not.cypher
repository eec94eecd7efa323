// Replies with a tag that the message does not have, and without the tag of the message.
MATCH (t1:Tag)<-[:hasTag]-(m:Post|Comment)<-[:replyOf]-(c:Comment)-[:hasTag]->(t2:Tag)
WHERE NOT (c)-[:hasTag]->(t1) AND t1 <> t2
RETURN count(*) AS n
