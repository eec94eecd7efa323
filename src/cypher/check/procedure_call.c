#include "core/list.h"
#include "cypher/check/checker.h"
#include "cypher/function/procedure.h"

static gemp_code append_column(gemp_checker *checker, gemp_cypher_clause *last, gemp_cypher_word name)
{
	gemp_cypher_item *item;
	GEMP_TRY(GEMP_ARENA_NEW(&checker->tree->arena, item, 1));
	GEMP_TRY(GEMP_ARENA_NEW(&checker->tree->arena, item->expr, 1));
	*item->expr = (gemp_cypher_expr){ .kind = GEMP_CY_VARIABLE,
		                              .place = name.place,
		                              .name = name,
		                              .slot = GEMP_CY_NO_SLOT,
		                              .slot2 = GEMP_CY_NO_SLOT,
		                              .aggregate = -1 };
	item->place = name.place;
	item->alias = name;
	GEMP_LIST_APPEND(last->items, last->last_item, item);
	return GEMP_OK;
}

/* A call that is the whole query returns the columns that it yields, or else all columns, in their order. */
static gemp_code return_columns(gemp_checker *checker, const gemp_cypher_procedure *procedure,
                                gemp_cypher_clause *clause)
{
	const gemp_cypher_parameter *columns = procedure->columns;
	const size_t count = gemp_cypher_parameter_count(columns, GEMP_CY_MAX_COLUMNS);
	gemp_cypher_clause *last;
	GEMP_TRY(GEMP_ARENA_NEW(&checker->tree->arena, last, 1));
	*last = (gemp_cypher_clause){ .kind = GEMP_CY_RETURN, .place = clause->place, .slot = GEMP_CY_NO_SLOT };
	clause->next = last;
	clause->all = !clause->yields;
	for (const gemp_cypher_item *item = clause->yields; item; item = item->next)
		GEMP_TRY(append_column(checker, last, item->alias));
	for (size_t i = 0; i < count && clause->all; i++)
		GEMP_TRY(append_column(checker, last,
		                       (gemp_cypher_word){ columns[i].name, strlen(columns[i].name), clause->place }));
	return GEMP_OK;
}

static gemp_code find_procedure(gemp_checker *checker, const gemp_cypher_clause *clause,
                                const gemp_cypher_procedure **out)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text names = { 0 };
	*out = gemp_cypher_procedure_find(clause->name.bytes);
	if (*out)
		return GEMP_OK;
	gemp_cypher_procedure_list(&names);
	GEMP_TRY(gemp_text_status(&names));
	return gemp_checker_fail(checker, clause->place, "there is no procedure %s(); there are %s", clause->name.bytes,
	                         names.data);
}

/* ARGUMENTS */

/* Refuses names of options that the procedure does not have. Only a map that is written in the query is known here. */
static gemp_code check_options(gemp_checker *checker, const gemp_cypher_procedure *procedure,
                               const gemp_cypher_expr *map)
{
	const gemp_cypher_parameter *options = procedure->options;
	for (const gemp_cypher_expr *entry = map->first; map->kind == GEMP_CY_MAP && entry; entry = entry->next) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text names = { 0 };
		if (gemp_cypher_parameter_find(options, GEMP_CY_MAX_OPTIONS, entry->name.bytes) < GEMP_CY_MAX_OPTIONS)
			continue;
		gemp_cypher_parameter_list(options, GEMP_CY_MAX_OPTIONS, &names);
		GEMP_TRY(gemp_text_status(&names));
		return gemp_checker_fail(checker, entry->place, "%s() has no option '%s'; there are %s", procedure->name,
		                         entry->name.bytes, names.data);
	}
	return GEMP_OK;
}

static gemp_code check_argument(gemp_checker *checker, const gemp_cypher_procedure *procedure, size_t number,
                                gemp_cypher_expr *expr)
{
	const gemp_cypher_parameter *argument = &procedure->arguments[number];
	gemp_cypher_type type;
	char word[128];
	checker->no_aggregates = "the arguments of a procedure";
	GEMP_TRY(gemp_checker_expr(checker, expr, &type));
	snprintf(word, sizeof word, "argument %zu of %s(), %s,", number + 1, procedure->name, argument->name);
	GEMP_TRY(gemp_checker_need(checker, expr, type, argument->kinds, word));
	return argument->kinds == GEMP_CY_BIT(MAP) ? check_options(checker, procedure, expr) : GEMP_OK;
}

