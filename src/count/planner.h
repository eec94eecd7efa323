/* planner: decides whether the matches of a pattern can be counted by sums, and makes the plan of those sums. Host
 * only.
 *
 * The pattern becomes a term (term.h), derive.h turns the term into polynomials, and those become expressions. Cliques
 * and stars beyond the size of a term are one sum each. Everything else is left to the matcher, with a reason that
 * --explain shows.
 */

#ifndef GEMP_COUNT_PLANNER_H
#define GEMP_COUNT_PLANNER_H

#include "count/plan.h"
#include "pattern/model/pattern.h"

/* Properties of the query, the device and the graph that decide which sums are allowed. */
typedef struct gemp_count_planner_options {
	bool iso;       /* --semantics iso: matches are orbits */
	bool hom;       /* --semantics hom, of a simple pattern: matches are homomorphisms */
	bool codegrees; /* a table of the common neighbours of every pair of vertices may be made */
	bool ordered;   /* PATH_PAIRS and tables of u may be asked for */
	bool parallel;  /* some pair of host vertices is joined more than once by edges of the pattern's types */
} gemp_count_planner_options;

/* *out stays NULL where no sums are known for the pattern, and *reason then says why in a few words ("it has
 * conditions"). order: the number of automorphisms of the pattern. */
gemp_code gemp_count_plan_new(gemp_count_plan **out, const gemp_pattern *pattern, uint64_t order,
                              const gemp_count_planner_options *premise, const char **reason);

#endif
