/* subgraph: some vertices and edges of a graph become a graph of their own, which the builder makes of them as it would of a file
 * with this content. */

#ifndef GEMP_PARTITION_DERIVED_SUBGRAPH_H
#define GEMP_PARTITION_DERIVED_SUBGRAPH_H

#include "comm/comm.h"
#include "graph/graph.h"

/* A set of numbers below a bound, sparse or dense. Pages of bits are allocated when something in them is set. */

typedef struct gemp_page_bits {
	uint64_t bound;
	size_t page_count;
	uint64_t **pages; /* [page_count]; NULL: nothing is marked there */
	uint64_t count;   /* of marked numbers */
} gemp_page_bits;

#define GEMP_NO_BIT UINT64_MAX

gemp_code gemp_page_bits_add(gemp_page_bits *marks, uint64_t number);

/* What any rank wants of a graph. Ends of edges come with them. */
typedef struct gemp_subgraph {
	gemp_page_bits vertices; /* ids */
	gemp_page_bits edges;    /* of all relations numbered through */
} gemp_subgraph;

gemp_code gemp_subgraph_new(gemp_subgraph *out, const gemp_shard *graph); /* local */
void gemp_subgraph_free(gemp_subgraph *wanted);                           /* takes {0} */

/* Collective. The graph of what the ranks want together, with keys, labels and attributes as they are, and the same
 * seed, so that of all vertices and edges it is the graph itself. `wanted` is used up. What is not loaded of `graph`
 * is loaded. */
gemp_code gemp_subgraph_make(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, gemp_subgraph *wanted);

#endif
