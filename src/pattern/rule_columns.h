/* rule_columns: where a rule's rows have the variables of its pattern. */
#ifndef GEMP_PATTERN_RULE_COLUMNS_H
#define GEMP_PATTERN_RULE_COLUMNS_H

#include "pattern/rule.h"

#define GEMP_NO_COLUMN SIZE_MAX

/* Which columns of the rows the variables of a rule's pattern and its OPTIONAL MATCH are in. */
typedef struct gemp_rule_columns {
	size_t vertex[GEMP_MAX_PATTERN_VERTICES]; /* GEMP_NO_COLUMN: in none */
	size_t edge[GEMP_MAX_PATTERN_EDGES];
} gemp_rule_columns;

void gemp_rule_columns_find(gemp_rule_columns *out, const gemp_rule *rule);

/* A matched edge: what the pattern says of it, and the columns of its ends, or GEMP_NO_COLUMN. */
typedef struct gemp_rule_edge {
	const gemp_pattern_edge *edge;
	bool optional; /* of OPTIONAL MATCH */
	size_t from, to;
} gemp_rule_edge;

/* The edge in this column; false: none of the pattern is. */
bool gemp_rule_edge_find(gemp_rule_edge *out, const gemp_rule *rule, const gemp_rule_columns *columns, size_t column);

#endif
