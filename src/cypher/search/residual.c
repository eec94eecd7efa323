#include "cypher/search/residual.h"

#include "core/memory.h"
#include "cypher/evaluate/evaluate.h"
#include "cypher/search/emit.h"

#include <string.h>

gemp_code gemp_cypher_test_properties(const gemp_cypher_answer *a, gemp_datum element, gemp_datum map, bool *passes)
{
	*passes = *passes && map.kind == GEMP_DATUM_MAP;
	for (size_t i = 0; i < map.size && *passes; i++) {
		gemp_datum value;
		GEMP_TRY(gemp_cypher_store_property(&a->search->store, element, map.entries[i].key, &value));
		*passes = gemp_datum_equal(value, map.entries[i].value) == GEMP_IS_TRUE;
	}
	return GEMP_OK;
}

static gemp_code evaluate_map(const gemp_cypher_environment *environment, const gemp_cypher_expr *expr, gemp_datum *map)
{
	GEMP_TRY(gemp_cypher_evaluate(environment, expr, map));
	if (map->kind == GEMP_DATUM_MAP || gemp_datum_is_null(*map))
		return GEMP_OK;
	return gemp_cypher_fail(environment, expr, "the properties of a pattern are a map, not a value of type %s",
	                        gemp_datum_kind_name[map->kind]);
}

/* A map of a hop of variable length holds for each of its relationships. */
static gemp_code test_map(const gemp_cypher_answer *a, const gemp_cypher_environment *environment,
                          const gemp_cypher_residual *r, const uint64_t *row, bool *passes)
{
	gemp_datum map, hop;
	GEMP_TRY(evaluate_map(environment, r->map, &map));
	if (!r->of_hop) {
		const gemp_datum node = { .kind = GEMP_DATUM_NODE, .id = row[gemp_cypher_vertex_cell(r->element)] };
		return gemp_cypher_test_properties(a, node, map, passes);
	}
	GEMP_TRY(gemp_cypher_hop_value(a, row, r->element, environment->arena, &hop));
	if (hop.kind == GEMP_DATUM_RELATIONSHIP)
		return gemp_cypher_test_properties(a, hop, map, passes);
	for (size_t i = 0; i < hop.size && *passes; i++)
		GEMP_TRY(gemp_cypher_test_properties(a, hop.items[i], map, passes));
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

/* Meets the elements of all rows before the first condition reads one, so that they are fetched together. */
static gemp_code meet_elements(const gemp_cypher_answer *a)
{
	gemp_cypher_store *s = &a->search->store;
	const gemp_cypher_match_plan *plan = a->plan;
	for (size_t row = 0; row < a->frame.rows; row++) {
		const uint64_t *cells = gemp_cypher_frame_row(&a->frame, row);
		const gemp_cypher_trail *trails = a->trails.trails;
		for (size_t v = 0; v < plan->vertex_count; v++)
			if (gemp_cypher_is_known(cells, gemp_cypher_vertex_cell(v)))
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

/* ROWS. Conditions and maps are evaluated in a row of values, which live until the next row is set. */

typedef struct evaluation {
	const gemp_cypher_answer *answer;
	gemp_cypher_environment environment;
	gemp_arena arena;
} evaluation;

static void evaluation_free(evaluation *e)
{
	gemp_free(e->environment.row);
	gemp_arena_free(&e->arena);
}

/* Call evaluation_free also after a failure. */
static gemp_code evaluation_init(evaluation *e, const gemp_cypher_answer *a, const gemp_cypher_environment *environment)
{
	const gemp_cypher_pattern *pattern = a->plan->pattern;
	*e = (evaluation){ .answer = a, .environment = *environment };
	e->environment.row = NULL;
	e->environment.arena = &e->arena;
	e->environment.slots = gemp_max(environment->slots, (size_t)(pattern->width_out + pattern->scratch));
	e->environment.slots = gemp_max(e->environment.slots, a->in->width);
	GEMP_TRY(GEMP_NEW(e->environment.row, e->environment.slots));
	return meet_elements(a);
}

static gemp_code set_values(evaluation *e, const uint64_t *row)
{
	const gemp_cypher_answer *a = e->answer;
	gemp_cypher_environment *environment = &e->environment;
	const size_t given = gemp_min(a->in->width, environment->slots);
	gemp_arena_reset(&e->arena);
	memset(environment->row, 0, environment->slots * sizeof *environment->row);
	if (given)
		memcpy(environment->row, gemp_cypher_table_row(a->in, row[0]), given * sizeof *environment->row);
	return gemp_cypher_row_values(a, row, &e->arena, environment->row);
}

static gemp_code keep_rows(gemp_cypher_answer *a, size_t steps, evaluation *e)
{
	size_t kept = 0;
	for (size_t row = 0; row < a->frame.rows; row++) {
		const uint64_t *cells = gemp_cypher_frame_row(&a->frame, row);
		bool passes = true;
		GEMP_TRY(set_values(e, cells));
		GEMP_TRY(test_row(a, steps, &e->environment, cells, &passes));
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
	GEMP_OWNED_BY(evaluation_free) evaluation e = { 0 };
	if (!answer->frame.rows || !has_residuals(answer->plan, steps))
		return GEMP_OK;
	answer->complete = steps == answer->plan->step_count;
	GEMP_TRY(evaluation_init(&e, answer, environment));
	return keep_rows(answer, steps, &e);
}

/* MAPS OF HOPS */

gemp_code gemp_cypher_number_maps(gemp_cypher_answer *answer, const gemp_cypher_step *step,
                                  const gemp_cypher_environment *environment, gemp_cypher_row_set *maps)
{
	GEMP_OWNED_BY(evaluation_free) evaluation e = { 0 };
	*maps = (gemp_cypher_row_set){ .rows = { .width = 1 }, .copies = true };
	GEMP_TRY(evaluation_init(&e, answer, environment));
	for (size_t row = 0; row < answer->frame.rows; row++) {
		uint64_t *cells = gemp_cypher_frame_row(&answer->frame, row);
		gemp_datum map;
		size_t number;
		bool added;
		GEMP_TRY(set_values(&e, cells));
		GEMP_TRY(evaluate_map(&e.environment, step->map, &map));
		GEMP_TRY(gemp_cypher_row_set_add(maps, &map, 0, &number, &added));
		cells[gemp_cypher_hop_cell(answer->plan, step->hop)] = number;
	}
	return GEMP_OK;
}
