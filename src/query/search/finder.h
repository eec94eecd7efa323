/* finder: all matches of a pattern, by one or several searches.
 *
 * A pattern with paths of variable length has a variant for each choice of lengths, a disconnected pattern has
 * components (search/components.h), and conditions with EXISTS or COUNT are tested by the sink of search/apply.h. The
 * finder runs all variants one after the other and gives rows of the original pattern. finder.h is implemented by
 * pattern_search.c; apply.c includes it, since subpatterns are found by finders, too.
 */

#ifndef GEMP_QUERY_SEARCH_FINDER_H
#define GEMP_QUERY_SEARCH_FINDER_H

#include "core/memory.h"
#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"

typedef struct gemp_finder_options {
	gemp_match_options match; /* distinct: by orbit or by nothing */
	bool edges;               /* rows have edge columns, GEMP_NO_EDGE for a path */
	bool values;              /* rows have the values of sub-patterns that clauses read */
	uint64_t combinations;    /* max combinations of components; 0: 10^9 */
} gemp_finder_options;

typedef struct gemp_finder gemp_finder;

/* The options for a pattern within the pattern: all its embeddings, without columns for clauses. */
gemp_finder_options gemp_finder_inner(const gemp_finder_options *options);

/* Does a condition that is tested on rows use edges? Then rows have edge columns, whatever the options say. */
bool gemp_finder_needs_edges(const gemp_pattern *pattern);

/* Collective. The pattern is bound, and borrowed. */
gemp_code gemp_finder_new(gemp_finder **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                          const gemp_finder_options *options);
void gemp_finder_free(gemp_finder *finder);
GEMP_RELEASE(gemp_finder_free, gemp_finder *)

/* Collective. The sink gets the rows of the pattern: its vertices and edges. seeds: [count * pattern->arguments] of
 * this rank, each tuple on one rank; the rows are the extensions of these tuples. result may be NULL; it counts rows
 * before conditions that need searches are tested. */
gemp_code gemp_finder_run(gemp_finder *finder, const gemp_vertex *seeds, size_t count, gemp_sink *sink,
                          gemp_match_result *result);

/* Appends the plans, indented by `depth` levels. */
void gemp_finder_explain(const gemp_finder *finder, int depth, gemp_text *out);

#endif
