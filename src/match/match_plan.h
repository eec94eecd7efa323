/* match_plan: makes the plan of a match, and decides whether its matches are listed and whether duplicates are
 * removed. */

#ifndef GEMP_MATCH_MATCH_PLAN_H
#define GEMP_MATCH_MATCH_PLAN_H

#include "match/match_state.h"

/* The options of all plans of the match. They borrow from the match. */
gemp_plan_options gemp_match_plan_options(const gemp_match *match);
/* Collective. Makes match->plan anew. two_paths: a table may count the last vertex (pattern/plan/plan.h). */
gemp_code gemp_match_plan(gemp_match *match, bool two_paths);
/* Collective. Searches for a better order by samples, unless the user gave an order or the plan uses two-paths. */
gemp_code gemp_match_improve_order(gemp_match *match);

/* True if matches are delivered one by one; otherwise the search only counts them. The match has a plan. */
bool gemp_match_needs_listing(const gemp_match *match);

#endif
