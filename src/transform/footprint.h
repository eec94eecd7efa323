/* footprint: what a match of a rule reads, adds to and writes, told by the rule alone: for each row of matches the
 * same list of touches, with the row's elements.
 *
 * A match reads its vertices and edges, and what conditions and values ask about them. What cannot be told by the row
 * (an edge of a negative condition that hangs on no matched vertex, matches that a row stands for) is read as a
 * whole: all edges of a relation, an attribute of all vertices. Of the touches only those are kept that can conflict
 * with one another.
 */
#ifndef GEMP_TRANSFORM_FOOTPRINT_H
#define GEMP_TRANSFORM_FOOTPRINT_H

#include "pattern/rule.h"
#include "query/frame.h"
#include "transform/choose.h"

#define GEMP_NO_COLUMN SIZE_MAX

typedef struct gemp_trace_of_rule {
	size_t column;   /* of the rows, whose element it is; GEMP_NO_COLUMN: of all */
	uint32_t aspect;
	gemp_touch touch;
} gemp_trace_of_rule;

typedef struct gemp_footprint {
	size_t count, capacity;
	gemp_trace_of_rule *traces; /* [count] */
} gemp_footprint;

/* The rule is bound. */
gemp_code gemp_footprint_new(gemp_footprint *out, const gemp_rule *rule, const gemp_graph *graph, bool induced);
void gemp_footprint_free(gemp_footprint *footprint);
/* Of a row; match is its index. */
gemp_code gemp_footprint_add(const gemp_footprint *footprint, const gemp_frame *frame, size_t row, gemp_tokens *tokens);

/* Which columns of the rows the variables of a rule's pattern are in. */
typedef struct gemp_rule_columns {
	size_t vertex[GEMP_MAX_PATTERN_VERTICES]; /* GEMP_NO_COLUMN: in none */
	size_t edge[GEMP_MAX_PATTERN_EDGES];
} gemp_rule_columns;

void gemp_rule_columns_find(gemp_rule_columns *out, const gemp_rule *rule);

#endif
