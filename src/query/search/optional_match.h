/* optional_match: a sink for OPTIONAL MATCH. The sink passes on each row once for every match of the optional pattern
 * that extends the row. A row without such a match is passed on once, with missing elements. Rows are buffered and
 * correlated as in search/apply.h, but the matches return instead of their counts. */

#ifndef GEMP_QUERY_SEARCH_OPTIONAL_MATCH_H
#define GEMP_QUERY_SEARCH_OPTIONAL_MATCH_H

#include "core/memory.h"
#include "query/search/finder.h"

typedef struct gemp_optional_match gemp_optional_match;

/* Collective. `index` is the number of the OPTIONAL MATCH in the pattern. The pattern must be bound; it is borrowed. */
gemp_code gemp_optional_match_new(gemp_optional_match **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, size_t index, const gemp_finder_options *options);
void gemp_optional_match_free(gemp_optional_match *part);
GEMP_RELEASE(gemp_optional_match_free, gemp_optional_match *)

/* Makes the sink of one run. The rows that the sink consumes have the elements of the pattern and of the OPTIONAL
 * MATCHes before this one. The caller frees the sink. */
gemp_code gemp_optional_match_sink(gemp_sink *out, gemp_optional_match *part, gemp_sink *next);

void gemp_optional_match_explain(const gemp_optional_match *part, int depth, gemp_text *out);

#endif
