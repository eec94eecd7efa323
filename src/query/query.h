/* query: the search of a whole query: MATCH, conditions with sub-patterns, OPTIONAL MATCH. WITH and RETURN are stages behind
 * the caller's sink (clause/pipeline.h).
 *
 *     gemp_prepared_prepare -> gemp_prepared_explain (if wanted) -> gemp_prepared_run -> gemp_prepared_free
 *
 * If only a count is wanted, sums over the graph (src/count) may give it. The planner of sums knows connected patterns
 * without conditions; for other patterns it gives a reason. Sums are exact: if they do not fit into memory or 64 bits, the
 * matches are enumerated after all. A plain pattern is one search. Otherwise rows pass a chain of sinks: the finder
 * (variants, components, EXISTS and COUNT), each OPTIONAL MATCH, deduplication by vertices or subgraph, and then the
 * caller's sink. Preparing and running are collective.
 */

#ifndef GEMP_QUERY_QUERY_H
#define GEMP_QUERY_QUERY_H

#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"
#include "pattern/shapes/named_pattern.h"

typedef struct gemp_prepared_options {
	gemp_match_options match;
	uint64_t combinations; /* max combinations of matches of the pattern's components; 0: 10^9 */
} gemp_prepared_options;

typedef struct gemp_prepared gemp_prepared;

/* Does the pattern need more than one search? */
bool gemp_prepared_is_composed(const gemp_pattern *pattern);

/* Collective. The pattern is bound; graph and pattern are borrowed. */
gemp_code gemp_prepared_prepare(gemp_prepared **out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *options);
void gemp_prepared_free(gemp_prepared *query);
GEMP_RELEASE(gemp_prepared_free, gemp_prepared *)

/* Collective. The plan as text; the caller frees (gemp_free). NULL when out of memory. */
char *gemp_prepared_explain(const gemp_prepared *query);

/* The group under which the embeddings of one orbit are one match, for choosing representatives; NULL: each embedding
 * is a match. */
const gemp_stab_chain *gemp_prepared_chain(const gemp_prepared *query);

/* The search of a query that is one search; NULL: it has several searches, or sums. */
gemp_match *gemp_prepared_match(gemp_prepared *query);

/* Collective. The sink gets rows of gemp_pattern_row_vertices vertices; NULL: only the counts of `result` are
 * wanted. */
gemp_code gemp_prepared_run(gemp_prepared *query, gemp_sink *sink, gemp_match_result *result);

/* MOTIFS: the number of subgraphs of each kind of a census (pattern/shapes/named_pattern.h). */

typedef struct gemp_motifs {
	gemp_count counts[GEMP_MAX_MOTIFS];
	double seconds[GEMP_MAX_MOTIFS]; /* of each edge-induced count, with its preparation */
} gemp_motifs;

/* Collective. Counts in the simple undirected graph: edge-induced, or vertex-induced under GEMP_INDUCED. Each kind is a
 * query of its own, by orbit, mostly by sums; vertex-induced counts follow from edge-induced counts by a triangular
 * system. Rows stay resident between the queries. Only the options of counting and replicas are read. */
gemp_code gemp_motifs_count(gemp_motifs *out, gemp_runtime *context, gemp_shard *graph, const gemp_census *census,
                            const gemp_match_options *options);

#endif
