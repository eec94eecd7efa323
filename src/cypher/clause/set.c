/* SET, REMOVE and DELETE. */

#include "core/memory.h"
#include "cypher/change/change.h"
#include "cypher/check/check.h"
#include "cypher/clause/update.h"

/* ONE UPDATE */

static gemp_code fail_kind(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, const char *needed,
                           gemp_datum value)
{
	return gemp_cypher_fail(environment, expr, "%s, not a value of type %s", needed, gemp_datum_kind_name[value.kind]);
}

static bool is_element(gemp_datum value)
{
	return value.kind == GEMP_DATUM_NODE || value.kind == GEMP_DATUM_RELATIONSHIP;
}

/* n.p = value, and REMOVE n.p */
static gemp_code set_property(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                              const gemp_cypher_update *update)
{
	gemp_datum subject, value = { 0 };
	GEMP_TRY(gemp_cypher_evaluate(environment, update->target->first, &subject));
	if (update->value)
		GEMP_TRY(gemp_cypher_evaluate(environment, update->value, &value));
	if (gemp_datum_is_null(subject))
		return GEMP_OK;
	if (!is_element(subject))
		return fail_kind(environment, update->target, "only properties of nodes and relationships can be set", subject);
	return gemp_cypher_fail_at(environment, update->target,
	                           gemp_cypher_change_set(engine->change, subject, update->target->name.bytes, value));
}

/* n = map, n += map; an element in place of the map stands for its properties. */
static gemp_code set_all(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                         const gemp_cypher_update *update)
{
	const gemp_cypher_graph *graph = environment->graph;
	gemp_datum subject, map;
	GEMP_TRY(gemp_cypher_evaluate(environment, update->target, &subject));
	GEMP_TRY(gemp_cypher_evaluate(environment, update->value, &map));
	if (gemp_datum_is_null(subject))
		return GEMP_OK;
	if (!is_element(subject))
		return fail_kind(environment, update->target, "only properties of nodes and relationships can be set", subject);
	if (is_element(map)) {
		const gemp_datum from = map;
		GEMP_TRY(gemp_cypher_fail_at(environment, update->value,
		                             graph->properties(graph->self, from, environment->arena, &map)));
	}
	if (map.kind != GEMP_DATUM_MAP)
		return fail_kind(environment, update->value, "= and += need a map, a node or a relationship on the right", map);
	return gemp_cypher_fail_at(
		environment, update->target,
		gemp_cypher_change_set_all(engine->change, subject, map, update->kind == GEMP_CY_SET_ALL));
}

static gemp_code set_labels(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                            const gemp_cypher_update *update)
{
	gemp_datum subject;
	GEMP_TRY(gemp_cypher_evaluate(environment, update->target, &subject));
	if (gemp_datum_is_null(subject))
		return GEMP_OK;
	if (subject.kind != GEMP_DATUM_NODE)
		return fail_kind(environment, update->target, "only nodes have labels that can change", subject);
	return gemp_cypher_fail_at(
		environment, update->target,
		gemp_cypher_change_labels(engine->change, subject, update->labels, update->kind == GEMP_CY_SET_LABELS));
}

gemp_code gemp_cypher_update_row(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                                 const gemp_cypher_update *updates, bool on_create, bool on_match)
{
	for (const gemp_cypher_update *update = updates; update; update = update->next) {
		if (update->on_create != on_create || update->on_match != on_match)
			continue;
		switch (update->kind) {
		case GEMP_CY_SET_PROPERTY:
		case GEMP_CY_REMOVE_PROPERTY: GEMP_TRY(set_property(engine, environment, update)); break;
		case GEMP_CY_SET_ALL:
		case GEMP_CY_ADD_ALL: GEMP_TRY(set_all(engine, environment, update)); break;
		case GEMP_CY_SET_LABELS:
		case GEMP_CY_REMOVE_LABELS: GEMP_TRY(set_labels(engine, environment, update)); break;
		}
	}
	return GEMP_OK;
}

/* An update reads the old value, so the elements of a block are fetched together. */
gemp_code gemp_cypher_updates_expect(gemp_cypher_cursor *cursor, const gemp_cypher_update *updates)
{
	for (const gemp_cypher_update *update = updates; update; update = update->next) {
		GEMP_TRY(gemp_cypher_cursor_expect(cursor, update->target));
		GEMP_TRY(gemp_cypher_cursor_expect(cursor, update->value));
		cursor->reads_elements = true;
	}
	return GEMP_OK;
}

/* CLAUSES THAT KEEP THE ROWS */

/* The result of SET, REMOVE and DELETE are the rows before. */
static void pass_on(gemp_cypher_table *in, gemp_cypher_table *out)
{
	*out = *in;
	*in = (gemp_cypher_table){ 0 };
}

gemp_code gemp_cypher_set(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                          gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, in, NULL, (size_t)gemp_cypher_clause_slots(clause), NULL));
	GEMP_TRY(gemp_cypher_updates_expect(&cursor, clause->updates));
	for (size_t begin = 0, end; begin < in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, in->rows);
		GEMP_TRY(gemp_cypher_engine_check(engine, "changing elements", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_cypher_cursor_row(&cursor, r);
			GEMP_TRY(gemp_cypher_update_row(engine, &cursor.environment, clause->updates, false, false));
		}
	}
	pass_on(in, out);
	return GEMP_OK;
}

/* Deleting a path deletes all its elements. */
static gemp_code delete_value(gemp_cypher_engine *engine, const gemp_cypher_environment *environment,
                              const gemp_cypher_expr *expr, gemp_datum value, bool detaches)
{
	if (gemp_datum_is_null(value))
		return GEMP_OK;
	if (is_element(value))
		return gemp_cypher_fail_at(environment, expr, gemp_cypher_change_delete(engine->change, value, detaches));
	if (value.kind != GEMP_DATUM_PATH)
		return fail_kind(environment, expr, "DELETE needs a node, a relationship or a path", value);
	for (uint32_t i = 0; i < value.size; i++)
		GEMP_TRY(gemp_cypher_change_delete(engine->change, value.items[i], detaches));
	return GEMP_OK;
}

gemp_code gemp_cypher_delete(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                             gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, in, NULL, (size_t)gemp_cypher_clause_slots(clause), NULL));
	for (const gemp_cypher_item *item = clause->items; item; item = item->next)
		GEMP_TRY(gemp_cypher_cursor_expect(&cursor, item->expr));
	for (size_t begin = 0, end; begin < in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, in->rows);
		GEMP_TRY(gemp_cypher_engine_check(engine, "deleting elements", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_cypher_cursor_row(&cursor, r);
			for (const gemp_cypher_item *item = clause->items; item; item = item->next) {
				gemp_datum value;
				GEMP_TRY(gemp_cypher_evaluate(&cursor.environment, item->expr, &value));
				GEMP_TRY(delete_value(engine, &cursor.environment, item->expr, value, clause->detach));
			}
		}
	}
	pass_on(in, out);
	return GEMP_OK;
}
