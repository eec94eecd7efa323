#include "cypher/search/emit.h"

#include "core/memory.h"
#include "cypher/evaluate/evaluate.h"
#include "cypher/search/order.h"

#include <string.h>

static gemp_datum node_of(uint64_t id)
{
	return (gemp_datum){ .kind = GEMP_DATUM_NODE, .id = id };
}

static gemp_datum relationship_of(gemp_edge edge)
{
	return (gemp_datum){ .kind = GEMP_DATUM_RELATIONSHIP, .id = edge };
}

/* VALUES */

/* Writes the relationships of a trail, and with `nodes` also the vertices between and behind them, in the direction of
 * the pattern. Returns the number of items. */
static size_t write_trail(const gemp_cypher_answer *a, const gemp_cypher_hop *hop, size_t index, bool nodes,
                          gemp_datum *items)
{
	const gemp_cypher_trail *trails = a->trails.trails, *t = &trails[index];
	const size_t count = t->length, step = nodes ? 2 : 1;
	for (size_t i = 0; t->length; i++, t = &trails[t->parent]) {
		gemp_datum *to = items + step * (hop->reversed ? i : count - 1 - i);
		to[0] = relationship_of(t->edge);
		if (nodes)
			to[1] = node_of(hop->reversed ? trails[t->parent].vertex : t->vertex);
	}
	return step * count;
}

static size_t hop_length(const gemp_cypher_answer *a, const uint64_t *row, size_t h)
{
	const gemp_cypher_hop *hop = &a->plan->hops[h];
	return gemp_cypher_hop_has_trail(hop) ? a->trails.trails[row[gemp_cypher_hop_cell(a->plan, h)]].length : 1;
}

static gemp_code path_value(const gemp_cypher_answer *a, const uint64_t *row, const gemp_cypher_route *route,
                            gemp_arena *arena, gemp_datum *out)
{
	const gemp_cypher_match_plan *plan = a->plan;
	size_t count = 1, n = 0;
	gemp_datum *items;
	for (size_t h = route->first_hop; h < route->first_hop + route->hop_count; h++)
		count += 2 * hop_length(a, row, h);
	GEMP_TRY(GEMP_ARENA_NEW(arena, items, count));
	items[n++] = node_of(row[gemp_cypher_vertex_cell(route->from)]);
	for (size_t h = route->first_hop; h < route->first_hop + route->hop_count; h++) {
		const uint64_t cell = row[gemp_cypher_hop_cell(plan, h)];
		if (gemp_cypher_hop_has_trail(&plan->hops[h])) {
			n += write_trail(a, &plan->hops[h], cell, true, items + n);
		} else {
			items[n++] = relationship_of(cell);
			items[n++] = node_of(row[gemp_cypher_vertex_cell(plan->hops[h].to)]);
		}
	}
	*out = (gemp_datum){ .kind = GEMP_DATUM_PATH, .size = (uint32_t)count, .items = items };
	return GEMP_OK;
}

/* A hop that is written with `*` is a list. */
static gemp_code hop_value(const gemp_cypher_answer *a, const uint64_t *row, size_t h, gemp_arena *arena,
                           gemp_datum *out)
{
	const gemp_cypher_hop *hop = &a->plan->hops[h];
	const size_t count = hop_length(a, row, h);
	gemp_datum *items;
	if (!gemp_cypher_hop_has_trail(hop)) {
		*out = relationship_of(row[gemp_cypher_hop_cell(a->plan, h)]);
		return GEMP_OK;
	}
	GEMP_TRY(GEMP_ARENA_NEW(arena, items, count));
	write_trail(a, hop, row[gemp_cypher_hop_cell(a->plan, h)], false, items);
	*out = hop->variable ? (gemp_datum){ .kind = GEMP_DATUM_LIST, .size = (uint32_t)count, .items = items } : items[0];
	return GEMP_OK;
}

static bool is_known(const uint64_t *row, size_t cell)
{
	return row[cell] != GEMP_CY_UNKNOWN;
}

