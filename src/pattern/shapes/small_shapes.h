/* small_shapes: the names of all connected graphs with three to five vertices, as in the literature on small graphs
 * (ISGCI, the information system on graph classes; networkx). Shapes that exist in every size have their general name,
 * such as path:4. */

#ifndef GEMP_PATTERN_SHAPES_SMALL_SHAPES_H
#define GEMP_PATTERN_SHAPES_SMALL_SHAPES_H

#include <stddef.h>

typedef struct gemp_small_shape {
	const char *name;
	int vertices;
	const char *edges; /* "0-1,0-2,1-2" */
} gemp_small_shape;

/* Each of the 2 + 6 + 21 graphs occurs once. Returns NULL after the last one. */
const gemp_small_shape *gemp_small_shape_at(size_t index);

#endif
