#include "cypher/check/checker.h"

gemp_code gemp_checker_need(const gemp_checker *checker, const gemp_cypher_expr *expr, gemp_cypher_type type,
                            uint32_t kinds, const char *word)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text needed = { 0 }, given = { 0 };
	if (gemp_cypher_type_fits(type, kinds))
		return GEMP_OK;
	gemp_cypher_kinds_text(kinds, &needed);
	gemp_cypher_kinds_text(type.kinds, &given);
	GEMP_TRY(gemp_text_status(&needed));
	GEMP_TRY(gemp_text_status(&given));
	return gemp_checker_fail(checker, expr->place, "%s needs a value of type %s; this is of type %s", word, needed.data,
	                         given.data);
}

/* A boolean operator, whose operands may be patterns. */
static bool is_logical(gemp_cypher_kind kind)
{
	return kind == GEMP_CY_OR || kind == GEMP_CY_XOR || kind == GEMP_CY_AND || kind == GEMP_CY_NOT;
}

/* + accepts every value beside a list. */
static bool is_appended(gemp_cypher_kind kind, gemp_cypher_type other)
{
	return kind == GEMP_CY_ADD && (other.kinds & GEMP_CY_BIT(LIST)) != 0;
}

/* Operators of one or two operands, and comparisons. */
static gemp_code check_operation(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	const gemp_cypher_operation operation = gemp_cypher_operation_of(expr->kind);
	gemp_cypher_type types[2] = { gemp_cypher_type_of(0), gemp_cypher_type_of(0) };
	size_t i = 0;
	for (gemp_cypher_expr *operand = expr->first; operand; operand = operand->next, i++) {
		gemp_cypher_type *its = &types[i % 2];
		GEMP_TRY(is_logical(expr->kind) ? gemp_checker_predicate(checker, operand, its)
		                                : gemp_checker_expr(checker, operand, its));
		if (expr->kind != GEMP_CY_ADD)
			GEMP_TRY(gemp_checker_need(checker, operand, *its, operation.kinds, operation.word));
	}
	if (expr->kind == GEMP_CY_ADD) {
		if (!is_appended(expr->kind, types[1]))
			GEMP_TRY(gemp_checker_need(checker, expr->first, types[0], operation.kinds, operation.word));
		if (!is_appended(expr->kind, types[0]))
			GEMP_TRY(gemp_checker_need(checker, expr->last, types[1], operation.kinds, operation.word));
	}
	if (expr->kind == GEMP_CY_IN)
		GEMP_TRY(gemp_checker_need(checker, expr->last, types[1], GEMP_CY_BIT(LIST), "the right side of IN"));
	if (expr->kind == GEMP_CY_REGEX)
		GEMP_TRY(gemp_checker_need(checker, expr->last, types[1], GEMP_CY_BIT(STRING), "the right side of =~"));
	if (operation.result)
		*type = gemp_cypher_type_of(operation.result);
	else
		*type = expr->count == 1 ? types[0] : gemp_cypher_type_computed(types[0], types[1]);
	return GEMP_OK;
}

static bool is_constant(const gemp_cypher_expr *expr)
{
	return expr->kind == GEMP_CY_LITERAL ||
	       ((expr->kind == GEMP_CY_LIST || expr->kind == GEMP_CY_MAP) && !gemp_datum_is_null(expr->value));
}

/* Makes the value of a list or a map of constants, so that it is not made again for every row. */
static gemp_code fold(gemp_checker *checker, gemp_cypher_expr *expr)
{
	GEMP_OWNED gemp_datum_entry *entries = NULL;
	GEMP_OWNED gemp_datum *items = NULL;
	gemp_arena *arena = &checker->tree->arena;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(entries, expr->count));
	GEMP_TRY(GEMP_NEW(items, expr->count));
	for (const gemp_cypher_expr *child = expr->first; child; child = child->next, count++) {
		const gemp_cypher_expr *element = child->kind == GEMP_CY_ENTRY ? child->first : child;
		if (!is_constant(element))
			return GEMP_OK;
		items[count] = element->value;
		entries[count] = (gemp_datum_entry){ child->name.bytes, element->value };
	}
	return expr->kind == GEMP_CY_LIST ? gemp_datum_list(&expr->value, arena, items, count)
	                                  : gemp_datum_map(&expr->value, arena, entries, count);
}

/* Lists, maps and map projections. */
static gemp_code check_children(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	uint32_t elements = 0;
	for (gemp_cypher_expr *child = expr->first; child; child = child->next) {
		gemp_cypher_type its = gemp_cypher_type_any();
		bool named = expr->kind == GEMP_CY_MAP_PROJECTION && child != expr->first;
		if (child->kind == GEMP_CY_ENTRY)
			GEMP_TRY(gemp_checker_expr(checker, child->first, &its));
		else if (!(named && (child->kind == GEMP_CY_PROPERTY || child->kind == GEMP_CY_NONE)))
			GEMP_TRY(gemp_checker_expr(checker, child, &its));
		if (expr->kind == GEMP_CY_MAP_PROJECTION && child == expr->first)
			GEMP_TRY(
				gemp_checker_need(checker, child, its, GEMP_CYPHER_ELEMENT | GEMP_CY_BIT(MAP), "a map projection"));
		elements |= its.kinds;
	}
	*type = gemp_cypher_type_of(expr->kind == GEMP_CY_LIST ? GEMP_CY_BIT(LIST) : GEMP_CY_BIT(MAP));
	if (expr->kind == GEMP_CY_LIST)
		type->elements = elements;
	return expr->kind == GEMP_CY_MAP_PROJECTION ? GEMP_OK : fold(checker, expr);
}

