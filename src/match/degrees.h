/* degrees: how many edges there are at each vertex, COUNT { (v)-[:T]->() }. */
#ifndef GEMP_MATCH_DEGREES_H
#define GEMP_MATCH_DEGREES_H

#include "partition/context.h"
#include "pattern/pattern.h"

/* Collective. out becomes an integer column (initialised here) of this rank's own vertices: edges of relations
 * [graph->relation_count] in this direction (0 out, 1 in, 2 either). Parallel edges all count; a loop counts once, in
 * `either` too, or not at all: see gemp_degree_loops. Loads what it reads. */
gemp_code gemp_degrees(gemp_context *context, gemp_graph *graph, const bool *relations, int direction, bool count_loops,
                       gemp_column *out);

/* Do loops count? Where distinct vertices of a pattern are distinct vertices of the graph, the far end is another one. */
static inline bool gemp_degree_loops(gemp_semantics semantics)
{
	return semantics == GEMP_EDGE_ISO || semantics == GEMP_HOM;
}

#endif
