#ifndef GEMP_PATTERN_BIND_BIND_H
#define GEMP_PATTERN_BIND_BIND_H

#include "graph/graph.h"
#include "pattern/model/rule.h"

/* Resolve names; an unknown label, type or attribute is GEMP_EUSAGE with the place and near names. Conditions that
 * compare what cannot be equal (a string attribute and a number) give a warning and are folded, so that all that
 * stay compare like with like; the conditions are in normal form again. Once for a pattern: its folded conditions
 * belong to this graph. */
gemp_code gemp_pattern_bind(gemp_pattern *pattern, const gemp_shard *graph);
/* lenient: a label, type or attribute that the graph does not have matches nothing, or is NULL, with a warning. */
gemp_code gemp_pattern_bind_with(gemp_pattern *pattern, const gemp_shard *graph, bool lenient);

/* gemp_pattern_bind_with for every rule. Labels, types and attributes that updates of some rule give may be new to the
 * graph: they match nothing yet, or are NULL, without a warning. */
gemp_code gemp_rule_set_bind(gemp_rule_set *rules, const gemp_shard *graph, bool lenient);

#endif
