#include "cypher/evaluate/evaluate.h"
#include "cypher/evaluate/parts.h"

/* Evaluates the list. Returns with *missing if it is NULL. */
static gemp_code list_of(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *list,
                         bool *missing)
{
	GEMP_TRY(gemp_cypher_evaluate(environment, expr, list));
	*missing = gemp_datum_is_null(*list);
	if (*missing || list->kind == GEMP_DATUM_LIST)
		return GEMP_OK;
	return gemp_cypher_fail(environment, expr, "IN needs a list, not a value of type %s",
	                        gemp_datum_kind_name[list->kind]);
}

static gemp_code comprehend(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum list,
                            gemp_datum *out)
{
	const gemp_cypher_expr *condition = expr->first->next, *result = expr->last;
	gemp_datum *items, *variable = &environment->row[expr->slot];
	size_t count = 0;
	GEMP_TRY(gemp_cypher_expect_memory(environment, expr, list.size, sizeof *items));
	GEMP_TRY(GEMP_ARENA_NEW(environment->arena, items, list.size));
	for (size_t i = 0; i < list.size; i++) {
		gemp_truth truth = GEMP_IS_TRUE;
		GEMP_TRY(gemp_cypher_expect_memory(environment, expr, 0, 1));
		*variable = list.items[i];
		if (condition->kind != GEMP_CY_NONE)
			GEMP_TRY(gemp_cypher_condition(environment, condition, &truth));
		if (truth != GEMP_IS_TRUE)
			continue;
		if (result->kind == GEMP_CY_NONE)
			items[count] = list.items[i];
		else
			GEMP_TRY(gemp_cypher_evaluate(environment, result, &items[count]));
		count++;
	}
	return gemp_cypher_fail_at(environment, expr, gemp_datum_list_of(out, items, count));
}

/* Stops at the element that decides: all at a false one, any and none at a true one, single at the second true one. */
static gemp_code quantify(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum list,
                          gemp_datum *out)
{
	const gemp_truth decisive = expr->kind == GEMP_CY_ALL ? GEMP_IS_FALSE : GEMP_IS_TRUE;
	const size_t enough = expr->kind == GEMP_CY_SINGLE ? 2 : 1;
	size_t decided = 0;
	bool unknown = false;
	for (size_t i = 0; i < list.size && decided < enough; i++) {
		gemp_truth truth;
		environment->row[expr->slot] = list.items[i];
		GEMP_TRY(gemp_cypher_condition(environment, expr->last, &truth));
		decided += truth == decisive;
		unknown = unknown || truth == GEMP_IS_UNKNOWN;
	}
	if (decided < enough && unknown)
		*out = gemp_datum_null();
	else if (expr->kind == GEMP_CY_SINGLE)
		*out = gemp_datum_boolean(decided == 1);
	else
		*out = gemp_datum_boolean((decided > 0) == (expr->kind == GEMP_CY_ANY));
	return GEMP_OK;
}

/* The accumulator is in a slot, since its expression may use the slot of another reduce. */
static gemp_code reduce(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *out)
{
	gemp_datum list, value;
	bool missing;
	GEMP_TRY(gemp_cypher_evaluate(environment, expr->first, &value));
	GEMP_TRY(list_of(environment, expr->first->next, &list, &missing));
	*out = gemp_datum_null();
	if (missing)
		return GEMP_OK;
	for (size_t i = 0; i < list.size; i++) {
		GEMP_TRY(gemp_cypher_expect_memory(environment, expr, 0, 1));
		environment->row[expr->slot] = value;
		environment->row[expr->slot2] = list.items[i];
		GEMP_TRY(gemp_cypher_evaluate(environment, expr->last, &value));
	}
	*out = value;
	return GEMP_OK;
}

gemp_code gemp_cypher_comprehend(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr,
                                 gemp_datum *out)
{
	gemp_datum list;
	bool missing;
	if (expr->kind == GEMP_CY_REDUCE)
		return reduce(environment, expr, out);
	GEMP_TRY(list_of(environment, expr->first, &list, &missing));
	*out = gemp_datum_null();
	if (missing)
		return GEMP_OK;
	return expr->kind == GEMP_CY_LIST_COMPREHENSION ? comprehend(environment, expr, list, out)
	                                                : quantify(environment, expr, list, out);
}
