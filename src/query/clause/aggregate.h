/* aggregate: count, sum, min, max, avg and collect of the rows of many groups at once, in states that ranks can merge.
 *
 * Results depend neither on the order of rows nor on the ranks that hold them: sums are exact (integers in 128 bits,
 * floats without rounding until the end), and collect gives its values in ascending order. */

#ifndef GEMP_QUERY_CLAUSE_AGGREGATE_H
#define GEMP_QUERY_CLAUSE_AGGREGATE_H

#include "pattern/model/expr.h"
#include "query/rows/accumulator.h"
#include "query/rows/elements.h"

typedef struct gemp_min_max {
	bool known;
	gemp_value value;
	size_t capacity; /* capacity of the value's string, which the struct owns */
} gemp_min_max;

typedef struct gemp_aggregate {
	gemp_expr_kind kind;
	bool distinct;
	gemp_cell_kind cell; /* cell kind of the argument */
	gemp_type type;      /* type of the argument if its cells are values */
	/* Arrays indexed by group. Only the arrays that the kind needs are allocated. */
	size_t count_capacity, sum_capacity, exact_capacity, extreme_capacity;
	uint64_t *count;       /* number of values that are not NULL */
	__int128 *sum;         /* sum of integers */
	gemp_exact_sum *exact; /* sum of floats */
	gemp_min_max *extreme;
	gemp_bag bag;
} gemp_aggregate;

/* `argument` has the kind and the type of the columns that later calls of gemp_aggregate_add get; NULL for count(*). */
void gemp_aggregate_init(gemp_aggregate *aggregate, const gemp_expr *expr, const gemp_frame_column *argument);
void gemp_aggregate_free(gemp_aggregate *aggregate);
size_t gemp_aggregate_memory(const gemp_aggregate *aggregate);            /* in bytes */
gemp_type gemp_aggregate_type(const gemp_expr *expr, gemp_type argument); /* type of the result */

/* Adds one cell `times` times to a group. Groups are numbered from 0, and a group is empty at first. */
gemp_code gemp_aggregate_add(gemp_aggregate *aggregate, size_t group, const gemp_frame_column *argument, size_t row,
                             uint64_t times);
/* gemp_aggregate_pack appends a group's state as bytes. gemp_aggregate_merge merges such bytes into a group and moves
 * *at behind them. */
gemp_code gemp_aggregate_pack(const gemp_aggregate *aggregate, size_t group, struct gemp_text *out);
gemp_code gemp_aggregate_merge(gemp_aggregate *aggregate, size_t group, const char **at);

/* Appends the members of a group's list, in the order of the bag, to a column that has *rows rows. */
gemp_code gemp_aggregate_members(const gemp_aggregate *aggregate, size_t group, gemp_frame_column *out, size_t *rows);
/* Appends the group's result. `elements` has the keys of the vertices and edges in lists. A sum beyond 64 bits is
 * GEMP_EDATA. */
gemp_code gemp_aggregate_finish(const gemp_aggregate *aggregate, size_t group, const gemp_elements *elements,
                                gemp_column *out);

#endif