static gemp_code check_arguments(gemp_checker *checker, const gemp_cypher_procedure *procedure,
                                 const gemp_cypher_clause *clause)
{
	const size_t max = gemp_cypher_parameter_count(procedure->arguments, GEMP_CY_MAX_ARGUMENTS);
	GEMP_OWNED_BY(gemp_text_free) gemp_text names = { 0 };
	size_t count = 0;
	for (const gemp_cypher_item *item = clause->items; item; item = item->next, count++) {
		if (max == 0)
			return gemp_checker_fail(checker, item->place, "%s() takes no arguments", procedure->name);
		if (count < max)
			GEMP_TRY(check_argument(checker, procedure, count, item->expr));
	}
	if (count >= procedure->min_arguments && count <= max)
		return GEMP_OK;
	gemp_cypher_parameter_list(procedure->arguments, GEMP_CY_MAX_ARGUMENTS, &names);
	GEMP_TRY(gemp_text_status(&names));
	return gemp_checker_fail(checker, clause->place, "%s() takes %zu to %zu arguments (%s); got %zu", procedure->name,
	                         procedure->min_arguments, max, names.data, count);
}

/* COLUMNS */

static gemp_code check_yield(gemp_checker *checker, const gemp_cypher_procedure *procedure, gemp_cypher_item *item)
{
	const gemp_cypher_parameter *columns = procedure->columns;
	const size_t column = gemp_cypher_parameter_find(columns, GEMP_CY_MAX_COLUMNS, item->expr->name.bytes);
	GEMP_OWNED_BY(gemp_text_free) gemp_text names = { 0 };
	if (column == GEMP_CY_MAX_COLUMNS) {
		gemp_cypher_parameter_list(columns, GEMP_CY_MAX_COLUMNS, &names);
		GEMP_TRY(gemp_text_status(&names));
		return gemp_checker_fail(checker, item->place, "%s() has no column '%s'; it yields %s", procedure->name,
		                         item->expr->name.bytes, names.data);
	}
	GEMP_TRY(gemp_checker_must_be_new(checker, item->alias, "YIELD"));
	return gemp_checker_declare(checker, item->alias, gemp_cypher_type_of(columns[column].kinds), &item->slot);
}

static gemp_code declare_all(gemp_checker *checker, const gemp_cypher_procedure *procedure,
                             const gemp_cypher_clause *clause)
{
	const size_t count = gemp_cypher_parameter_count(procedure->columns, GEMP_CY_MAX_COLUMNS);
	int slot;
	for (size_t i = 0; i < count; i++) {
		const gemp_cypher_parameter *column = &procedure->columns[i];
		const gemp_cypher_word name = { column->name, strlen(column->name), clause->place };
		GEMP_TRY(gemp_checker_declare(checker, name, gemp_cypher_type_of(column->kinds), &slot));
	}
	return GEMP_OK;
}

gemp_code gemp_checker_procedure(gemp_checker *checker, gemp_cypher_part *part, gemp_cypher_clause *clause)
{
	const gemp_cypher_procedure *procedure;
	GEMP_TRY(find_procedure(checker, clause, &procedure));
	GEMP_TRY(check_arguments(checker, procedure, clause));
	for (gemp_cypher_item *item = clause->yields; item; item = item->next)
		GEMP_TRY(check_yield(checker, procedure, item));
	if (part->first == clause && !clause->next) {
		GEMP_TRY(return_columns(checker, procedure, clause));
		part->last = clause->next;
	}
	if (clause->all)
		GEMP_TRY(declare_all(checker, procedure, clause));
	checker->no_aggregates = "WHERE";
	return clause->where ? gemp_checker_condition(checker, clause->where, "WHERE") : GEMP_OK;
}
