#include "cypher/check/checker.h"
#include "cypher/clause/procedure.h"

/* A call that is the whole query returns all columns of the procedure. */
static gemp_code return_all(gemp_checker *checker, gemp_cypher_clause *clause)
{
	gemp_cypher_clause *last;
	GEMP_TRY(GEMP_ARENA_NEW(&checker->tree->arena, last, 1));
	*last = (gemp_cypher_clause){
		.kind = GEMP_CY_RETURN, .place = clause->place, .slot = GEMP_CY_NO_SLOT, .all = true
	};
	clause->next = last;
	clause->all = true;
	return GEMP_OK;
}

static gemp_code check_yield(gemp_checker *checker, const gemp_cypher_clause *clause, gemp_cypher_item *item,
                             const char *column)
{
	if (item != clause->yields || strcmp(item->expr->name.bytes, column) != 0)
		return gemp_checker_fail(checker, item->place, "%s() yields only the column '%s'", clause->name.bytes, column);
	GEMP_TRY(gemp_checker_must_be_new(checker, item->alias, "YIELD"));
	return gemp_checker_declare(checker, item->alias, gemp_cypher_type_of(GEMP_CY_BIT(STRING)), &item->slot);
}

gemp_code gemp_checker_procedure(gemp_checker *checker, gemp_cypher_part *part, gemp_cypher_clause *clause)
{
	const char *column = gemp_cypher_procedure_column(clause->name.bytes);
	int slot;
	if (!column)
		return gemp_checker_fail(checker, clause->place, "there is no procedure %s(); there are %s", clause->name.bytes,
		                         gemp_cypher_procedure_names);
	if (clause->items)
		return gemp_checker_fail(checker, clause->items->place, "%s() takes no arguments", clause->name.bytes);
	for (gemp_cypher_item *item = clause->yields; item; item = item->next)
		GEMP_TRY(check_yield(checker, clause, item, column));
	if (part->first == clause && !clause->next) {
		GEMP_TRY(return_all(checker, clause));
		part->last = clause->next;
	}
	if (clause->all && !clause->yields) {
		const gemp_cypher_word name = { column, strlen(column), clause->place };
		GEMP_TRY(gemp_checker_declare(checker, name, gemp_cypher_type_of(GEMP_CY_BIT(STRING)), &slot));
	}
	checker->no_aggregates = "WHERE";
	return clause->where ? gemp_checker_condition(checker, clause->where, "WHERE") : GEMP_OK;
}