/* Writes the new variables of the pattern into a row of values, as far as they are known. */
static gemp_code write_row(const gemp_cypher_answer *a, const uint64_t *row, gemp_arena *arena, gemp_datum *to)
{
	const gemp_cypher_match_plan *plan = a->plan;
	for (size_t v = 0; v < plan->vertex_count; v++)
		if (plan->vertices[v].slot >= 0 && !plan->vertices[v].given && is_known(row, gemp_cypher_vertex_cell(v)))
			to[plan->vertices[v].slot] = node_of(row[gemp_cypher_vertex_cell(v)]);
	for (size_t h = 0; h < plan->hop_count; h++)
		if (plan->hops[h].slot >= 0 && !plan->hops[h].given && is_known(row, gemp_cypher_hop_cell(plan, h)))
			GEMP_TRY(hop_value(a, row, h, arena, &to[plan->hops[h].slot]));
	for (size_t p = 0; p < plan->route_count && a->complete; p++)
		GEMP_TRY(path_value(a, row, &plan->routes[p], arena, &to[plan->routes[p].slot]));
	return GEMP_OK;
}

/* CONDITIONS */

static gemp_code test_properties(const gemp_cypher_answer *a, gemp_datum element, gemp_datum map, bool *passes)
{
	for (size_t i = 0; i < map.size && *passes; i++) {
		gemp_datum value;
		GEMP_TRY(gemp_cypher_store_property(&a->search->store, element, map.entries[i].key, &value));
		*passes = gemp_datum_equal(value, map.entries[i].value) == GEMP_IS_TRUE;
	}
	return GEMP_OK;
}

/* A map of a hop of variable length holds for each of its relationships. */
static gemp_code test_map(const gemp_cypher_answer *a, const gemp_cypher_environment *environment,
                          const gemp_cypher_residual *r, const uint64_t *row, bool *passes)
{
	gemp_datum map, hop;
	GEMP_TRY(gemp_cypher_evaluate(environment, r->map, &map));
	if (map.kind != GEMP_DATUM_MAP && !gemp_datum_is_null(map))
		return gemp_cypher_fail(environment, r->map, "the properties of a pattern are a map, not a value of type %s",
		                        gemp_datum_kind_name[map.kind]);
	*passes = map.kind == GEMP_DATUM_MAP;
	if (!r->of_hop)
		return test_properties(a, node_of(row[gemp_cypher_vertex_cell(r->element)]), map, passes);
	GEMP_TRY(hop_value(a, row, r->element, environment->arena, &hop));
	if (hop.kind == GEMP_DATUM_RELATIONSHIP)
		return test_properties(a, hop, map, passes);
	for (size_t i = 0; i < hop.size && *passes; i++)
		GEMP_TRY(test_properties(a, hop.items[i], map, passes));
	return GEMP_OK;
}

static gemp_code test_row(const gemp_cypher_answer *a, size_t steps, const gemp_cypher_environment *environment,
                          const uint64_t *row, bool *passes)
{
	for (size_t i = 0; i < a->plan->residual_count && *passes; i++) {
		const gemp_cypher_residual *r = &a->plan->residuals[i];
		gemp_truth truth = GEMP_IS_TRUE;
		if (r->steps != steps)
			continue;
		if (r->condition)
			GEMP_TRY(gemp_cypher_condition(environment, r->condition, &truth));
		else
			GEMP_TRY(test_map(a, environment, r, row, passes));
		*passes = *passes && truth == GEMP_IS_TRUE;
	}
	return GEMP_OK;
}

/* The row of values in which conditions are evaluated. Its values live as long as the test of one row. */
static gemp_code set_values(const gemp_cypher_answer *a, const gemp_cypher_environment *environment,
                            const uint64_t *row)
{
	const size_t given = gemp_min(a->in->width, environment->slots);
	memset(environment->row, 0, environment->slots * sizeof *environment->row);
	if (given)
		memcpy(environment->row, gemp_cypher_table_row(a->in, row[0]), given * sizeof *environment->row);
	return write_row(a, row, environment->arena, environment->row);
}

/* Meets the elements of all rows before the first condition reads one, so that they are fetched together. */
static gemp_code meet_elements(const gemp_cypher_answer *a)
{
	gemp_cypher_store *s = &a->search->store;
	const gemp_cypher_match_plan *plan = a->plan;
	for (size_t row = 0; row < a->frame.rows; row++) {
		const uint64_t *cells = gemp_cypher_frame_row(&a->frame, row);
		const gemp_cypher_trail *trails = a->trails.trails;
		for (size_t v = 0; v < plan->vertex_count; v++)
			if (is_known(cells, gemp_cypher_vertex_cell(v)))
				GEMP_TRY(gemp_cypher_store_add_vertex(s, (gemp_vertex)cells[gemp_cypher_vertex_cell(v)]));
		for (size_t h = 0; h < plan->hop_count; h++) {
			const uint64_t cell = cells[gemp_cypher_hop_cell(plan, h)];
			if (cell == GEMP_CY_UNKNOWN)
				continue;
			if (!gemp_cypher_hop_has_trail(&plan->hops[h]))
				GEMP_TRY(gemp_cypher_store_add_edge(s, cell));
			else
				for (const gemp_cypher_trail *t = &trails[cell]; t->length; t = &trails[t->parent])
					GEMP_TRY(gemp_cypher_store_add_edge(s, t->edge));
		}
	}
	return GEMP_OK;
}

