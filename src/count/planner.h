/* planner: decides whether the matches of a pattern can be counted by sums, and makes the plan of those sums. Host
 * only.
 *
 * The pattern becomes a term (term.h) or, if its edges but not its vertices must differ, a sum of terms
 * (distinct_edges.h). derive.h turns the terms into polynomials, and the polynomials become expressions. A clique or
 * star that is larger than a term becomes one sum. All other patterns are counted by the matcher, and --explain shows
 * the reason. */

#ifndef GEMP_COUNT_PLANNER_H
#define GEMP_COUNT_PLANNER_H

#include "count/plan.h"
#include "pattern/model/pattern.h"

/* Properties of the query, the device and the graph that decide which sums are allowed. */
typedef struct gemp_count_planner_options {
	bool iso;       /* --semantics iso: a match is an orbit */
	bool edge_iso;  /* --semantics edge-iso: a match is a homomorphism that maps no two edges to one */
	bool hom;       /* --semantics hom: a match is a homomorphism */
	bool codegrees; /* a table of the common neighbours of every pair of vertices is possible */
	bool ordered;   /* PATH_PAIRS and tables with u_01 are allowed */
	bool parallel;  /* edges of the pattern's types join some pair of host vertices more than once */
	bool loops;     /* some edge of the pattern's types is a loop; false under iso, whose matches have no loops */
	bool implied;   /* all conditions hold for every vertex of the graph that is an end of the pattern's edges */
	bool two_sided; /* without directions, each match is found twice; see query/edge_sides.h */
} gemp_count_planner_options;

/* Returns why no sums can count the pattern, as far as its shape and the options show this, or NULL. */
const char *gemp_count_refusal(const gemp_pattern *pattern, const gemp_count_planner_options *options);

/* *out becomes NULL if no sums are known for the pattern; then *reason is a phrase that says why ("it has conditions").
 * order: the number of automorphisms of the pattern, by which a plan under iso divides. */
gemp_code gemp_count_plan_new(gemp_count_plan **out, const gemp_pattern *pattern, uint64_t order,
                              const gemp_count_planner_options *options, const char **reason);

#endif
