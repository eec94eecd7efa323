/* ask: numbers that each rank knows of its own vertices, asked of the owners of any. */
#ifndef GEMP_QUERY_ASK_H
#define GEMP_QUERY_ASK_H

#include "graph/graph.h"
#include "partition/context.h"

/* Collective. own: integers, one of each of this rank's vertices. ids (any order, repeated ids allowed) -> ids sorted and
 * distinct in *found, and their numbers in out, as gemp_fetch gives them. Nothing to free after an error. */
gemp_code gemp_ask(gemp_context *context, const gemp_graph *graph, const gemp_column *own, const gemp_vertex *ids,
                   size_t count, gemp_vertex **found, size_t *found_count, gemp_column *out);

#endif
