/* finder: finds all matches of a pattern, by one or several searches.
 *
 * A pattern with paths of variable length has a variant for each choice of lengths. A disconnected pattern has
 * components (search/components.h). The sink of search/apply.h tests conditions with EXISTS or COUNT. The finder runs
 * all variants one after the other and gives rows of the original pattern. pattern_search.c implements finder.h.
 * apply.c includes finder.h, too, because sub-patterns have finders of their own. */

#ifndef GEMP_QUERY_SEARCH_FINDER_H
#define GEMP_QUERY_SEARCH_FINDER_H

#include "core/memory.h"
#include "graph/graph.h"
#include "match/match_run.h"
#include "partition/runtime.h"

typedef struct gemp_finder_options {
	gemp_match_options match; /* match.distinct is by orbit or by nothing */
	bool edges;               /* rows have edge columns, with GEMP_NO_EDGE for a path */
	bool values;              /* rows have the values of sub-patterns that clauses read */
	uint64_t combinations;    /* max combinations of matches of components; 0: 10^9 */
	bool parts;               /* the caller prefers to search for the variants itself (gemp_finder_parts) */
} gemp_finder_options;

enum { GEMP_MAX_COMBINATIONS = 1000000000 };

/* Local. GEMP_EUSAGE if `all` combinations of matches of components are more than allowed. */
gemp_code gemp_finder_check_combinations(double all, uint64_t combinations);

typedef struct gemp_finder gemp_finder;

/* Returns the options for a sub-pattern: all embeddings are found, and rows have no values for clauses. */
gemp_finder_options gemp_finder_inner(const gemp_finder_options *options);

/* True if a condition that is tested on rows reads an edge. Rows then have edge columns even if options->edges is
 * false. */
bool gemp_finder_needs_edges(const gemp_pattern *pattern);

/* Collective. The pattern must be bound; it is borrowed. */
gemp_code gemp_finder_new(gemp_finder **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                          const gemp_finder_options *options);
/* The number of variants, if the caller shall search for each of them as for a query of its own: no condition is left
 * for a sink, and either matches are only counted, or there is a single variant, whose rows are those of the pattern.
 * 0: the finder runs the variants, as always without options.parts. */
size_t gemp_finder_parts(const gemp_finder *finder);
/* The pattern of such a variant, and how it is to be searched for. Borrowed. */
const gemp_pattern *gemp_finder_part(const gemp_finder *finder, size_t index, gemp_match_options *options);
/* Adds the figures of one search to the total. Shares and imbalances are taken from the latest search, and peaks are
 * maxima. total may be NULL. */
void gemp_finder_add_result(gemp_match_result *total, const gemp_match_result *one);

void gemp_finder_free(gemp_finder *finder);
GEMP_RELEASE(gemp_finder_free, gemp_finder *)

/* Collective. The sink gets the rows of the pattern: its vertices and edges. seeds[count * pattern->arguments] are this
 * rank's tuples of arguments; each tuple is given on one rank only. The rows are the extensions of the seeds. result
 * may be NULL. It counts rows before the conditions that need searches are tested. */
gemp_code gemp_finder_run(gemp_finder *finder, const gemp_vertex *seeds, size_t count, gemp_sink *sink,
                          gemp_match_result *result);

/* Appends the plans, each line indented by `depth` levels. */
void gemp_finder_explain(const gemp_finder *finder, int depth, gemp_text *out);

#endif
