/* distinct: a sink that removes duplicates across ranks by canonical-order hashing: canonical form, hash, owner,
 * all-to-all exchange, and exact comparison of whole tuples at the owner.
 *
 * It takes embeddings and hands on one representative of each class, in canonical form by vertex id and edge number;
 * the writer turns it into the smallest by user keys. Where memory is short the hashes are covered in several passes,
 * each of which searches again.
 */

#ifndef GEMP_MATCH_DISTINCT_DISTINCT_H
#define GEMP_MATCH_DISTINCT_DISTINCT_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/symmetry/permutation_group.h"

typedef struct gemp_distinct_options {
	int vertex_count, edge_count; /* of the batches taken */
	const gemp_stab_chain *chain; /* the group's chain along vertices, then edges (edges only if edge_count); borrowed.
	                                    NULL: as as_vertices, representatives are what was found */
	bool as_vertices;             /* --distinct vertices: compare the sorted set of vertices; the chain only makes
	                                    representatives canonical */
	bool as_subgraph;             /* --distinct subgraph: compare the sorted set of vertices and the sorted set of
	                                    (edges); without edge columns, the set of image pairs `pairs`, which tells
	                                    images apart in a simple undirected graph */
	size_t pair_count;
	const int (*pairs)[2]; /* pattern edges as vertex positions, for as_subgraph without edge columns */
	gemp_shard *graph;     /* as_vertices and as_subgraph hand on the smallest embedding by user keys (then
	                                    edge numbers); 8 bytes a vertex of the graph. NULL: by vertex ids */
	size_t memory;         /* bytes for the table of this rank; 0: choose from budgets */
	uint64_t limit;        /* classes wanted over all ranks: as soon as so many are known they are handed on
	                                    and no more are wanted; 0: all */
	gemp_sink *next;       /* gets the smallest embedding of each class, at its owner; NULL: only count.
	                                    Borrowed; its turns come through this sink */
	uint64_t hash_mask;    /* tests: bits of the hash that are used; 0: all */
} gemp_distinct_options;

/* Collective. Rows of a pass are handed on at its end, in batches with a turn of `next` after each, so that each class is handed on
 * once over all passes and next's memory is bounded. A pass covers a range of hashes: where the table would pass its
 * memory, the range is cut down on all ranks, and the last turn of the pass sets *again while ranges are left. A turn that
 * sets *enough, or a last one that does not set *again, gives next its last turn. */
gemp_code gemp_distinct_new(gemp_sink *out, gemp_runtime *context, const gemp_distinct_options *options);
gemp_count gemp_distinct_count(const gemp_sink *distinct); /* this rank's classes so far, all passes */
uint64_t gemp_distinct_passes(const gemp_sink *distinct);

#endif
