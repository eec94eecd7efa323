// Finds violations of the constraint: the exit semaphore of a route is the entry semaphore of the next route. For --semantics hom.
MATCH (semaphore:Semaphore)<-[:exit]-(route1:Route)-[:definedBy]->(sensor1:Sensor)<-[:sensor]-(te1)
      -[:connectsTo]->(te2)-[:sensor]->(sensor2:Sensor)<-[:definedBy]-(route2:Route)
WHERE route1 <> route2 AND NOT (semaphore)<-[:entry]-(route2)
RETURN semaphore, route1, route2, sensor1, sensor2, te1, te2
