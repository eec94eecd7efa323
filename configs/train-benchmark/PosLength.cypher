// Finds violations of the constraint: a segment has a positive length.
MATCH (segment:Segment)
WHERE segment.length <= 0
RETURN segment, segment.length
