/* aggregate: count, sum, min, max, avg and collect of the rows of many groups at once, in states that ranks can merge.
 *
 * Results depend neither on the order of rows nor on their rank: sums are exact (integers in 128 bits, floats
 * without rounding until the end), and collect gives its values in ascending order.
 */

#ifndef GEMP_QUERY_CLAUSE_AGGREGATE_H
#define GEMP_QUERY_CLAUSE_AGGREGATE_H

#include "pattern/model/expr.h"
#include "query/rows/accumulator.h"
#include "query/rows/elements.h"

typedef struct gemp_min_max {
	bool known;
	gemp_value value;
	size_t capacity; /* of a string's bytes, which it owns */
} gemp_min_max;

typedef struct gemp_aggregate {
	gemp_expr_kind kind;
	bool distinct;
	gemp_cell_kind cell; /* of its argument */
	gemp_type type;      /* of its argument, if that is a value */
	/* By group; only the arrays that the kind needs are allocated: */
	size_t count_capacity, sum_capacity, exact_capacity, extreme_capacity;
	uint64_t *count;       /* values that are not NULL */
	__int128 *sum;         /* of integers */
	gemp_exact_sum *exact; /* of floats */
	gemp_min_max *extreme;
	gemp_bag bag;
} gemp_aggregate;

/* argument: the column that gemp_aggregate_add will be given; NULL for count(*). */
void gemp_aggregate_init(gemp_aggregate *aggregate, const gemp_expr *expr, const gemp_frame_column *argument);
void gemp_aggregate_free(gemp_aggregate *aggregate);
size_t gemp_aggregate_memory(const gemp_aggregate *aggregate);            /* bytes */
gemp_type gemp_aggregate_type(const gemp_expr *expr, gemp_type argument); /* of its result */

/* Adds one cell, `times` over, to a group. Groups are numbered from 0, and each is empty at first. */
gemp_code gemp_aggregate_add(gemp_aggregate *aggregate, size_t group, const gemp_frame_column *argument, size_t row,
                             uint64_t times);
/* A group's state as bytes, and the merge of such bytes into a group; *at advances. */
gemp_code gemp_aggregate_pack(const gemp_aggregate *aggregate, size_t group, struct gemp_text *out);
gemp_code gemp_aggregate_merge(gemp_aggregate *aggregate, size_t group, const char **at);

/* Appends the members of a group's list to a column of `*rows` rows, in the order of the bag. */
gemp_code gemp_aggregate_members(const gemp_aggregate *aggregate, size_t group, gemp_frame_column *out, size_t *rows);
/* Appends the result. elements has the keys of the vertices and edges in lists. A sum that passes 64 bits is
 * GEMP_EDATA. */
gemp_code gemp_aggregate_finish(const gemp_aggregate *aggregate, size_t group, const gemp_elements *elements,
                                gemp_column *out);

#endif
