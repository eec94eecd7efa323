#ifndef GEMP_PATTERN_PLAN_PLANNER_H
#define GEMP_PATTERN_PLAN_PLANNER_H

#include "pattern/plan/plan.h"
#include "pattern/symmetry/permutation_group.h"

gemp_code gemp_plan_new(gemp_plan **out, const gemp_pattern *pattern, const gemp_symmetry *symmetry,
                        const gemp_statistics *statistics, const gemp_plan_options *options);

#endif
