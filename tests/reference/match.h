/* Finds every embedding of a query, one by one, and the classes of --distinct, by brute force. */
#ifndef REFERENCE_MATCH_H
#define REFERENCE_MATCH_H

#include "query.h"

typedef enum { REF_ISO, REF_EDGE_ISO, REF_HOM, REF_INDUCED } ref_semantics;
typedef enum { REF_ORBIT, REF_SUBGRAPH, REF_VERTICES, REF_NOTHING } ref_distinct;

/* images[point] is a host vertex or edge; points are numbered as in query.h. If the function returns false, the search
 * ends. */
typedef bool ref_found(void *context, const uint32_t *images);
void ref_embeddings(const ref_graph *graph, const ref_query *query, ref_semantics semantics, ref_found *found,
                    void *context);

/* All automorphisms of the query, including the identity: permutations of 0..V-1 (vertices) and V..V+E-1 (edges). */
typedef struct {
	size_t order, points;
	int *images; /* [order * points] */
} ref_group;
ref_group ref_automorphisms(const ref_query *query);

typedef struct {
	uint64_t embeddings, matches;
	bool complete; /* false: there are more than `most` embeddings */
	size_t group_order;
	size_t rows;        /* number of representatives, if `rows` was requested */
	size_t width;       /* V + E */
	uint32_t *elements; /* [rows * width] host vertices, then host edges, in the order of the query */
} ref_answer;
ref_answer ref_matches(const ref_graph *graph, const ref_query *query, ref_semantics semantics, ref_distinct distinct,
                       bool listed, uint64_t most);

#endif