static gemp_code keep_rows(gemp_cypher_answer *a, size_t steps, gemp_cypher_environment *environment)
{
	size_t kept = 0;
	for (size_t row = 0; row < a->frame.rows; row++) {
		const uint64_t *cells = gemp_cypher_frame_row(&a->frame, row);
		bool passes = true;
		gemp_arena_reset(environment->arena);
		GEMP_TRY(set_values(a, environment, cells));
		GEMP_TRY(test_row(a, steps, environment, cells, &passes));
		if (passes && kept < row)
			memcpy(gemp_cypher_frame_row(&a->frame, kept), cells, a->frame.width * sizeof *cells);
		kept += passes;
	}
	a->frame.rows = kept;
	return GEMP_OK;
}

static bool has_residuals(const gemp_cypher_match_plan *plan, size_t steps)
{
	for (size_t i = 0; i < plan->residual_count; i++)
		if (plan->residuals[i].steps == steps)
			return true;
	return false;
}

gemp_code gemp_cypher_test_rows(gemp_cypher_answer *answer, size_t steps, const gemp_cypher_environment *environment)
{
	GEMP_OWNED gemp_datum *values = NULL;
	GEMP_OWNED_BY(gemp_arena_free) gemp_arena arena = { 0 };
	gemp_cypher_environment own = *environment;
	const gemp_cypher_pattern *pattern = answer->plan->pattern;
	if (!answer->frame.rows || !has_residuals(answer->plan, steps))
		return GEMP_OK;
	answer->complete = steps == answer->plan->step_count;
	own.slots = gemp_max(environment->slots, (size_t)(pattern->width_out + pattern->scratch));
	own.slots = gemp_max(own.slots, answer->in->width);
	GEMP_TRY(GEMP_NEW(values, own.slots));
	own.row = values;
	own.arena = &arena;
	GEMP_TRY(meet_elements(answer));
	return keep_rows(answer, steps, &own);
}

/* ROWS */

/* frame_row: NULL for an optional row without a match. */
static gemp_code emit_row(const gemp_cypher_answer *a, const uint64_t *frame_row, size_t origin, gemp_cypher_table *out)
{
	const size_t given = gemp_min(a->in->width, out->width);
	gemp_datum *row;
	GEMP_TRY(gemp_cypher_table_add(out, &row));
	if (out->with_origin)
		out->origin[out->rows - 1] = origin;
	if (given)
		memcpy(row, gemp_cypher_table_row(a->in, origin), given * sizeof *row);
	return frame_row ? write_row(a, frame_row, &out->arena, row) : GEMP_OK;
}

/* Rows without values and origins have no order. */
static gemp_code count_rows(const gemp_cypher_answer *a, bool optional, gemp_cypher_table *out)
{
	GEMP_OWNED bool *extended = NULL;
	out->rows += a->frame.rows;
	if (!optional)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(extended, a->in->rows));
	for (size_t row = 0; row < a->frame.rows; row++)
		extended[gemp_cypher_frame_row(&a->frame, row)[0]] = true;
	for (size_t origin = 0; origin < a->in->rows; origin++)
		out->rows += !extended[origin];
	return GEMP_OK;
}

gemp_code gemp_cypher_emit_rows(gemp_cypher_answer *a, bool optional, gemp_cypher_table *out)
{
	GEMP_OWNED size_t *order = NULL;
	if (out->width == 0 && !out->with_origin)
		return count_rows(a, optional, out);
	a->complete = true;
	GEMP_TRY(gemp_cypher_order_rows(a, &order));
	GEMP_TRY(gemp_cypher_table_reserve(out, out->rows + a->frame.rows));
	for (size_t origin = 0, i = 0; origin < a->in->rows; origin++) {
		const size_t begin = i;
		while (i < a->frame.rows && gemp_cypher_frame_row(&a->frame, order[i])[0] == origin)
			i++;
		for (size_t j = begin; j < i; j++)
			GEMP_TRY(emit_row(a, gemp_cypher_frame_row(&a->frame, order[j]), origin, out));
		if (i == begin && optional)
			GEMP_TRY(emit_row(a, NULL, origin, out));
	}
	return GEMP_OK;
}
