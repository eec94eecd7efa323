/* function: the table of openCypher's functions, other than aggregates.
 *
 * A function gets evaluated arguments. Unless `takes_null` is set, the evaluator returns NULL if an argument is NULL,
 * and does not call the function. */

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
	/* kinds that an argument may have, as bits 1 << kind, for check/: [0] of the first argument, and so on; 0: any.
	 * A literal of another kind is refused before the query runs. */
	uint32_t kinds[3];
} gemp_cypher_function;

const gemp_cypher_function *gemp_cypher_function_find(const char *name); /* NULL: there is none */

/* The parts of the table, one for each file; a function without a name ends a part. */
extern const gemp_cypher_function gemp_cypher_string_functions[], gemp_cypher_math_functions[],
	gemp_cypher_list_functions[], gemp_cypher_element_functions[], gemp_cypher_conversion_functions[],
	gemp_cypher_temporal_functions[];

#endif
