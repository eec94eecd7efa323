/* accumulate: the aggregates of openCypher over the groups of a projection: count, sum, avg, min, max, collect, stDev,
 * stDevP, percentileCont, percentileDisc.
 *
 * states[groups] has one state for each group, of a size that the kind of the aggregate decides; a state of zeros has
 * no values. Sums of numbers are exact (query/rows/accumulator.h), so that results do not depend on the order of rows,
 * except for the order of a list that collect makes. With DISTINCT, a set of (group, value) drops repeated values.
 * NULL is never a value. */

#ifndef GEMP_CYPHER_CLAUSE_ACCUMULATE_H
#define GEMP_CYPHER_CLAUSE_ACCUMULATE_H

#include "cypher/clause/engine.h"
#include "cypher/clause/row_set.h"
#include "cypher/evaluate/evaluate.h"

typedef enum gemp_cypher_aggregate_kind {
	GEMP_CYPHER_COUNT_STAR,
	GEMP_CYPHER_COUNT,
	GEMP_CYPHER_SUM,
	GEMP_CYPHER_AVG,
	GEMP_CYPHER_MIN,
	GEMP_CYPHER_MAX,
	GEMP_CYPHER_COLLECT,
	GEMP_CYPHER_STDEV,
	GEMP_CYPHER_STDEV_P,
	GEMP_CYPHER_PERCENTILE_CONT,
	GEMP_CYPHER_PERCENTILE_DISC,
	GEMP_CYPHER_AGGREGATES
} gemp_cypher_aggregate_kind;

typedef struct gemp_cypher_aggregate {
	gemp_cypher_aggregate_kind kind;
	const gemp_cypher_engine *engine; /* borrowed: min and max read the keys of elements */
	const gemp_cypher_expr *expr;     /* borrowed */
	gemp_cypher_row_set distinct;     /* rows of a group's number and a value */
	size_t size, capacity;            /* bytes of a state; states */
	char *states;                     /* [capacity * size] */
} gemp_cypher_aggregate;

/* expr: a call of an aggregate, or count(*). */
gemp_code gemp_cypher_aggregate_init(gemp_cypher_aggregate *aggregate, const gemp_cypher_engine *engine,
                                     const gemp_cypher_expr *expr);
void gemp_cypher_aggregate_free(gemp_cypher_aggregate *aggregate);
/* Adds the row of the environment to a group. The parts of values are copied into `arena`. */
gemp_code gemp_cypher_aggregate_add(gemp_cypher_aggregate *aggregate, const gemp_cypher_environment *environment,
                                    size_t group, gemp_arena *arena);
/* Adds `rows` rows to a group of count(*). */
gemp_code gemp_cypher_aggregate_count(gemp_cypher_aggregate *aggregate, size_t group, uint64_t rows);
/* The result of a group; also that of a group without rows. */
gemp_code gemp_cypher_aggregate_finish(gemp_cypher_aggregate *aggregate, const gemp_cypher_environment *environment,
                                       size_t group, gemp_datum *out);

#endif
