#include "cypher/search/emit.h"

#include "core/memory.h"
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

gemp_code gemp_cypher_hop_value(const gemp_cypher_answer *a, const uint64_t *row, size_t h, gemp_arena *arena,
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

gemp_code gemp_cypher_row_values(const gemp_cypher_answer *a, const uint64_t *row, gemp_arena *arena, gemp_datum *to)
{
	const gemp_cypher_match_plan *plan = a->plan;
	for (size_t v = 0; v < plan->vertex_count; v++)
		if (plan->vertices[v].slot >= 0 && !plan->vertices[v].given &&
		    gemp_cypher_is_known(row, gemp_cypher_vertex_cell(v)))
			to[plan->vertices[v].slot] = node_of(row[gemp_cypher_vertex_cell(v)]);
	for (size_t h = 0; h < plan->hop_count; h++)
		if (plan->hops[h].slot >= 0 && !plan->hops[h].given && gemp_cypher_is_known(row, gemp_cypher_hop_cell(plan, h)))
			GEMP_TRY(gemp_cypher_hop_value(a, row, h, arena, &to[plan->hops[h].slot]));
	for (size_t p = 0; p < plan->route_count && a->complete; p++)
		GEMP_TRY(path_value(a, row, &plan->routes[p], arena, &to[plan->routes[p].slot]));
	return GEMP_OK;
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
	return frame_row ? gemp_cypher_row_values(a, frame_row, &out->arena, row) : GEMP_OK;
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
