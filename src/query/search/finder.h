/* finder: all matches of a pattern, by as many searches as it takes.
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
	bool values;              /* clauses read values of subpatterns: rows have them */
	uint64_t combinations;    /* max combinations of components; 0: 10^9 */
} gemp_finder_options;

typedef struct gemp_finder gemp_finder;

/* Does a condition that is tested on rows use edges? Then rows have edge columns, whatever the options say. */
bool gemp_finder_needs_edges(const gemp_pattern *pattern);

/* Collective. The pattern is bound, and borrowed. */
gemp_code gemp_finder_new(gemp_finder **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                          const gemp_finder_options *options);
void gemp_finder_free(gemp_finder *finder);
GEMP_RELEASE(gemp_finder_free, gemp_finder *)

/* Collective. Rows of the pattern, its vertices and edges, to the sink. seeds: [count * pattern->arguments] of this rank,
 * each tuple on one rank; the rows are their extensions. result may be NULL; its counts are those of rows before
 * conditions that need searches. */
gemp_code gemp_finder_run(gemp_finder *finder, const gemp_vertex *seeds, size_t count, gemp_sink *sink,
                          gemp_match_result *result);

/* The plans as text, `depth` levels to the right; the caller frees (gemp_free). */
struct gemp_text;
void gemp_finder_explain(const gemp_finder *finder, int depth, struct gemp_text *out);

#endif
