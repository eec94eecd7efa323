// Finds violations of the constraint: a sensor watches at most five segments in a row. For --semantics hom.
MATCH (sensor:Sensor)<-[:sensor]-(s1:Segment)-[:connectsTo]->(s2:Segment)-[:connectsTo]->(s3:Segment)
      -[:connectsTo]->(s4:Segment)-[:connectsTo]->(s5:Segment)-[:connectsTo]->(s6:Segment),
      (s2)-[:sensor]->(sensor), (s3)-[:sensor]->(sensor), (s4)-[:sensor]->(sensor),
      (s5)-[:sensor]->(sensor), (s6)-[:sensor]->(sensor)
RETURN sensor, s1, s2, s3, s4, s5, s6
