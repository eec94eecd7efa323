// Finds violations of the constraint: if the entry semaphore of a route is green, all its switches are in the positions of the route.
MATCH (semaphore:Semaphore {signal: 'GO'})<-[:entry]-(route:Route)-[:follows]->(swP:SwitchPosition)-[:switch]->(sw:Switch)
WHERE sw.position <> swP.position
RETURN semaphore, route, swP, sw, sw.position, swP.position
