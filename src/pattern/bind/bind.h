/* bind: resolves the names of a parsed pattern or of rules against a graph.
 *
 * Labels become tables over the graph's label sets, edge types become tables over its relations, attributes become
 * columns. Types are inferred from the leaves up (type_inference.h), conditions between values of different types are
 * folded, and COUNT or EXISTS of a single edge becomes a degree. A pattern is bound once: its folded conditions belong
 * to this graph. Local; all ranks bind the same text and get the same result.
 */

#ifndef GEMP_PATTERN_BIND_BIND_H
#define GEMP_PATTERN_BIND_BIND_H

#include "graph/graph.h"
#include "pattern/model/rule.h"

/* An unknown label, type or attribute is GEMP_EUSAGE with its place and a suggestion. Conditions that compare values of
 * different types (a string attribute and a number) give a warning and are folded, so that the remaining ones compare
 * values of one type; the conditions are in normal form again. */
gemp_code gemp_pattern_bind(gemp_pattern *pattern, const gemp_shard *graph);
/* lenient: a label, type or attribute that the graph does not have matches nothing, or is NULL, with a warning. */
gemp_code gemp_pattern_bind_with(gemp_pattern *pattern, const gemp_shard *graph, bool lenient);

/* gemp_pattern_bind_with for every rule. Labels, types and attributes that updates of some rule give may be new to the
 * graph: they match nothing yet, or are NULL, without a warning. */
gemp_code gemp_rule_set_bind(gemp_rule_set *rules, const gemp_shard *graph, bool lenient);

#endif
