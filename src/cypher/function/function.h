/* function: the table of openCypher's functions, other than aggregates.
 *
 * The evaluator calls a function by gemp_cypher_function_call, which returns NULL if an argument is NULL, unless
 * `takes_null` is set, and refuses arguments of a wrong kind. So a function of the table sees only arguments of the
 * kinds that its row of the table has. */

#ifndef GEMP_CYPHER_FUNCTION_FUNCTION_H
#define GEMP_CYPHER_FUNCTION_FUNCTION_H

#include "cypher/evaluate/environment.h"

typedef struct gemp_cypher_call {
	const gemp_cypher_environment *environment;
	const gemp_cypher_expr *expr; /* the call, for messages: gemp_cypher_fail(call->environment, call->expr, ...) */
	const gemp_datum *arguments;
	size_t count;
} gemp_cypher_call;

typedef struct gemp_cypher_function {
	const char *name;                    /* "toLower", "date.truncate"; found without regard to case */
	size_t min_arguments, max_arguments; /* SIZE_MAX: any number */
	bool takes_null;
	gemp_code (*call)(const gemp_cypher_call *call, gemp_datum *out);
	/* kinds that an argument may have, as bits 1 << kind: [0] of the first argument, and so on, [2] also of those after
	 * the third; 0: any. NULL is always allowed. check/ refuses literals and variables of another kind before the query
	 * runs. */
	uint32_t kinds[3];
} gemp_cypher_function;

/* GEMP_CY_BIT(STRING) | GEMP_CY_BIT(LIST) */
#define GEMP_CY_BIT(kind) (UINT32_C(1) << GEMP_DATUM_##kind)
#define GEMP_CY_NUMBER (GEMP_CY_BIT(INTEGER) | GEMP_CY_BIT(FLOAT))
#define GEMP_CY_TEMPORAL                                                                             \
	(GEMP_CY_BIT(DATE) | GEMP_CY_BIT(LOCAL_TIME) | GEMP_CY_BIT(TIME) | GEMP_CY_BIT(LOCAL_DATETIME) | \
	 GEMP_CY_BIT(DATETIME) | GEMP_CY_BIT(DURATION))

const gemp_cypher_function *gemp_cypher_function_find(const char *name); /* NULL: there is none */
/* The name of a function or aggregate that resembles `name`, for messages; NULL: there is none. */
const char *gemp_cypher_function_nearest(const char *name);
/* The kinds that argument `index` may have; 0: any. */
uint32_t gemp_cypher_function_kinds(const gemp_cypher_function *function, size_t index);
/* Appends "String", "String or List", "Integer, Float or String". */
void gemp_cypher_kinds_text(uint32_t kinds, gemp_text *out);
/* The result of a function. The number of arguments is one that it allows. */
gemp_code gemp_cypher_function_call(const gemp_cypher_function *function, const gemp_cypher_call *call,
                                    gemp_datum *out);

/* The parts of the table, one for each file; a function without a name ends a part. */
extern const gemp_cypher_function gemp_cypher_string_functions[], gemp_cypher_math_functions[],
	gemp_cypher_list_functions[], gemp_cypher_element_functions[], gemp_cypher_conversion_functions[],
	gemp_cypher_temporal_functions[];

#endif
