/* optional_match: OPTIONAL MATCH as a sink. It passes on each row once for every match of the optional pattern that
 * extends it, or once with missing elements. Rows are buffered and correlated as in search/apply.h; here the matches
 * themselves return.
 */

#ifndef GEMP_QUERY_SEARCH_OPTIONAL_MATCH_H
#define GEMP_QUERY_SEARCH_OPTIONAL_MATCH_H

#include "core/memory.h"
#include "query/search/finder.h"

typedef struct gemp_optional_match gemp_optional_match;

/* Collective. For the OPTIONAL MATCH with this index; the pattern is bound and borrowed. */
gemp_code gemp_optional_match_new(gemp_optional_match **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern, size_t index, const gemp_finder_options *options);
void gemp_optional_match_free(gemp_optional_match *part);
GEMP_RELEASE(gemp_optional_match_free, gemp_optional_match *)

/* The sink of one run. Its rows have the elements of the pattern and of the optionals before this one. The caller frees
 * it. */
gemp_code gemp_optional_match_sink(gemp_sink *out, gemp_optional_match *part, gemp_sink *next);

void gemp_optional_match_explain(const gemp_optional_match *part, int depth, gemp_text *out);

#endif
