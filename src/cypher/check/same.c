#include "cypher/check/check.h"
#include "cypher/check/checker.h"

#include <strings.h>

static bool same_labels(const gemp_cypher_label *a, const gemp_cypher_label *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (a->parts || b->parts ? a->any != b->any || !same_labels(a->parts, b->parts)
		                         : !gemp_cypher_same_word(a->name, b->name))
			return false;
	return !a && !b;
}

static bool same_names(const gemp_cypher_expr *a, const gemp_cypher_expr *b)
{
	if (!a->name.bytes || !b->name.bytes)
		return a->name.bytes == b->name.bytes;
	if (a->kind == GEMP_CY_CALL)
		return strcasecmp(a->name.bytes, b->name.bytes) == 0;
	return gemp_cypher_same_word(a->name, b->name);
}

static bool same_value(gemp_datum a, gemp_datum b)
{
	if (a.kind != b.kind || a.size != b.size)
		return false;
	switch (a.kind) {
	case GEMP_DATUM_NULL: return true;
	case GEMP_DATUM_BOOLEAN: return a.truth == b.truth;
	case GEMP_DATUM_STRING: return memcmp(a.text, b.text, a.size) == 0;
	default: return a.integer == b.integer; /* of floats: the bits */
	}
}

bool gemp_cypher_same(const gemp_cypher_expr *a, const gemp_cypher_expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->count != b->count || a->distinct != b->distinct || a->pattern || b->pattern ||
	    a->query || b->query || !same_names(a, b) || !same_labels(a->labels, b->labels))
		return false;
	if (a->kind == GEMP_CY_LITERAL && !same_value(a->value, b->value))
		return false;
	if (a->kind == GEMP_CY_COMPARE && memcmp(a->operators, b->operators, a->count - 1) != 0)
		return false;
	if (a->kind == GEMP_CY_REDUCE && !gemp_cypher_same_word(a->name2, b->name2))
		return false;
	const gemp_cypher_expr *other = b->first;
	for (const gemp_cypher_expr *child = a->first; child; child = child->next, other = other->next)
		if (!gemp_cypher_same(child, other))
			return false;
	return true;
}

bool gemp_cypher_calls_aggregate(const gemp_cypher_expr *expr)
{
	return expr->kind == GEMP_CY_COUNT_STAR ||
	       (expr->kind == GEMP_CY_CALL && gemp_cypher_is_aggregate(expr->name.bytes));
}

bool gemp_cypher_has_aggregate(const gemp_cypher_expr *expr)
{
	if (gemp_cypher_calls_aggregate(expr))
		return true;
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next)
		if (gemp_cypher_has_aggregate(child))
			return true;
	return false;
}
