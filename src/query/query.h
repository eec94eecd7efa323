/* query: the search of a whole query: MATCH, conditions with sub-patterns, OPTIONAL MATCH. WITH and RETURN are stages
 * behind the caller's sink (clause/pipeline.h).
 *
 *     gemp_prepared_prepare -> gemp_prepared_explain (if wanted) -> gemp_prepared_run -> gemp_prepared_free
 *
 * A query has one of four forms. If only a count is wanted, sums over the graph (src/count) may give the count. The
 * planner of sums supports connected patterns without conditions; for other patterns it gives a reason. Sums are exact.
 * If they do not fit into memory or 64 bits, the matches are enumerated instead. If clauses group the matches of a
 * tree, the groups may be folded along its edges (search/group_folds.h) while the query is prepared. A plain pattern,
 * which is connected and has single edges and no sub-patterns, is one search. For every other pattern, rows pass a
 * chain of sinks: the finder (variants, components, EXISTS and COUNT), each OPTIONAL MATCH, deduplication by vertices
 * or subgraph, and then the caller's sink. Preparing and running are collective. */

#ifndef GEMP_QUERY_QUERY_H
#define GEMP_QUERY_QUERY_H

#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"
#include "pattern/shapes/named_pattern.h"
#include "query/clause/folded_groups.h"

typedef struct gemp_prepared_options {
	gemp_match_options match;
	uint64_t combinations; /* max combinations of matches of the pattern's components; 0: 10^9 */
	bool folds;            /* the caller takes folded groups instead of rows */
} gemp_prepared_options;

typedef struct gemp_prepared gemp_prepared;

/* True if the pattern needs more than one search. */
bool gemp_prepared_is_composed(const gemp_pattern *pattern);

/* Collective. The pattern must be bound. graph and pattern are borrowed. */
gemp_code gemp_prepared_prepare(gemp_prepared **out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *options);
void gemp_prepared_free(gemp_prepared *query);
GEMP_RELEASE(gemp_prepared_free, gemp_prepared *)

/* Collective. Returns the plan as text, which the caller frees (gemp_free), or NULL when out of memory. */
char *gemp_prepared_explain(const gemp_prepared *query);

/* Returns the group whose orbits of embeddings count as one match each, for selecting representatives; NULL if each
 * embedding is a match. */
const gemp_stab_chain *gemp_prepared_chain(const gemp_prepared *query);

/* Returns the search of a query that is one search; NULL if the query has several searches, or is counted otherwise. */
gemp_match *gemp_prepared_match(gemp_prepared *query);

/* Returns the groups that the caller passes to the clauses instead of rows of the sink, which a run does not call; NULL
 * if there are none. */
const gemp_folded_groups *gemp_prepared_groups(const gemp_prepared *query);

/* Collective. The sink gets rows of gemp_pattern_row_vertices vertices. sink may be NULL if only the counts of `result`
 * are wanted. */
gemp_code gemp_prepared_run(gemp_prepared *query, gemp_sink *sink, gemp_match_result *result);

/* MOTIFS: the number of subgraphs of each kind of a census (pattern/shapes/named_pattern.h). */

typedef struct gemp_motifs {
	gemp_count counts[GEMP_MAX_MOTIFS];
	double seconds[GEMP_MAX_MOTIFS]; /* time of each edge-induced count, with its preparation */
} gemp_motifs;

/* Collective. Counts motifs in the simple undirected graph: edge-induced, or vertex-induced under GEMP_INDUCED. Each
 * kind is a query of its own, by orbit, mostly by sums. Vertex-induced counts follow from edge-induced counts by a
 * triangular system. The rows stay resident between the queries. Only the options of counting and replicas are read. */
gemp_code gemp_motifs_count(gemp_motifs *out, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            const gemp_match_options *options);

#endif
