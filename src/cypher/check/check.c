#include "cypher/check/check.h"
#include "cypher/check/checker.h"

static gemp_code check_clause(gemp_checker *checker, gemp_cypher_part *part, gemp_cypher_clause *clause, size_t floor);
static gemp_code check_query(gemp_checker *checker, gemp_cypher_query *query, bool called);

static const char *word_of(gemp_cypher_clause_kind kind)
{
	static const char *const words[] = {
		[GEMP_CY_MATCH] = "MATCH",     [GEMP_CY_UNWIND] = "UNWIND",
		[GEMP_CY_WITH] = "WITH",       [GEMP_CY_RETURN] = "RETURN",
		[GEMP_CY_CREATE] = "CREATE",   [GEMP_CY_MERGE] = "MERGE",
		[GEMP_CY_SET] = "SET",         [GEMP_CY_REMOVE] = "REMOVE",
		[GEMP_CY_DELETE] = "DELETE",   [GEMP_CY_CALL_PROCEDURE] = "CALL",
		[GEMP_CY_FOREACH] = "FOREACH", [GEMP_CY_CALL_SUBQUERY] = "CALL",
	};
	return words[kind];
}

/* CLAUSES */

static gemp_code check_match(gemp_checker *checker, gemp_cypher_clause *clause)
{
	GEMP_TRY(gemp_checker_pattern(checker, clause->pattern, true));
	checker->no_aggregates = "WHERE";
	if (clause->where)
		GEMP_TRY(gemp_checker_condition(checker, clause->where, "WHERE"));
	clause->pattern->scratch = checker->peak - clause->pattern->width_out;
	return GEMP_OK;
}

/* Declares the variable of UNWIND or FOREACH after its list has been checked. */
static gemp_code check_unwind(gemp_checker *checker, gemp_cypher_clause *clause)
{
	gemp_cypher_type type;
	int slot = gemp_checker_take_slot(checker); /* first, so that comprehensions in the list get others */
	checker->no_aggregates = word_of(clause->kind);
	GEMP_TRY(gemp_checker_expr(checker, clause->expr, &type));
	GEMP_TRY(gemp_checker_must_be_new(checker, clause->name, word_of(clause->kind)));
	clause->slot = slot;
	const uint32_t element = type.kinds == GEMP_CY_BIT(LIST) ? type.elements : GEMP_CYPHER_ANY;
	return gemp_checker_declare_in(checker, clause->name, gemp_cypher_type_of(element), slot);
}

static bool searches(const gemp_cypher_expr *expr)
{
	bool found = expr->kind == GEMP_CY_PATTERN || expr->kind == GEMP_CY_PATTERN_COMPREHENSION ||
	             expr->kind == GEMP_CY_EXISTS || expr->kind == GEMP_CY_COUNT || expr->kind == GEMP_CY_COLLECT;
	for (const gemp_cypher_expr *child = expr->first; child && !found; child = child->next)
		found = searches(child);
	return found;
}

static gemp_code check_updates(gemp_checker *checker, gemp_cypher_clause *clause)
{
	checker->no_aggregates = word_of(clause->kind);
	for (gemp_cypher_update *update = clause->updates; update; update = update->next) {
		gemp_cypher_type type;
		GEMP_TRY(gemp_checker_expr(checker, update->target, &type));
		if (update->kind != GEMP_CY_SET_PROPERTY && update->kind != GEMP_CY_REMOVE_PROPERTY)
			GEMP_TRY(gemp_checker_need(checker, update->target, type, GEMP_CYPHER_ELEMENT, word_of(clause->kind)));
		if (update->value)
			GEMP_TRY(gemp_checker_expr(checker, update->value, NULL));
		if (update->value && clause->kind == GEMP_CY_MERGE && searches(update->value))
			return gemp_checker_fail(
				checker, update->value->place,
				"a pattern in ON CREATE SET or ON MATCH SET would not see what this MERGE has made; "
				"write it in a SET behind the MERGE");
	}
	return GEMP_OK;
}

static gemp_code check_delete(gemp_checker *checker, gemp_cypher_clause *clause)
{
	checker->no_aggregates = "DELETE";
	for (gemp_cypher_item *item = clause->items; item; item = item->next) {
		gemp_cypher_type type;
		GEMP_TRY(gemp_checker_expr(checker, item->expr, &type));
		GEMP_TRY(gemp_checker_need(checker, item->expr, type, GEMP_CYPHER_ELEMENT | GEMP_CY_BIT(PATH), "DELETE"));
	}
	return GEMP_OK;
}

static gemp_code check_foreach(gemp_checker *checker, gemp_cypher_part *part, gemp_cypher_clause *clause)
{
	const size_t count = checker->count;
	const int top = checker->top;
	GEMP_TRY(check_unwind(checker, clause));
	for (gemp_cypher_clause *inner = clause->body; inner; inner = inner->next)
		GEMP_TRY(check_clause(checker, part, inner, count));
	checker->count = count;
	checker->top = top;
	return GEMP_OK;
}

