/* typed_graph: what the edges of a graph say about a typed term (typed_terms.h): which edges of the term change no
 * count, whether labels exclude all matches, and figures for estimates. */

#ifndef GEMP_COUNT_TYPED_GRAPH_H
#define GEMP_COUNT_TYPED_GRAPH_H

#include "comm/comm.h"
#include "count/typed_terms.h"
#include "graph/graph.h"

typedef struct gemp_typed_graph {
	const gemp_comm *comm;
	gemp_shard *graph;
	const gemp_type_sets *types;
} gemp_typed_graph;

/* Figures of a set of relations. */
typedef struct gemp_type_figures {
	double edges, ends[2]; /* ends: sources and targets of the relation that has most of them */
} gemp_type_figures;

/* Local. The ends of the relations are known (partition/views/relation_ends.h). */
gemp_type_figures gemp_type_figures_of(const gemp_shard *graph, const bool *relations);

/* Collective. *may becomes false if no label set allows all edges of some vertex. Such terms come from vertices that
 * have become one. Finds the ends of the term's relations. */
gemp_code gemp_typed_graph_may_match(const gemp_typed_graph *typed, const gemp_typed_term *term, bool *may);

/* Collective. Leaves out edges that other edges imply. An edge of EXISTS becomes an ordinary one if there are no
 * parallel edges. */
gemp_code gemp_typed_graph_simplify(const gemp_typed_graph *typed, gemp_typed_term *term);

/* True if every vertex of the graph that is this end of an edge has one of the label sets. The ends are known. */
bool gemp_relations_imply(const gemp_shard *graph, const bool *relations, bool either, bool target,
                          const bool *label_sets);
bool gemp_typed_graph_implies(const gemp_typed_graph *typed, const gemp_typed_edge *edge, bool target,
                              const bool *label_sets);

#endif
