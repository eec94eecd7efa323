#ifndef GEMP_COUNT_PLANNER_H
#define GEMP_COUNT_PLANNER_H

#include "count/plan.h"
#include "pattern/model/pattern.h"

/* What the planner is told of a pattern's edges. */
typedef struct gemp_count_planner_options {
	bool iso;       /* --semantics iso: matches are orbits */
	bool hom;       /* --semantics hom, of a simple pattern: matches are homomorphisms */
	bool codegrees; /* a table of the common neighbours of every pair of vertices may be made */
	bool ordered;   /* PATH_PAIRS and tables of u may be asked for */
	bool parallel;  /* some pair of host vertices is joined more than once by what the edges ask for */
} gemp_count_planner_options;

/* *out stays NULL where the pattern is not one that sums are known for, and *reason then says why, in a few words ("its
 * vertices have conditions"). order: automorphisms of the pattern. */
gemp_code gemp_count_plan_new(gemp_count_plan **out, const gemp_pattern *pattern, uint64_t order,
                              const gemp_count_planner_options *premise, const char **reason);

#endif
