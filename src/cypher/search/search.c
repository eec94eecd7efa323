/* Patterns are numbered by a walk over the tree, which visits its clauses and expressions in the same order on all
 * ranks. */

#include "cypher/search/search.h"

#include "core/memory.h"
#include "cypher/search/adjacency.h"
#include "cypher/search/elements.h"
#include "cypher/search/emit.h"
#include "cypher/search/residual.h"
#include "cypher/search/state.h"
#include "cypher/syntax/tree_walk.h"

/* PLANS */

/* CREATE searches for nothing. */
static bool is_searched(const gemp_cypher_pattern *pattern)
{
	return !pattern->creates || pattern->merges;
}

static gemp_code add_plan(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	gemp_cypher_search *s = self;
	if (!is_searched(pattern))
		return GEMP_OK;
	const gemp_cypher_plan_input input = { .graph = s->session.graph,
		                                   .tree = s->session.tree,
		                                   .parameters = s->session.parameters,
		                                   .pattern = pattern,
		                                   .where = where };
	gemp_cypher_match_plan *plan = &s->session.plans[s->session.plan_count++];
	return gemp_cypher_match_plan_new(plan, &input);
}

static gemp_code count_plan(void *self, const gemp_cypher_pattern *pattern, const gemp_cypher_expr *where)
{
	size_t *count = self;
	(void)where;
	*count += is_searched(pattern);
	return GEMP_OK;
}

static gemp_code make_plans(gemp_cypher_search *s)
{
	size_t count = 0;
	GEMP_TRY(gemp_cypher_tree_patterns(s->session.tree, count_plan, &count));
	GEMP_TRY(GEMP_NEW(s->session.plans, count));
	return gemp_cypher_tree_patterns(s->session.tree, add_plan, s);
}

static size_t find_plan(const gemp_cypher_search *s, const gemp_cypher_pattern *pattern)
{
	size_t plan = 0;
	while (plan < s->session.plan_count && s->session.plans[plan].pattern != pattern)
		plan++;
	GEMP_CHECK(plan < s->session.plan_count);
	return plan;
}

/* THE SEARCH */

/* Relationships are distinct within a MATCH, and each match is a row. */
static gemp_finder_options search_options(const gemp_prepared_options *options)
{
	gemp_finder_options own = { .match = options->match, .edges = true, .combinations = options->combinations };
	own.match.semantics = GEMP_EDGE_ISO;
	own.match.distinct = GEMP_BY_NOTHING;
	own.match.listed = own.match.edges = true;
	own.match.limit = UINT64_MAX;
	own.match.order_count = 0;
	own.match.count_by_formula = own.match.count_parts = own.match.explained = own.match.sampled = false;
	own.match.in_parts = own.match.first_only = own.match.profile = false;
	own.match.count_per = 0;
	own.match.symmetry = NULL;
	own.match.among_count = 0;
	return own;
}

gemp_code gemp_cypher_search_new(gemp_cypher_search **out, gemp_runtime *context, gemp_shard *graph,
                                 gemp_cypher_tree *tree, const gemp_datum *parameters,
                                 const gemp_prepared_options *options, const gemp_cypher_analyses *analyses)
{
	GEMP_OWNED_BY(gemp_cypher_search_free_at) gemp_cypher_search *s = NULL;
	gemp_code code = GEMP_NEW(s, 1);
	if (code == GEMP_OK) {
		s->session = (gemp_cypher_session){ .context = context,
			                                .graph = graph,
			                                .tree = tree,
			                                .parameters = parameters,
			                                .options = search_options(options),
			                                .analyses = analyses };
		gemp_cypher_elements_init(s);
		code = gemp_cypher_store_init(&s->store, &s->session);
	}
	GEMP_THEN(make_plans(s));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = s;
	s = NULL;
	return GEMP_OK;
}

static void free_plan(gemp_cypher_match_plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		gemp_finder_free(plan->steps[i].finder);
		if (plan->steps[i].adjacency)
			gemp_cypher_adjacency_free(plan->steps[i].adjacency);
		gemp_free(plan->steps[i].adjacency);
	}
	gemp_cypher_match_plan_free(plan);
}

void gemp_cypher_search_free(gemp_cypher_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->session.plan_count; i++)
		free_plan(&s->session.plans[i]);
	gemp_cypher_store_free(&s->store);
	gemp_free_all(s->session.plans, s);
}

gemp_code gemp_cypher_search_serve(gemp_cypher_search *search)
{
	return gemp_cypher_session_serve(&search->session);
}

void gemp_cypher_search_end(gemp_cypher_search *search, gemp_code code)
{
	gemp_cypher_session_end(&search->session, code);
}

/* ANALYSES */

gemp_code gemp_cypher_search_begin_analysis(gemp_cypher_search *search, const gemp_cypher_analysis *what)
{
	return gemp_cypher_command_begin(&search->session, what);
}

gemp_code gemp_cypher_search_run_analysis(gemp_cypher_search *search, gemp_vertex source,
                                          gemp_cypher_analysis_rows *out)
{
	return gemp_cypher_command_run(&search->session, source, out);
}

void gemp_cypher_search_end_analysis(gemp_cypher_search *search)
{
	gemp_cypher_command_end(&search->session);
}

/* MATCHING */

static gemp_code find_missing(void *self, const gemp_datum *element)
{
	gemp_cypher_answer *a = self;
	a->missing |= !gemp_cypher_store_has(&a->search->store, element);
	return GEMP_OK;
}

