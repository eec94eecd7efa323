/* type: what the check knows of the value of an expression before the query runs.
 *
 * A type is the set of kinds that a value can have, as bits 1 << gemp_datum_kind, and the same for the elements of a
 * list. All bits: nothing is known. A query is refused only if no value of a type fits;
 * NULL fits everywhere, and so do elements of an empty list, whose type has no kinds. Internal to
 * src/cypher/check. */

#ifndef GEMP_CYPHER_CHECK_TYPE_H
#define GEMP_CYPHER_CHECK_TYPE_H

#include "cypher/function/function.h"

typedef struct gemp_cypher_type {
	uint32_t kinds, elements;
} gemp_cypher_type;

#define GEMP_CYPHER_ANY ((1u << GEMP_DATUM_KINDS) - 1)
#define GEMP_CYPHER_ELEMENT (GEMP_CY_BIT(NODE) | GEMP_CY_BIT(RELATIONSHIP))

static inline gemp_cypher_type gemp_cypher_type_any(void)
{
	return (gemp_cypher_type){ GEMP_CYPHER_ANY, GEMP_CYPHER_ANY };
}
static inline gemp_cypher_type gemp_cypher_type_of(uint32_t kinds)
{
	return (gemp_cypher_type){ kinds, GEMP_CYPHER_ANY };
}
static inline bool gemp_cypher_type_fits(gemp_cypher_type type, uint32_t kinds)
{
	const uint32_t known = type.kinds & ~GEMP_CY_BIT(NULL);
	return !known || (known & kinds) != 0;
}

/* What an operator is called in messages, and what it takes. kinds is 0 for expressions that are no such operator. */
typedef struct gemp_cypher_operation {
	const char *word;
	uint32_t kinds;  /* of each operand */
	uint32_t result; /* 0: arithmetic, see gemp_cypher_type_computed */
} gemp_cypher_operation;
gemp_cypher_operation gemp_cypher_operation_of(gemp_cypher_kind kind);
/* The type of a + b, a * b and so on. */
gemp_cypher_type gemp_cypher_type_computed(gemp_cypher_type a, gemp_cypher_type b);

#endif
