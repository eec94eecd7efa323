#include "cypher/check/type.h"

#define BOOLEAN GEMP_CY_BIT(BOOLEAN)
#define NUMBER GEMP_CY_NUMBER
#define DURATION GEMP_CY_BIT(DURATION)
#define ANY GEMP_CYPHER_ANY

gemp_cypher_operation gemp_cypher_operation_of(gemp_cypher_kind kind)
{
	static const gemp_cypher_operation operations[] = {
		[GEMP_CY_OR] = { "OR", BOOLEAN, BOOLEAN },
		[GEMP_CY_XOR] = { "XOR", BOOLEAN, BOOLEAN },
		[GEMP_CY_AND] = { "AND", BOOLEAN, BOOLEAN },
		[GEMP_CY_NOT] = { "NOT", BOOLEAN, BOOLEAN },
		[GEMP_CY_COMPARE] = { "a comparison", ANY, BOOLEAN },
		[GEMP_CY_STARTS_WITH] = { "STARTS WITH", ANY, BOOLEAN },
		[GEMP_CY_ENDS_WITH] = { "ENDS WITH", ANY, BOOLEAN },
		[GEMP_CY_CONTAINS] = { "CONTAINS", ANY, BOOLEAN },
		[GEMP_CY_REGEX] = { "=~", ANY, BOOLEAN },
		[GEMP_CY_IN] = { "IN", ANY, BOOLEAN },
		[GEMP_CY_IS_NULL] = { "IS NULL", ANY, BOOLEAN },
		[GEMP_CY_IS_NOT_NULL] = { "IS NOT NULL", ANY, BOOLEAN },
		[GEMP_CY_HAS_LABELS] = { "a label", GEMP_CYPHER_ELEMENT, BOOLEAN },
		[GEMP_CY_PROPERTY] = { "a property", GEMP_CYPHER_ELEMENT | GEMP_CY_BIT(MAP) | GEMP_CY_TEMPORAL, ANY },
		[GEMP_CY_ADD] = { "+", NUMBER | GEMP_CY_BIT(STRING) | GEMP_CY_BIT(LIST) | GEMP_CY_TEMPORAL, 0 },
		[GEMP_CY_SUBTRACT] = { "-", NUMBER | GEMP_CY_TEMPORAL, 0 },
		[GEMP_CY_MULTIPLY] = { "*", NUMBER | DURATION, 0 },
		[GEMP_CY_DIVIDE] = { "/", NUMBER | DURATION, 0 },
		[GEMP_CY_REMAINDER] = { "%", NUMBER, 0 },
		[GEMP_CY_POWER] = { "^", NUMBER, GEMP_CY_BIT(FLOAT) },
		[GEMP_CY_NEGATE] = { "-", NUMBER | DURATION, 0 },
		[GEMP_CY_PLUS] = { "+", NUMBER | DURATION, 0 },
	};
	if ((size_t)kind >= sizeof operations / sizeof *operations)
		return (gemp_cypher_operation){ 0 };
	return operations[kind];
}

gemp_cypher_type gemp_cypher_type_computed(gemp_cypher_type a, gemp_cypher_type b)
{
	const uint32_t integer = GEMP_CY_BIT(INTEGER), real = GEMP_CY_BIT(FLOAT), null = GEMP_CY_BIT(NULL);
	if ((a.kinds | b.kinds) & ~(NUMBER | null)) {
		if ((a.kinds | b.kinds) == GEMP_CY_BIT(STRING))
			return a;
		return gemp_cypher_type_any();
	}
	uint32_t kinds = (a.kinds | b.kinds) & null;
	if (a.kinds & b.kinds & integer)
		kinds |= integer;
	if (((a.kinds & real) && (b.kinds & NUMBER)) || ((b.kinds & real) && (a.kinds & NUMBER)))
		kinds |= real;
	return gemp_cypher_type_of(kinds);
}