/* Nothing matches an element that the query has deleted. */
static gemp_code lacks_hops(gemp_cypher_answer *a, const gemp_datum *row, bool *lacks)
{
	a->missing = false;
	for (size_t h = 0; h < a->plan->hop_count; h++)
		if (a->plan->hops[h].given)
			GEMP_TRY(gemp_datum_visit_elements(&row[a->plan->hops[h].slot], find_missing, a));
	*lacks = a->missing;
	return GEMP_OK;
}

/* The nodes that the row before the pattern has. A row in which one is NULL has no match. */
static gemp_code begin_row(gemp_cypher_answer *a, size_t origin, uint64_t *cells)
{
	const gemp_datum *row = gemp_cypher_table_row(a->in, origin);
	uint64_t *added;
	bool lacks;
	GEMP_TRY(lacks_hops(a, row, &lacks));
	if (lacks)
		return GEMP_OK;
	for (size_t cell = 0; cell < a->frame.width; cell++)
		cells[cell] = GEMP_CY_UNKNOWN;
	cells[0] = origin;
	for (size_t v = 0; v < a->plan->vertex_count; v++) {
		const gemp_cypher_vertex *vertex = &a->plan->vertices[v];
		if (!vertex->given)
			continue;
		if (gemp_datum_is_null(row[vertex->slot]))
			return GEMP_OK;
		if (row[vertex->slot].kind != GEMP_DATUM_NODE)
			return gemp_source_fail(&a->search->session.tree->source, a->plan->pattern->place.begin,
			                        "%s is a value of type %s, not a node", vertex->name ? vertex->name : "()",
			                        gemp_datum_kind_name[row[vertex->slot].kind]);
		if (!gemp_cypher_store_has(&a->search->store, &row[vertex->slot]))
			return GEMP_OK;
		cells[gemp_cypher_vertex_cell(v)] = row[vertex->slot].id;
	}
	return gemp_cypher_frame_add(&a->frame, cells, &added);
}

static gemp_code begin_rows(gemp_cypher_answer *a)
{
	GEMP_OWNED uint64_t *cells = NULL;
	a->frame.width = 1 + a->plan->vertex_count + a->plan->hop_count;
	GEMP_TRY(GEMP_NEW(cells, a->frame.width));
	GEMP_TRY(GEMP_NEW(a->bound_hops, a->plan->hop_count));
	for (size_t origin = 0; origin < a->in->rows; origin++)
		GEMP_TRY(begin_row(a, origin, cells));
	return GEMP_OK;
}

static gemp_code run_steps(gemp_cypher_answer *a, const gemp_cypher_environment *environment)
{
	GEMP_TRY(gemp_cypher_test_rows(a, 0, environment));
	for (size_t i = 0; i < a->plan->step_count && a->frame.rows; i++) {
		const gemp_cypher_step *step = &a->plan->steps[i];
		if (step->kind == GEMP_CY_STEP_GIVEN)
			GEMP_TRY(gemp_cypher_step_given(a, step));
		else if (step->kind == GEMP_CY_STEP_SEARCH)
			GEMP_TRY(gemp_cypher_step_search(a, i));
		else
			GEMP_TRY(gemp_cypher_step_expand(a, i, environment));
		GEMP_TRY(gemp_cypher_test_rows(a, i + 1, environment));
	}
	return GEMP_OK;
}

static void answer_free(gemp_cypher_answer *a)
{
	gemp_cypher_frame_free(&a->frame);
	gemp_free_all(a->trails.trails, a->bound_hops);
}

gemp_code gemp_cypher_search_match(gemp_cypher_search *search, const gemp_cypher_pattern *pattern,
                                   const gemp_cypher_expr *where, bool optional, gemp_cypher_environment *environment,
                                   const gemp_cypher_table *in, gemp_cypher_table *out)
{
	const size_t number = find_plan(search, pattern);
	GEMP_OWNED_BY(answer_free)
	gemp_cypher_answer answer = {
		.search = search, .plan = &search->session.plans[number], .plan_number = number, .in = in
	};
	GEMP_CHECK(answer.plan->where == where);
	GEMP_TRY(begin_rows(&answer));
	GEMP_TRY(run_steps(&answer, environment));
	return gemp_cypher_emit_rows(&answer, optional, out);
}

/* ELEMENTS */

const gemp_cypher_graph *gemp_cypher_search_graph(gemp_cypher_search *search)
{
	return search->graph;
}

void gemp_cypher_search_read_through(gemp_cypher_search *search, const gemp_cypher_graph *graph)
{
	search->graph = graph;
}

const gemp_cypher_graph *gemp_cypher_search_stored(gemp_cypher_search *search)
{
	return &search->elements;
}

void gemp_cypher_search_keep_values(gemp_cypher_search *search, gemp_arena *arena)
{
	gemp_arena_join(arena, &search->store.arena);
}

const gemp_datum_writer *gemp_cypher_search_writer(gemp_cypher_search *search)
{
	return &search->writer;
}

/* Values are fetched when one is read, for all elements that have been met. */
gemp_code gemp_cypher_search_load(gemp_cypher_search *search, const gemp_cypher_table *table)
{
	for (size_t i = 0; i < table->rows * table->width; i++)
		GEMP_TRY(gemp_cypher_store_add(&search->store, &table->cells[i]));
	return GEMP_OK;
}
