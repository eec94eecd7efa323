#include "core/memory.h"
#include "cypher/change/change.h"
#include "cypher/check/check.h"
#include "cypher/clause/update.h"

#include <string.h>

/* THE PATTERN */

static gemp_code add_number(gemp_cypher_creator *c, const gemp_cypher_node *node, const gemp_cypher_edge *edge)
{
	uint32_t number;
	if (edge)
		GEMP_TRY(gemp_cypher_change_name(c->engine->change, edge->types->name.bytes, &number));
	else
		GEMP_TRY(gemp_cypher_change_label_set(c->engine->change, node->labels, &number));
	return GEMP_APPEND(c->numbers, c->count, &number);
}

gemp_code gemp_cypher_creator_new(gemp_cypher_creator *c, gemp_cypher_engine *engine,
                                  const gemp_cypher_pattern *pattern)
{
	*c = (gemp_cypher_creator){ .engine = engine, .pattern = pattern };
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(add_number(c, path->from, NULL));
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			GEMP_TRY(add_number(c, NULL, edge));
			GEMP_TRY(add_number(c, edge->to, NULL));
		}
	}
	return GEMP_OK;
}

void gemp_cypher_creator_free(gemp_cypher_creator *c)
{
	gemp_free(c->numbers);
	*c = (gemp_cypher_creator){ 0 };
}

/* CREATING */

static gemp_code set_properties(const gemp_cypher_creator *c, const gemp_cypher_environment *environment,
                                const gemp_cypher_expr *properties, gemp_datum element)
{
	gemp_datum map;
	if (!properties)
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_evaluate(environment, properties, &map));
	if (gemp_datum_is_null(map))
		return GEMP_OK;
	if (map.kind != GEMP_DATUM_MAP)
		return gemp_cypher_fail(environment, properties, "properties are a map, not a value of type %s",
		                        gemp_datum_kind_name[map.kind]);
	return gemp_cypher_fail_at(environment, properties,
	                           gemp_cypher_change_set_all(c->engine->change, element, map, false));
}

static gemp_code place_fail(const gemp_cypher_environment *environment, gemp_cypher_place place, const char *name,
                            const char *problem)
{
	return gemp_source_fail(environment->source, place.begin, "the node '%s' %s, so no relationship can end there",
	                        name ? name : "()", problem);
}

/* Returns the node of a pattern: that of the row, or a new one. */
static gemp_code take_node(const gemp_cypher_creator *c, const gemp_cypher_environment *environment,
                           const gemp_cypher_node *node, uint32_t set, gemp_datum *cells, gemp_datum *out)
{
	if (node->bound) {
		*out = cells[node->slot];
		if (gemp_datum_is_null(*out))
			return place_fail(environment, node->place, node->name.bytes, "is NULL");
		if (out->kind != GEMP_DATUM_NODE)
			return place_fail(environment, node->place, node->name.bytes, "is no node");
		return GEMP_OK;
	}
	GEMP_TRY(gemp_cypher_change_create_node(c->engine->change, set, out));
	if (node->slot >= 0)
		cells[node->slot] = *out;
	return set_properties(c, environment, node->made, *out);
}

static gemp_code create_edge(const gemp_cypher_creator *c, const gemp_cypher_environment *environment,
                             const gemp_cypher_edge *edge, uint32_t type, const gemp_datum *ends, gemp_datum *cells,
                             gemp_datum *out)
{
	const bool turned = edge->left && !edge->right;
	const gemp_code code = gemp_cypher_change_create_relationship(c->engine->change, type, ends[turned ? 2 : 0].id,
	                                                              ends[turned ? 0 : 2].id, out);
	if (code == GEMP_EUSAGE)
		return place_fail(environment, edge->place, NULL, "was deleted by this query");
	GEMP_TRY(code);
	if (edge->slot >= 0)
		cells[edge->slot] = *out;
	return set_properties(c, environment, edge->made, *out);
}

