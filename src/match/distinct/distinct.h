/* distinct: a sink that removes duplicates across ranks by canonical-order hashing. Each embedding gets a canonical
 * form, whose hash determines its owner; an all-to-all exchange sends it there, and the owner compares whole tuples
 * exactly.
 *
 * The sink passes on one representative of each class, in canonical form by vertex id and edge number; the writer turns
 * it into the smallest one by user keys. Where memory is short, each of several passes repeats the search for a range
 * of hashes.
 */

#ifndef GEMP_MATCH_DISTINCT_DISTINCT_H
#define GEMP_MATCH_DISTINCT_DISTINCT_H

#include "graph/batch.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/symmetry/permutation_group.h"

typedef struct gemp_distinct_options {
	int vertex_count, edge_count; /* of the batches */
	/* The group's stabiliser chain along vertices and, if edge_count, edges; borrowed. NULL: compare as as_vertices
	 * does, and pass representatives on as they were found. */
	const gemp_stab_chain *chain;
	/* --distinct vertices: compare the sorted set of vertices; the chain only makes representatives canonical. */
	bool as_vertices;
	/* --distinct subgraph: compare the sorted sets of vertices and edges; without edge columns, the set of image pairs
	 * `pairs`, which distinguishes images in a simple undirected graph. */
	bool as_subgraph;
	size_t pair_count;
	const int (*pairs)[2]; /* pattern edges as vertex positions, for as_subgraph without edge columns */
	/* With as_vertices and as_subgraph, the smallest embedding by user keys, then edge numbers, represents a class;
	 * this takes 8 bytes for each vertex of the graph. NULL: the smallest by vertex ids. */
	gemp_shard *graph;
	size_t memory;  /* bytes for the tables of this rank; 0: chosen from the budgets */
	uint64_t limit; /* classes wanted over all ranks; the search ends when so many are known; 0: all */
	/* Receives the representative of each class, on its owner; NULL: classes are only counted. Borrowed; its rounds end
	 * through this sink. */
	gemp_sink *next;
	uint64_t hash_mask; /* for tests: bits of the hash that are used; 0: all */
} gemp_distinct_options;

/* Collective. A pass covers a range of hashes. Where a rank's tables would exceed their memory, all ranks shorten the
 * range, and the last round of the pass sets *again while hashes are left. The classes of a pass are passed on at its
 * end, in batches, and `next` ends a round after each of them, which bounds its memory. Each class is passed on once
 * over all passes. After the last pass, or a round that sets *enough, `next` ends its last round. */
gemp_code gemp_distinct_new(gemp_sink *out, gemp_runtime *context, const gemp_distinct_options *options);
gemp_count gemp_distinct_count(const gemp_sink *distinct); /* classes that this rank owns, of all passes so far */
uint64_t gemp_distinct_passes(const gemp_sink *distinct);

#endif
