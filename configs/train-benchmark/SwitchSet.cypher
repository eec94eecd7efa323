// Behind a green entry semaphore all switches of the route stand as the route says.
MATCH (semaphore:Semaphore {signal: 'GO'})<-[:entry]-(route:Route)-[:follows]->(swP:SwitchPosition)-[:switch]->(sw:Switch)
WHERE sw.position <> swP.position
RETURN semaphore, route, swP, sw, sw.position, swP.position
