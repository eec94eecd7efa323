/* value_classes: numbers the distinct values of an attribute, so that matches are grouped by values.
 *
 * A class consists of the vertices with one value; NULL is a value, NaN equals NaN, and 0.0 equals -0.0. All ranks
 * number the classes of all vertices alike, in the order of their first vertices. */

#ifndef GEMP_MATCH_GROUPS_VALUE_CLASSES_H
#define GEMP_MATCH_GROUPS_VALUE_CLASSES_H

#include "core/memory.h"
#include "graph/graph.h"
#include "partition/runtime.h"

typedef struct gemp_value_classes {
	uint32_t *of;       /* [vertices] the class of each vertex, by id; NULL: there are too many values */
	gemp_vertex *first; /* [count] the vertex of each class with the least id */
	size_t count;
} gemp_value_classes;

/* Collective. Loads the column of the graph's attributes. `among` are the vertices that are numbered, as bits by id,
 * and the classes of others mean nothing; NULL: all. Makes no classes if more than a quarter of the vertices of a rank
 * have values of their own, unless they are few. */
gemp_code gemp_value_classes_new(gemp_value_classes *out, gemp_runtime *context, gemp_shard *graph, size_t column,
                                 const uint32_t *among);
void gemp_value_classes_free(gemp_value_classes *classes);

#endif
