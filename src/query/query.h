/* query: a whole query over the match engine: MATCH, conditions with sub-patterns, OPTIONAL MATCH. WITH and RETURN
 * are stages behind the caller's sink (clause/pipeline.h).
 *
 *     gemp_prepared_prepare -> gemp_prepared_explain (if wanted) -> gemp_prepared_run -> gemp_prepared_free
 *
 * A plain pattern is one search. Otherwise rows pass a chain of sinks: the finder (variants, components, EXISTS and
 * COUNT), each OPTIONAL MATCH, deduplication by vertices or subgraph, and then the caller's sink. Preparing and
 * running are collective.
 */

#ifndef GEMP_QUERY_QUERY_H
#define GEMP_QUERY_QUERY_H

#include "core/memory.h"
#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"

typedef struct gemp_prepared_options {
	gemp_match_options match;
	uint64_t combinations; /* max combinations of matches of the pattern's components; 0: 10^9 */
} gemp_prepared_options;

typedef struct gemp_prepared gemp_prepared;

/* Is the pattern more than one search? */
bool gemp_prepared_is_composed(const gemp_pattern *pattern);

/* Collective. The pattern is bound; graph and pattern are borrowed. */
gemp_code gemp_prepared_prepare(gemp_prepared **out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern, const gemp_prepared_options *options);
void gemp_prepared_free(gemp_prepared *query);
GEMP_RELEASE(gemp_prepared_free, gemp_prepared *)

/* Collective. The plan as text; the caller frees (gemp_free). NULL when out of memory. */
char *gemp_prepared_explain(const gemp_prepared *query);

/* The group whose orbits of embeddings are one match, for choosing representatives; NULL: none. */
const gemp_stab_chain *gemp_prepared_chain(const gemp_prepared *query);

/* The one search that answers it; NULL: there are several, or sums answer it. */
gemp_match *gemp_prepared_match(gemp_prepared *query);

/* Collective. Rows as gemp_pattern_row_vertices says; sink NULL: only counts. */
gemp_code gemp_prepared_run(gemp_prepared *query, gemp_sink *sink, gemp_match_result *result);

#endif
