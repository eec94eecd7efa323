/* procedure: the table of the procedures that CALL knows: their arguments, options and columns.
 *
 * The last argument of a procedure with options is a map. clause/procedure.h executes them. */

#ifndef GEMP_CYPHER_FUNCTION_PROCEDURE_H
#define GEMP_CYPHER_FUNCTION_PROCEDURE_H

#include "cypher/function/function.h"

typedef enum gemp_cypher_procedure_number {
	GEMP_CY_DB_LABELS,
	GEMP_CY_DB_TYPES,
	GEMP_CY_DB_KEYS,
	GEMP_CY_GEMP_PAGERANK,
	GEMP_CY_GEMP_BFS,
	GEMP_CY_GEMP_SSSP,
	GEMP_CY_GEMP_COMPONENTS,
	GEMP_CY_PROCEDURES
} gemp_cypher_procedure_number;

typedef struct gemp_cypher_parameter {
	const char *name;
	uint32_t kinds; /* bits 1 << kind, without NULL */
} gemp_cypher_parameter;

enum { GEMP_CY_MAX_ARGUMENTS = 3, GEMP_CY_MAX_COLUMNS = 4, GEMP_CY_MAX_OPTIONS = 8 };

/* Arrays end with a member without a name, or at their size. */
typedef struct gemp_cypher_procedure {
	gemp_cypher_procedure_number number;
	const char *name; /* "db.labels"; found without regard to case */
	size_t min_arguments;
	gemp_cypher_parameter arguments[GEMP_CY_MAX_ARGUMENTS];
	gemp_cypher_parameter options[GEMP_CY_MAX_OPTIONS];
	gemp_cypher_parameter columns[GEMP_CY_MAX_COLUMNS];
} gemp_cypher_procedure;

const gemp_cypher_procedure *gemp_cypher_procedure_find(const char *name); /* NULL: there is none */
static inline bool gemp_cypher_is_analysis(const gemp_cypher_procedure *procedure)
{
	return procedure->number >= GEMP_CY_GEMP_PAGERANK;
}
/* Appends "db.labels(), db.relationshipTypes()": all procedures. */
void gemp_cypher_procedure_list(gemp_text *out);

/* parameters[count], of which the first without a name is the end. */
size_t gemp_cypher_parameter_count(const gemp_cypher_parameter *parameters, size_t count);
/* The index of a name; `count` if there is none. */
size_t gemp_cypher_parameter_find(const gemp_cypher_parameter *parameters, size_t count, const char *name);
/* Appends "node, score". */
void gemp_cypher_parameter_list(const gemp_cypher_parameter *parameters, size_t count, gemp_text *out);

#endif
