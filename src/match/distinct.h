/* distinct: deduplication across ranks by canonical-order hashing: canonical form -> hash -> owner -> all-to-all -> exact
 * comparison of whole tuples, in hash-range passes when memory is short.
 *
 * A sink: takes embeddings, hands on one representative of each class (in canonical form by vertex id and edge number;
 * the writer turns it into the smallest by user keys).
 */
#ifndef GEMP_MATCH_DISTINCT_H
#define GEMP_MATCH_DISTINCT_H

#include "graph/table.h"
#include "partition/context.h"
#include "pattern/symmetry.h"

typedef struct gemp_distinct_options {
	int vertex_count, edge_count;    /* of the batches taken */
	const gemp_chain *chain;         /* the group's chain along vertices, then edges (edges only if edge_count); borrowed.
	                                    NULL: sort the vertices (--distinct vertices), drop the edges for comparison */
	bool as_subgraph;                /* --distinct subgraph: compare the sorted set of vertices and the sorted set of
	                                    (edges); without edge columns, the set of image pairs `pairs` */
	size_t pair_count;
	const int (*pairs)[2];           /* pattern edges as vertex positions, for as_subgraph without edge columns */
	size_t memory;                   /* bytes for the table of this rank; 0: choose from budgets */
	gemp_sink *next;                 /* gets the first of each class, at its owner; NULL: only count. Borrowed */
} gemp_distinct_options;

gemp_code gemp_distinct_new(gemp_sink *out, gemp_context *context, const gemp_distinct_options *options);
gemp_count gemp_distinct_count(const gemp_sink *distinct); /* this rank's classes so far, all passes */
uint64_t gemp_distinct_passes(const gemp_sink *distinct);

#endif