static gemp_code check_index(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	gemp_cypher_type subject, index;
	GEMP_TRY(gemp_checker_expr(checker, expr->first, &subject));
	GEMP_TRY(gemp_checker_expr(checker, expr->last, &index));
	const uint32_t by_name = GEMP_CYPHER_ELEMENT | GEMP_CY_BIT(MAP);
	GEMP_TRY(gemp_checker_need(checker, expr->first, subject, by_name | GEMP_CY_BIT(LIST), "an index"));
	if (subject.kinds == GEMP_CY_BIT(LIST))
		GEMP_TRY(gemp_checker_need(checker, expr->last, index, GEMP_CY_BIT(INTEGER), "an index of a list"));
	else if (subject.kinds && !(subject.kinds & ~by_name)) /* no kinds: an element of an empty list */
		GEMP_TRY(gemp_checker_need(checker, expr->last, index, GEMP_CY_BIT(STRING), "the name of a property"));
	*type = gemp_cypher_type_any();
	if (subject.kinds == GEMP_CY_BIT(LIST))
		type->kinds = subject.elements;
	return GEMP_OK;
}

static gemp_code check_slice(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	GEMP_TRY(gemp_checker_expr(checker, expr->first, type));
	GEMP_TRY(gemp_checker_need(checker, expr->first, *type, GEMP_CY_BIT(LIST), "a slice [from..to]"));
	for (gemp_cypher_expr *bound = expr->first->next; bound; bound = bound->next) {
		gemp_cypher_type its;
		if (bound->kind == GEMP_CY_NONE)
			continue;
		GEMP_TRY(gemp_checker_expr(checker, bound, &its));
		GEMP_TRY(gemp_checker_need(checker, bound, its, GEMP_CY_BIT(INTEGER), "a bound of a slice"));
	}
	return GEMP_OK;
}

static gemp_code check_case(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	gemp_cypher_expr *child = expr->first;
	const bool simple = child->kind != GEMP_CY_NONE; /* CASE x WHEN 1 THEN ... */
	*type = gemp_cypher_type_of(0);
	if (simple)
		GEMP_TRY(gemp_checker_expr(checker, child, NULL));
	for (child = child->next; child; child = child->next) {
		gemp_cypher_type its = gemp_cypher_type_of(GEMP_CY_BIT(NULL));
		if (child->next) { /* a condition, before its result */
			GEMP_TRY(simple ? gemp_checker_expr(checker, child, NULL) : gemp_checker_condition(checker, child, "WHEN"));
			child = child->next;
		}
		if (child->kind != GEMP_CY_NONE)
			GEMP_TRY(gemp_checker_expr(checker, child, &its));
		type->kinds |= its.kinds;
	}
	return GEMP_OK;
}

/* List comprehensions, quantifiers and reduce: `body` may read one or two variables that are visible only there. */
static gemp_code check_scoped(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	const bool reduces = expr->kind == GEMP_CY_REDUCE;
	const bool filters = expr->kind == GEMP_CY_LIST_COMPREHENSION;
	const size_t count = checker->count;
	const int top = checker->top;
	const char *no_aggregates = checker->no_aggregates;
	gemp_cypher_expr *list = reduces ? expr->first->next : expr->first;
	gemp_cypher_type its, result = gemp_cypher_type_any();
	if (reduces)
		GEMP_TRY(gemp_checker_expr(checker, expr->first, NULL));
	GEMP_TRY(gemp_checker_expr(checker, list, &its));
	GEMP_TRY(gemp_checker_need(checker, list, its, GEMP_CY_BIT(LIST), "the word IN"));
	const uint32_t element = its.kinds == GEMP_CY_BIT(LIST) ? its.elements : GEMP_CYPHER_ANY;
	if (reduces)
		GEMP_TRY(gemp_checker_declare(checker, expr->name, gemp_cypher_type_any(), &expr->slot));
	GEMP_TRY(gemp_checker_declare(checker, reduces ? expr->name2 : expr->name, gemp_cypher_type_of(element),
	                              reduces ? &expr->slot2 : &expr->slot));
	checker->no_aggregates = reduces ? "reduce" : filters ? "a list comprehension" : "a quantifier";
	gemp_cypher_expr *body = list->next;
	if (filters || !reduces) {
		if (body->kind != GEMP_CY_NONE)
			GEMP_TRY(gemp_checker_condition(checker, body, "WHERE"));
		body = body->next;
	}
	if (body && body->kind != GEMP_CY_NONE)
		GEMP_TRY(gemp_checker_expr(checker, body, &result));
	else if (filters)
		result = gemp_cypher_type_of(element);
	checker->no_aggregates = no_aggregates;
	checker->count = count;
	checker->top = top;
	*type = reduces   ? gemp_cypher_type_any()
	        : filters ? (gemp_cypher_type){ GEMP_CY_BIT(LIST), result.kinds }
	                  : gemp_cypher_type_of(GEMP_CY_BIT(BOOLEAN));
	return GEMP_OK;
}

