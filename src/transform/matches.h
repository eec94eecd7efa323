/* matches: what a rule looks for, found by the query engine and kept at the ranks that found it. */
#ifndef GEMP_TRANSFORM_MATCHES_H
#define GEMP_TRANSFORM_MATCHES_H

#include "match/match.h"
#include "pattern/rule.h"
#include "query/frame.h"

typedef struct gemp_matches {
	gemp_frame frame;  /* columns of the pattern's RETURN, a row each */
	size_t width;      /* >= 1 */
	uint64_t *tuples;  /* [frame.rows * width] tell matches apart, and do not depend on the ranks: ranks of keys of
	                      vertices, numbers of edges; where a row stands for many matches, its values too */
} gemp_matches;

/* Collective. The rule is bound. options: what the user chose; what follows from the rule is set here. */
gemp_code gemp_matches_find(gemp_matches *out, gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                            const gemp_match_options *options, uint64_t combinations);
/* Collective. Its first half: the rows alone. */
gemp_code gemp_matches_rows(gemp_frame *out, gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                            const gemp_match_options *options, uint64_t combinations);
void gemp_matches_free(gemp_matches *matches);

#endif
