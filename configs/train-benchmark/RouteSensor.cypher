// Finds violations of the constraint: a route is defined by all sensors of the switches that it follows.
MATCH (route:Route)-[:follows]->(swP:SwitchPosition)-[:switch]->(sw:Switch)-[:sensor]->(sensor:Sensor)
WHERE NOT (route)-[:definedBy]->(sensor)
RETURN route, sensor, swP, sw