/* A pattern as a condition, or a pattern comprehension. Its variables are visible only there. */
static gemp_code check_pattern(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	const bool lists = expr->kind == GEMP_CY_PATTERN_COMPREHENSION;
	const size_t count = checker->count;
	const int top = checker->top, peak = checker->peak;
	const char *no_aggregates = checker->no_aggregates;
	checker->peak = top;
	checker->no_aggregates = "a pattern";
	GEMP_TRY(gemp_checker_pattern(checker, expr->pattern, lists));
	if (lists) {
		checker->no_aggregates = "a pattern comprehension";
		if (expr->first->kind != GEMP_CY_NONE)
			GEMP_TRY(gemp_checker_condition(checker, expr->first, "WHERE"));
		GEMP_TRY(gemp_checker_expr(checker, expr->last, NULL));
	}
	expr->pattern->scratch = checker->peak - expr->pattern->width_out;
	checker->no_aggregates = no_aggregates;
	checker->count = count;
	checker->top = top;
	if (checker->peak < peak)
		checker->peak = peak;
	*type = gemp_cypher_type_of(lists ? GEMP_CY_BIT(LIST) : GEMP_CY_BIT(BOOLEAN));
	return GEMP_OK;
}

static gemp_code check_leaf(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	if (expr->kind == GEMP_CY_VARIABLE) {
		gemp_cypher_variable *variable;
		GEMP_TRY(gemp_checker_find(checker, expr->name, &variable));
		expr->slot = variable->slot;
		*type = variable->type;
	} else if (expr->kind == GEMP_CY_LITERAL) {
		*type = gemp_cypher_type_of(1u << expr->value.kind);
	} else {
		*type = gemp_cypher_type_any();
	}
	return GEMP_OK;
}

static gemp_code check_query(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	GEMP_TRY(gemp_checker_inner_query(checker, expr->query, expr->kind));
	*type = gemp_cypher_type_of(expr->kind == GEMP_CY_EXISTS  ? GEMP_CY_BIT(BOOLEAN)
	                            : expr->kind == GEMP_CY_COUNT ? GEMP_CY_BIT(INTEGER)
	                                                          : GEMP_CY_BIT(LIST));
	return GEMP_OK;
}

static gemp_code check_kind(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	switch (expr->kind) {
	case GEMP_CY_LITERAL:
	case GEMP_CY_VARIABLE:
	case GEMP_CY_PARAMETER:
	case GEMP_CY_NONE: return check_leaf(checker, expr, type);
	case GEMP_CY_LIST:
	case GEMP_CY_MAP:
	case GEMP_CY_MAP_PROJECTION: return check_children(checker, expr, type);
	case GEMP_CY_INDEX: return check_index(checker, expr, type);
	case GEMP_CY_SLICE: return check_slice(checker, expr, type);
	case GEMP_CY_CALL:
	case GEMP_CY_COUNT_STAR: return gemp_checker_call(checker, expr, type);
	case GEMP_CY_CASE: return check_case(checker, expr, type);
	case GEMP_CY_LIST_COMPREHENSION:
	case GEMP_CY_ALL:
	case GEMP_CY_ANY:
	case GEMP_CY_SINGLE:
	case GEMP_CY_NO_ONE:
	case GEMP_CY_REDUCE: return check_scoped(checker, expr, type);
	case GEMP_CY_PATTERN:
		return gemp_checker_fail(checker, expr->place,
		                         "a pattern may only stand as a condition; write EXISTS { ... } for its truth, or "
		                         "[pattern | value] for a list");
	case GEMP_CY_PATTERN_COMPREHENSION: return check_pattern(checker, expr, type);
	case GEMP_CY_EXISTS:
	case GEMP_CY_COUNT:
	case GEMP_CY_COLLECT: return check_query(checker, expr, type);
	default: return check_operation(checker, expr, type);
	}
}

gemp_code gemp_checker_expr(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	gemp_cypher_type unused;
	return check_kind(checker, expr, type ? type : &unused);
}

gemp_code gemp_checker_predicate(gemp_checker *checker, gemp_cypher_expr *expr, gemp_cypher_type *type)
{
	gemp_cypher_type unused;
	if (expr->kind == GEMP_CY_PATTERN)
		return check_pattern(checker, expr, type ? type : &unused);
	return gemp_checker_expr(checker, expr, type);
}

gemp_code gemp_checker_condition(gemp_checker *checker, gemp_cypher_expr *expr, const char *word)
{
	gemp_cypher_type type;
	GEMP_TRY(gemp_checker_predicate(checker, expr, &type));
	return gemp_checker_need(checker, expr, type, GEMP_CY_BIT(BOOLEAN), word);
}