/* items[2 * path->edges + 1] are the nodes and relationships in the order of the text. Nodes come first, since a
 * relationship needs both of its ends. */
static gemp_code create_path(const gemp_cypher_creator *c, const gemp_cypher_environment *environment,
                             const gemp_cypher_path *path, const uint32_t *numbers, gemp_datum *items,
                             gemp_datum *cells)
{
	size_t at = 0;
	GEMP_TRY(take_node(c, environment, path->from, numbers[at], cells, &items[at]));
	for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next, at += 2) {
		GEMP_TRY(take_node(c, environment, edge->to, numbers[at + 2], cells, &items[at + 2]));
		GEMP_TRY(create_edge(c, environment, edge, numbers[at + 1], &items[at], cells, &items[at + 1]));
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_creator_run(const gemp_cypher_creator *c, const gemp_cypher_environment *environment,
                                  gemp_arena *arena, gemp_datum *cells)
{
	GEMP_OWNED gemp_datum *items = NULL;
	const uint32_t *numbers = c->numbers;
	GEMP_TRY(GEMP_NEW(items, c->count));
	for (const gemp_cypher_path *path = c->pattern->first; path; path = path->next) {
		const size_t size = 2 * path->edges + 1;
		GEMP_TRY(create_path(c, environment, path, numbers, items, cells));
		if (path->slot >= 0)
			GEMP_TRY(gemp_datum_path(&cells[path->slot], arena, items, size));
		numbers += size;
	}
	return GEMP_OK;
}

/* THE CLAUSE */

static gemp_code expect_pattern(gemp_cypher_cursor *cursor, const gemp_cypher_pattern *pattern)
{
	for (const gemp_cypher_path *path = pattern->first; path; path = path->next) {
		GEMP_TRY(gemp_cypher_cursor_expect(cursor, path->from->made));
		for (const gemp_cypher_edge *edge = path->first; edge; edge = edge->next) {
			GEMP_TRY(gemp_cypher_cursor_expect(cursor, edge->made));
			GEMP_TRY(gemp_cypher_cursor_expect(cursor, edge->to->made));
		}
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_create(gemp_cypher_engine *engine, const gemp_cypher_clause *clause, gemp_cypher_table *in,
                             gemp_cypher_table *out)
{
	GEMP_OWNED_BY(gemp_cypher_cursor_close) gemp_cypher_cursor cursor = { 0 };
	GEMP_OWNED_BY(gemp_cypher_creator_free) gemp_cypher_creator creator = { 0 };
	out->width = (size_t)clause->width_out;
	out->with_origin = in->with_origin;
	GEMP_TRY(gemp_cypher_table_reserve(out, in->rows));
	GEMP_TRY(gemp_cypher_creator_new(&creator, engine, clause->pattern));
	GEMP_TRY(gemp_cypher_cursor_open(&cursor, engine, in, NULL, (size_t)gemp_cypher_clause_slots(clause), NULL));
	GEMP_TRY(expect_pattern(&cursor, clause->pattern));
	for (size_t begin = 0, end; begin < in->rows; begin = end) {
		end = gemp_cypher_block_end(begin, in->rows);
		GEMP_TRY(gemp_cypher_engine_check(engine, "creating elements", begin));
		GEMP_TRY(gemp_cypher_cursor_block(&cursor, begin, end));
		for (size_t r = begin; r < end; r++) {
			gemp_datum *cells;
			gemp_cypher_cursor_row(&cursor, r);
			GEMP_TRY(gemp_cypher_table_add(out, &cells));
			if (out->with_origin)
				out->origin[r] = in->origin[r];
			if (in->width)
				memcpy(cells, gemp_cypher_table_row(in, r), in->width * sizeof *cells);
			GEMP_TRY(gemp_cypher_creator_run(&creator, &cursor.environment, &out->arena, cells));
		}
	}
	gemp_arena_join(&out->arena, &in->arena);
	return GEMP_OK;
}
