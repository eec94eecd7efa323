// Replies that have another tag and not the message's own one.
MATCH (t1:Tag)<-[:hasTag]-(m:Post|Comment)<-[:replyOf]-(c:Comment)-[:hasTag]->(t2:Tag)
WHERE NOT (c)-[:hasTag]->(t1) AND t1 <> t2
RETURN count(*) AS n
