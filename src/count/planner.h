/* planner: decides whether the matches of a pattern can be counted by sums, and makes the plan of those sums. Host
 * only.
 *
 * The pattern becomes a term (term.h), derive.h turns the term into polynomials, and the polynomials become
 * expressions. A clique or star that is larger than a term becomes one sum. All other patterns are counted by the
 * matcher, and --explain shows the reason. */

#ifndef GEMP_COUNT_PLANNER_H
#define GEMP_COUNT_PLANNER_H

#include "count/plan.h"
#include "pattern/model/pattern.h"

/* Properties of the query, the device and the graph that decide which sums are allowed. */
typedef struct gemp_count_planner_options {
	bool iso;       /* --semantics iso: a match is an orbit */
	bool hom;       /* --semantics hom, of a simple pattern: a match is a homomorphism */
	bool codegrees; /* a table of the common neighbours of every pair of vertices is possible */
	bool ordered;   /* PATH_PAIRS and tables with u_01 are allowed */
	bool parallel;  /* edges of the pattern's types join some pair of host vertices more than once */
} gemp_count_planner_options;

/* *out becomes NULL if no sums are known for the pattern; then *reason is a phrase that says why ("it has conditions").
 * order: the number of automorphisms of the pattern. */
gemp_code gemp_count_plan_new(gemp_count_plan **out, const gemp_pattern *pattern, uint64_t order,
                              const gemp_count_planner_options *premise, const char **reason);

#endif
