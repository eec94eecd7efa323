/* matches: what a rule looks for, found by the query engine and kept at the ranks that found it. */
#ifndef GEMP_TRANSFORM_MATCHES_H
#define GEMP_TRANSFORM_MATCHES_H

#include "match/match.h"
#include "pattern/rule.h"
#include "query/frame.h"

/* Collective. The rule is bound. options: what the user chose; what follows from the rule is set here. *out gets the
 * columns of the pattern's RETURN, a row for each match that this rank found; the caller frees it, and need not after
 * an error. */
gemp_code gemp_matches_rows(gemp_frame *out, gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                            const gemp_match_options *options, uint64_t combinations);

#endif
