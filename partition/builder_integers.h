/* builder_integers: integer keys in blocks. Where all keys of a graph are integers, ends of edges are kept as numbers
 * and no rank needs a dictionary of them.
 */
#ifndef GEMP_PARTITION_BUILDER_INTEGERS_H
#define GEMP_PARTITION_BUILDER_INTEGERS_H

#include "partition/builder_state.h"

/* Collective. The distinct ends of all edges, each on the rank that owns the key, are added to `list` as implied
 * vertices with the labels of that index. */
gemp_code gemp_builder_integer_vertices(gemp_builder *builder, gemp_vertex_list *list, uint32_t labels);

/* Edges with an end that is no vertex: that of the lowest place, and how many there are on this rank. */
typedef struct gemp_unknown_end {
	uint64_t place, count;
	bool source;   /* else the target */
	uint64_t key;  /* as a number */
} gemp_unknown_end;

/* Collective. Ids in place of the ends of all edges; unknown ends are noted, and are no failure here. */
gemp_code gemp_builder_integer_ids(gemp_builder *builder, const gemp_graph *graph, gemp_unknown_end *unknown);

#endif
