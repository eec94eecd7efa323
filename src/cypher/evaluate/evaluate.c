#include "cypher/evaluate/evaluate.h"

#include "cypher/evaluate/parts.h"
#include "cypher/function/function.h"

static gemp_code evaluate_list(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out)
{
	gemp_datum *items;
	size_t count = 0;
	GEMP_TRY(GEMP_ARENA_NEW(environment->arena, items, expr->count));
	for (const gemp_cypher_expr *element = expr->first; element; element = element->next)
		GEMP_TRY(gemp_cypher_evaluate(environment, element, &items[count++]));
	return gemp_cypher_fail_at(environment, expr, gemp_datum_list_of(out, items, count));
}

/* Arguments of most calls fit on the stack. */
static gemp_code evaluate_call(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out)
{
	gemp_datum few[4], *arguments = few;
	size_t count = 0;
	if (expr->count > sizeof few / sizeof *few)
		GEMP_TRY(GEMP_ARENA_NEW(environment->arena, arguments, expr->count));
	for (const gemp_cypher_expr *argument = expr->first; argument; argument = argument->next)
		GEMP_TRY(gemp_cypher_evaluate(environment, argument, &arguments[count++]));
	const gemp_cypher_call call = { environment, expr, arguments, count };
	return gemp_cypher_function_call(expr->function, &call, out);
}

/* The first result whose condition is true, or, of CASE x, equals x. */
static gemp_code evaluate_case(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out)
{
	const gemp_cypher_expr *child = expr->first;
	const bool simple = child->kind != GEMP_CY_NONE;
	gemp_datum operand = gemp_datum_null(), value;
	*out = gemp_datum_null();
	if (simple)
		GEMP_TRY(gemp_cypher_evaluate(environment, child, &operand));
	for (child = child->next; child->next; child = child->next->next) {
		gemp_truth truth;
		if (simple) {
			GEMP_TRY(gemp_cypher_evaluate(environment, child, &value));
			truth = gemp_datum_equal(operand, value);
		} else {
			GEMP_TRY(gemp_cypher_condition(environment, child, &truth));
		}
		if (truth == GEMP_IS_TRUE)
			return gemp_cypher_evaluate(environment, child->next, out);
	}
	return child->kind == GEMP_CY_NONE ? GEMP_OK : gemp_cypher_evaluate(environment, child, out);
}

static gemp_code evaluate_arithmetic(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                     gemp_datum *out)
{
	gemp_datum a, b;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &a));
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->last, &b));
	return gemp_cypher_compute(environment, expr, a, b, out);
}

gemp_code gemp_cypher_evaluate(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                               gemp_datum *out)
{
	gemp_truth truth;
	switch (expr->kind) {
	case GEMP_CY_LITERAL: *out = expr->value; return GEMP_OK;
	case GEMP_CY_VARIABLE: *out = environment->row[expr->slot]; return GEMP_OK;
	case GEMP_CY_PARAMETER: *out = environment->parameters[expr->slot]; return GEMP_OK;
	case GEMP_CY_NONE: *out = gemp_datum_null(); return GEMP_OK;
	case GEMP_CY_LIST:
	case GEMP_CY_MAP:
		if (!gemp_datum_is_null(expr->value)) {
			*out = expr->value;
			return GEMP_OK;
		}
		return expr->kind == GEMP_CY_LIST ? evaluate_list(environment, expr, out)
		                                  : gemp_cypher_map(environment, expr, out);
	case GEMP_CY_ENTRY: return gemp_cypher_evaluate(environment, expr->first, out);
	case GEMP_CY_PROPERTY: return gemp_cypher_property(environment, expr, out);
	case GEMP_CY_INDEX: return gemp_cypher_index(environment, expr, out);
	case GEMP_CY_SLICE: return gemp_cypher_slice(environment, expr, out);
	case GEMP_CY_HAS_LABELS: return gemp_cypher_has_labels(environment, expr, out);
	case GEMP_CY_OR ... GEMP_CY_IS_NOT_NULL:
		GEMP_TRY(gemp_cypher_predicate(environment, expr, &truth));
		*out = gemp_datum_of_truth(truth);
		return GEMP_OK;
	case GEMP_CY_ADD ... GEMP_CY_POWER:
		return gemp_cypher_place_memory(environment, expr, evaluate_arithmetic(environment, expr, out));
	case GEMP_CY_NEGATE:
	case GEMP_CY_PLUS: return gemp_cypher_negate(environment, expr, out);
	case GEMP_CY_CALL:
		if (expr->function)
			return gemp_cypher_place_memory(environment, expr, evaluate_call(environment, expr, out));
		*out = environment->aggregates[expr->aggregate];
		return GEMP_OK;
	case GEMP_CY_COUNT_STAR: *out = environment->aggregates[expr->aggregate]; return GEMP_OK;
	case GEMP_CY_CASE: return evaluate_case(environment, expr, out);
	case GEMP_CY_LIST_COMPREHENSION ... GEMP_CY_REDUCE:
		return gemp_cypher_place_memory(environment, expr, gemp_cypher_comprehend(environment, expr, out));
	case GEMP_CY_PATTERN ... GEMP_CY_COLLECT:
		return environment->inner(environment->inner_self, environment, expr, out);
	case GEMP_CY_MAP_PROJECTION: return gemp_cypher_map_projection(environment, expr, out);
	}
	gemp_bug(__FILE__, __LINE__, "an expression has the unknown kind %d", (int)expr->kind);
}

/* Conditions need no datum between two predicates. */
gemp_code gemp_cypher_condition(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                gemp_truth *out)
{
	gemp_datum value;
	if (expr->kind >= GEMP_CY_OR && expr->kind <= GEMP_CY_IS_NOT_NULL)
		return gemp_cypher_predicate(environment, expr, out);
	GEMP_TRY(gemp_cypher_evaluate(environment, expr, &value));
	*out = value.kind == GEMP_DATUM_NULL ? GEMP_IS_UNKNOWN : value.truth ? GEMP_IS_TRUE : GEMP_IS_FALSE;
	if (value.kind == GEMP_DATUM_NULL || value.kind == GEMP_DATUM_BOOLEAN)
		return GEMP_OK;
	return gemp_cypher_fail(environment, expr, "a condition is true, false or NULL; this value is of type %s",
	                        gemp_datum_kind_name[value.kind]);
}
