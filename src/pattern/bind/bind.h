/* bind: resolves the names of a parsed pattern or of rules against a graph.
 *
 * Labels become tables over the graph's label sets, edge types become tables over its relations, attributes become
 * columns. Types are inferred from the leaves up (type_inference.h), conditions between values of different types are
 * folded, and COUNT or EXISTS of a single edge becomes a degree. A pattern is bound once, because its folded conditions
 * hold only for this graph. All functions are local. All ranks bind the same text and get the same result. */

#ifndef GEMP_PATTERN_BIND_BIND_H
#define GEMP_PATTERN_BIND_BIND_H

#include "graph/graph.h"
#include "pattern/model/rule.h"

/* An unknown label, type or attribute is GEMP_EUSAGE with its place and a suggestion. A condition that compares values
 * of different types (a string attribute and a number) gives a warning and is folded. The other conditions compare
 * values of one type, and all conditions are in normal form. */
gemp_code gemp_pattern_bind(gemp_pattern *pattern, const gemp_shard *graph);
/* If lenient is true, an unknown name gives a warning instead. A label or type that the graph does not have matches
 * nothing, and such an attribute is NULL. */
gemp_code gemp_pattern_bind_with(gemp_pattern *pattern, const gemp_shard *graph, bool lenient);

/* Calls gemp_pattern_bind_with for every rule. Labels, types and attributes that the updates of some rule introduce may
 * be unknown to the graph. They give no warning; until they exist, labels and types match nothing, and attributes are
 * NULL. */
gemp_code gemp_rule_set_bind(gemp_rule_set *rules, const gemp_shard *graph, bool lenient);

#endif
