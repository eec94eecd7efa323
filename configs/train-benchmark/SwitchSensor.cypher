// Finds violations of the constraint: every switch is watched by a sensor.
MATCH (sw:Switch)
WHERE NOT (sw)-[:sensor]->(:Sensor)
RETURN sw
