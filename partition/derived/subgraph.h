/* subgraph: makes a graph of its own from some vertices and edges of a graph. The builder makes this graph as it would
 * from a file with the same vertices and edges. */

#ifndef GEMP_PARTITION_DERIVED_SUBGRAPH_H
#define GEMP_PARTITION_DERIVED_SUBGRAPH_H

#include "comm/comm.h"
#include "graph/graph.h"

/* A set of numbers below a bound, sparse or dense: bits in pages. A page is allocated when its first bit is set. */

typedef struct gemp_page_bits {
	uint64_t bound;
	size_t page_count;
	uint64_t **pages; /* [page_count] NULL if the page has no bits */
	uint64_t count;   /* number of set bits */
} gemp_page_bits;

#define GEMP_NO_BIT UINT64_MAX

gemp_code gemp_page_bits_add(gemp_page_bits *marks, uint64_t number);

/* The vertices and edges that this rank wants. A rank may want vertices and edges of any owner. The ends of wanted
 * edges are added. */
typedef struct gemp_subgraph {
	gemp_page_bits vertices; /* ids */
	gemp_page_bits edges;    /* numbers through all relations */
} gemp_subgraph;

gemp_code gemp_subgraph_new(gemp_subgraph *out, const gemp_shard *graph); /* local */
void gemp_subgraph_free(gemp_subgraph *wanted);                           /* takes {0} */

/* Collective. Makes the graph of all vertices and edges that some rank wants, with the same keys, labels, attributes
 * and seed. If all vertices and edges are wanted, *out equals `graph`. `wanted` is emptied. Missing parts of `graph`
 * are loaded. */
gemp_code gemp_subgraph_make(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, gemp_subgraph *wanted);

#endif
