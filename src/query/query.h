/* query: a whole query over the match engine: MATCH, conditions that need searches of their own, OPTIONAL MATCH. What WITH
 * and RETURN make of the rows is the sink's business (stage.h).
 *
 *     gemp_query_prepare -> gemp_query_explain (if wanted) -> gemp_query_run -> gemp_query_free
 *
 * A plain pattern is one search. Otherwise rows pass a chain: finder (variants, parts, EXISTS and COUNT), each OPTIONAL
 * MATCH, deduplication by vertices or subgraph, and then the caller's sink.
 */

#ifndef GEMP_QUERY_QUERY_H
#define GEMP_QUERY_QUERY_H

#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/context.h"

typedef struct gemp_query_options {
	gemp_match_options match;
	uint64_t combinations; /* most combinations of parts that do not hang together; 0: 10^9 */
} gemp_query_options;

typedef struct gemp_query gemp_query;

/* Is the pattern more than one search? */
bool gemp_query_is_composed(const gemp_pattern *pattern);

/* Collective. The pattern is bound; graph and pattern are borrowed. */
gemp_code gemp_query_prepare(gemp_query **out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                             const gemp_query_options *options);
void gemp_query_free(gemp_query *query);

/* Collective. The plan as text; the caller frees (gemp_free). NULL when out of memory. */
char *gemp_query_explain(const gemp_query *query);

/* The group that makes embeddings one match, for choosing representatives; NULL: none does. */
const gemp_stab_chain *gemp_query_chain(const gemp_query *query);

/* The one search that answers it; NULL: there are several, or sums answer it. */
gemp_match *gemp_query_match(gemp_query *query);

/* Collective. Rows as gemp_pattern_row_vertices says; sink NULL: only counts. */
gemp_code gemp_query_run(gemp_query *query, gemp_sink *sink, gemp_match_result *result);

#endif
