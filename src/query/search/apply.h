/* apply: a sink that evaluates the pattern's sub-patterns for each row. EXISTS gives a boolean, COUNT an integer. The
 * sink drops the rows for which a condition on these values is not true, and passes on the remaining rows with the
 * values.
 *
 * The sink buffers rows until some rank has many. Then the distinct tuples of outer vertices (the vertices of a row
 * that the sub-pattern uses, too) are searched for, each tuple once on all ranks together (search/correlate.h), and the
 * counts return to the rows. A sub-pattern without outer vertices is searched for once in a run.
 *
 * A sub-pattern with one outer vertex may have a table of its counts for all vertices of the graph
 * (search/subpattern_table.h) instead of a search. If all of them have, rows pass at once. */

#ifndef GEMP_QUERY_SEARCH_APPLY_H
#define GEMP_QUERY_SEARCH_APPLY_H

#include "core/memory.h"
#include "query/search/finder.h"

/* The part of a query that uses the value of a sub-pattern. Sub-patterns of conditions are evaluated before OPTIONAL
 * MATCH. Clauses may use elements of OPTIONAL MATCH, so sub-patterns of clauses are evaluated after OPTIONAL MATCH. */
typedef enum gemp_apply_purpose { GEMP_APPLY_CONDITIONS = 1, GEMP_APPLY_CLAUSES = 2 } gemp_apply_purpose;

/* True if any sub-pattern whose purpose is in `purposes` (bits of gemp_apply_purpose) needs a search. */
bool gemp_apply_needed(const gemp_pattern *pattern, unsigned purposes);

/* The finders of the sub-patterns, which all runs share. gemp_apply_new is collective. */
typedef struct gemp_apply gemp_apply;
gemp_code gemp_apply_new(gemp_apply **out, gemp_runtime *context, gemp_shard *graph, const gemp_pattern *pattern,
                         const gemp_finder_options *options, unsigned purposes);
void gemp_apply_free(gemp_apply *apply);
GEMP_RELEASE(gemp_apply_free, gemp_apply *)

/* Makes the sink of one run, which passes its rows to `next`. The caller frees the sink. */
gemp_code gemp_apply_sink(gemp_sink *out, gemp_apply *apply, gemp_sink *next);

/* Local. The candidates of a vertex of the pattern that pass the conditions on it which tables answer, as bits by
 * id; NULL: any vertex. No later sink tests these conditions. Borrowed. */
const uint32_t *gemp_apply_candidates(const gemp_apply *apply, size_t vertex);
/* False if candidates answer all conditions, and nothing reads the values of sub-patterns. */
bool gemp_apply_has_sink(const gemp_apply *apply);

void gemp_apply_explain(const gemp_apply *apply, int depth, gemp_text *out);

#endif
