/* aggregate: count, sum, min, max, avg and collect of the rows of many groups at once, in states that threads and ranks
 * can merge.
 *
 * The states of an aggregate are arrays indexed by group; only the arrays that the kind needs exist. An element of
 * zeros is the state without values, so a producer of partial groups (a thread, a rank, a device) only fills arrays.
 *
 * Results depend neither on the order of rows nor on the threads and ranks that hold them: sums are exact, and collect
 * gives its values in ascending order. Integers are summed in 128 bits. Floats that are multiples of 2^-64 and smaller
 * than 2^62 are summed in 128 bits, too, in units of 2^-64; all others go to an exact sum of any length
 * (rows/accumulator.h). Both parts are added and rounded once, at the end. */

#ifndef GEMP_QUERY_CLAUSE_AGGREGATE_H
#define GEMP_QUERY_CLAUSE_AGGREGATE_H

#include "pattern/model/expr.h"
#include "query/rows/accumulator.h"
#include "query/rows/bag.h"
#include "query/rows/codes.h"

#define GEMP_FIXED_WORD (-1) /* sums of floats in 128 bits: in units of 2^(64 * GEMP_FIXED_WORD) */

typedef struct gemp_min_max {
	bool known;
	gemp_value value;
	size_t capacity; /* capacity of the value's string, which the struct owns */
} gemp_min_max;

typedef struct gemp_aggregate {
	gemp_expr_kind kind;
	bool distinct;
	gemp_frame_column like; /* kind and type of the argument's cells; it owns nothing */
	size_t count_capacity, sum_capacity, best_capacity, known_capacity, exact_capacity, extreme_capacity;
	uint64_t *count;       /* number of values that are not NULL */
	__int128 *sum;         /* sum of integers, or of floats in units of 2^-64 */
	gemp_exact_sum *exact; /* the other part of a sum of floats; allocated when a float needs it */
	uint64_t *best;        /* smallest or largest number by gemp_order_bits; valid if known[group] */
	uint8_t *known;
	gemp_min_max *extreme; /* smallest or largest string */
	gemp_bag bag;
} gemp_aggregate;

/* `argument` has the kind and the type of the columns that later calls of gemp_aggregate_add get; NULL for count(*). */
void gemp_aggregate_init(gemp_aggregate *aggregate, const gemp_expr *expr, const gemp_frame_column *argument);
void gemp_aggregate_free(gemp_aggregate *aggregate); /* what the aggregate is stays, so it can be used again */
size_t gemp_aggregate_memory(const gemp_aggregate *aggregate);            /* in bytes */
gemp_type gemp_aggregate_type(const gemp_expr *expr, gemp_type argument); /* type of the result */
/* True if the states are bags of codes, so that gemp_aggregate_add needs the codes of its argument. */
bool gemp_aggregate_collects(const gemp_aggregate *aggregate);

/* Rows of a frame and their groups. Row i is first + rows[i], or first + i if rows is NULL. */
typedef struct gemp_grouped_rows {
	const gemp_frame *frame;
	size_t first;
	const uint32_t *rows;
	size_t count;           /* at most GEMP_BAG_BLOCK */
	const uint32_t *groups; /* [count] */
	size_t group_count;     /* all groups are less */
} gemp_grouped_rows;

/* Adds the argument's cells of the rows, each as often as its row counts. codes: the codes of the argument by row of
 * the frame, minus codes_first; only for an aggregate that collects. A count beyond 2^63 - 1 is GEMP_EDATA. */
gemp_code gemp_aggregate_add(gemp_aggregate *aggregate, const gemp_grouped_rows *rows,
                             const gemp_frame_column *argument, const uint32_t *codes, size_t codes_first);
/* Merges the states of groups source[0..count) of `from` into the groups target[0..count), all less than `groups`. Both
 * have the same codes. */
gemp_code gemp_aggregate_merge(gemp_aggregate *aggregate, const gemp_aggregate *from, const uint32_t *target,
                               const uint32_t *source, size_t count, size_t groups);
/* gemp_aggregate_pack appends a group's state as bytes. gemp_aggregate_unpack merges such bytes into a group, which is
 * less than `groups`, and moves *at behind them. */
gemp_code gemp_aggregate_pack(const gemp_aggregate *aggregate, const gemp_codes *codes, size_t group, gemp_text *out);
gemp_code gemp_aggregate_unpack(gemp_aggregate *aggregate, gemp_codes *codes, size_t group, size_t groups,
                                const char **at);

#endif
