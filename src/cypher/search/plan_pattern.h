/* plan_pattern: the patterns that the steps of a plan search for, with the conditions that the searches test. */

#ifndef GEMP_CYPHER_SEARCH_PLAN_PATTERN_H
#define GEMP_CYPHER_SEARCH_PLAN_PATTERN_H

#include "cypher/search/match_plan.h"

/* The conjuncts of WHERE. */
typedef struct gemp_cypher_conjunct {
	const gemp_cypher_expr *expr;
	bool lowered; /* some search tests it */
} gemp_cypher_conjunct;

typedef struct gemp_cypher_conditions {
	size_t count;
	gemp_cypher_conjunct *conditions; /* [count] in the arena */
} gemp_cypher_conditions;

/* where may be NULL. */
gemp_code gemp_cypher_split_conditions(gemp_cypher_conditions *out, gemp_arena *arena, const gemp_cypher_expr *where);

/* True if the part has hops, or if its vertices have labels or properties. */
bool gemp_cypher_part_needs_search(const gemp_cypher_match_plan *plan, size_t part);
/* Makes the pattern of a search step; vertices that are known become its arguments. Marks the conjuncts that it
 * tests. */
gemp_code gemp_cypher_plan_pattern(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                                   gemp_cypher_conditions *conditions, const bool *known, gemp_cypher_step *step);
/* Makes the pattern of one relationship, from a known vertex, for a step that expands. */
gemp_code gemp_cypher_plan_edge_pattern(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                                        gemp_cypher_step *step);
/* Collects the conditions that no search tests. */
gemp_code gemp_cypher_plan_residuals(gemp_cypher_match_plan *plan, const gemp_cypher_plan_input *input,
                                     const gemp_cypher_conditions *conditions);

#endif