/* CALL { ... }: the columns of its RETURN become variables behind the row. */
static gemp_code check_subquery(gemp_checker *checker, gemp_cypher_clause *clause)
{
	const gemp_cypher_clause *last = clause->query->first->last;
	int slot;
	GEMP_TRY(check_query(checker, clause->query, true));
	if (last->kind != GEMP_CY_RETURN)
		return gemp_checker_fail(checker, clause->place, "CALL { ... } needs a RETURN");
	for (const gemp_cypher_item *item = last->items; item; item = item->next) {
		GEMP_TRY(gemp_checker_must_be_new(checker, item->alias, "CALL"));
		GEMP_TRY(gemp_checker_declare(checker, item->alias, gemp_cypher_type_any(), &slot));
	}
	checker->peak = checker->top; /* the query's clauses have scratch slots of their own */
	return GEMP_OK;
}

/* The variables of the clause's query begin at `floor`. */
static gemp_code check_clause(gemp_checker *checker, gemp_cypher_part *part, gemp_cypher_clause *clause, size_t floor)
{
	clause->width_in = checker->top;
	checker->peak = checker->top;
	switch (clause->kind) {
	case GEMP_CY_MATCH: GEMP_TRY(check_match(checker, clause)); break;
	case GEMP_CY_UNWIND: GEMP_TRY(check_unwind(checker, clause)); break;
	case GEMP_CY_WITH:
	case GEMP_CY_RETURN: return gemp_checker_projection(checker, clause, floor);
	case GEMP_CY_CREATE: GEMP_TRY(gemp_checker_new_elements(checker, clause)); break;
	case GEMP_CY_MERGE:
		GEMP_TRY(gemp_checker_new_elements(checker, clause));
		GEMP_TRY(check_updates(checker, clause));
		break;
	case GEMP_CY_SET:
	case GEMP_CY_REMOVE: GEMP_TRY(check_updates(checker, clause)); break;
	case GEMP_CY_DELETE: GEMP_TRY(check_delete(checker, clause)); break;
	case GEMP_CY_FOREACH: GEMP_TRY(check_foreach(checker, part, clause)); break;
	case GEMP_CY_CALL_PROCEDURE: GEMP_TRY(gemp_checker_procedure(checker, part, clause)); break;
	case GEMP_CY_CALL_SUBQUERY: GEMP_TRY(check_subquery(checker, clause)); break;
	}
	clause->width_out = checker->top;
	clause->scratch = checker->peak - checker->top;
	return GEMP_OK;
}

/* QUERIES */

/* Parts of UNION have the same columns. */
static gemp_code check_columns(const gemp_checker *checker, const gemp_cypher_part *first, const gemp_cypher_part *part)
{
	const gemp_cypher_item *a = first->last->items, *b = part->last->items;
	if (first->last->kind != GEMP_CY_RETURN || part->last->kind != GEMP_CY_RETURN)
		return gemp_checker_fail(checker, part->last->place, "each part of a UNION ends with RETURN");
	for (; a && b; a = a->next, b = b->next)
		if (!gemp_cypher_same_word(a->alias, b->alias))
			return gemp_checker_fail(
				checker, b->place,
				"the parts of a UNION need the same columns; this one is '%s', but the first part has "
				"'%s'; name them alike with AS",
				b->alias.bytes, a->alias.bytes);
	if (a || b)
		return gemp_checker_fail(checker, part->last->place, "the parts of a UNION have different numbers of columns");
	return GEMP_OK;
}

/* The grammar has checked the order of clauses. All parts see the variables before the query; but those of CALL { ... }
 * only if they begin with WITH, and only there. */
static gemp_code check_query(gemp_checker *checker, gemp_cypher_query *query, bool called)
{
	const size_t count = checker->count, floor = checker->floor;
	const int top = checker->top;
	query->width_in = top;
	for (gemp_cypher_part *part = query->first; part; part = part->next) {
		if (called && part->first->kind != GEMP_CY_WITH)
			checker->floor = count;
		for (gemp_cypher_clause *clause = part->first; clause; clause = clause->next)
			GEMP_TRY(check_clause(checker, part, clause, count));
		if (part != query->first)
			GEMP_TRY(check_columns(checker, query->first, part));
		checker->count = count;
		checker->floor = floor;
		checker->top = top;
	}
	return GEMP_OK;
}

gemp_code gemp_checker_inner_query(gemp_checker *checker, gemp_cypher_query *query, gemp_cypher_kind kind)
{
	const int peak = checker->peak;
	const char *no_aggregates = checker->no_aggregates;
	const bool in_aggregate = checker->in_aggregate, columns_only = checker->columns_only;
	const size_t aggregates = checker->aggregates;
	checker->in_aggregate = false;
	GEMP_TRY(check_query(checker, query, false));
	const gemp_cypher_clause *last = query->first->last;
	if (kind == GEMP_CY_COLLECT && (last->kind != GEMP_CY_RETURN || last->width_out != 1))
		return gemp_checker_fail(checker, query->place, "COLLECT { ... } needs a RETURN with one column");
	checker->peak = peak;
	checker->no_aggregates = no_aggregates;
	checker->in_aggregate = in_aggregate;
	checker->columns_only = columns_only;
	checker->aggregates = aggregates;
	return GEMP_OK;
}

gemp_code gemp_cypher_check(gemp_cypher_tree *tree)
{
	gemp_checker checker = { .tree = tree };
	gemp_code code = check_query(&checker, tree->query, false);
	gemp_free(checker.variables);
	return code;
}
