#include "gemp/analytics.h"

#include "analytics/dense/pagerank.h"
#include "analytics/dense/spmv.h"
#include "analytics/layout/layout_build.h"
#include "analytics/traversal/bfs.h"
#include "analytics/traversal/sssp.h"
#include "analytics/vertex_columns.h"
#include "api/graph_state.h"
#include "comm/exchange.h"
#include "core/memory.h"
#include "core/search.h"
#include "io/rows/vertex_keys.h"
#include "primitive/distinct.h"
#include "topology/components.h"
#include "topology/vertex_degrees.h"

#include <string.h>

void gemp_edge_selection_init(gemp_edge_selection *selection)
{
	*selection = (gemp_edge_selection){ .size = sizeof *selection };
}

/* A graph laid out for values to travel along its edges, and the device where they do. */
typedef struct travel {
	gemp_graph *graph;
	gemp_edge_selection selection;
	gemp_runtime *runtime;
	gemp_layout layout;
	gemp_columns *columns; /* the result */
	bool *relations;
} travel;

static gemp_edge_selection selection_of(const gemp_edge_selection *given)
{
	gemp_edge_selection chosen;
	gemp_edge_selection_init(&chosen);
	if (given)
		gemp_options_copy(&chosen, sizeof chosen, given);
	return chosen;
}

/* Collective. how: what the engine needs of the layout. After a failure the travel is to be ended all the same. */
static gemp_code travel_begin(travel *t, gemp_graph *graph, const gemp_edge_selection *edges, gemp_layout_options how)
{
	static const gemp_layout_direction directions[] = { GEMP_LAYOUT_FORWARD, GEMP_LAYOUT_REVERSE, GEMP_LAYOUT_BOTH };
	gemp_code code = GEMP_OK;
	*t = (travel){ .graph = graph, .selection = selection_of(edges) };
	if ((unsigned)t->selection.direction > GEMP_EITHER_WAY)
		return gemp_fail(GEMP_EUSAGE, "direction %d is none of gemp_edge_direction", (int)t->selection.direction);
	GEMP_TRY(gemp_graph_select(&t->relations, graph, &t->selection));
	how.relations = t->relations;
	how.direction = directions[t->selection.direction];
	how.weight = t->selection.weight;
	GEMP_TRY(gemp_context_runtime(&t->runtime, graph->context, false, NULL));
	GEMP_TRY(gemp_layout_new(&t->layout, &graph->context->comm, graph->shard, &how));
	code = gemp_columns_new(&t->columns, graph->context);
done:
	return code;
}

/* Hands out the columns if all went well. */
static gemp_code travel_end(travel *t, gemp_code code, gemp_columns **out)
{
	gemp_layout_free(&t->layout);
	gemp_free(t->relations);
	*out = code == GEMP_OK ? t->columns : NULL;
	if (code == GEMP_OK)
		t->columns->table.rows = t->graph->shard->rows;
	else
		gemp_columns_close(t->columns);
	return code;
}

static gemp_code find_source(gemp_vertex *out, gemp_graph *graph, const char *source)
{
	return gemp_vertex_keys_sources(out, &graph->context->comm, graph->shard, graph->name, &source, 1);
}

gemp_code gemp_graph_bfs(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges, const char *source)
{
	gemp_code code = GEMP_OK;
	gemp_bfs *engine = NULL;
	gemp_bfs_result found;
	gemp_vertex start;
	travel t;
	GEMP_TRY(travel_begin(&t, graph, edges, (gemp_layout_options){ .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT }));
	GEMP_TRY(find_source(&start, graph, source));
	GEMP_TRY(gemp_bfs_new(&engine, &t.layout, t.runtime->device, NULL));
	GEMP_TRY(gemp_bfs_run(engine, start, &found));
	code = gemp_vertex_columns_u32(&t.columns->table, "level", &t.layout, found.level, GEMP_NO_LEVEL);
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, code));
	code = gemp_vertex_columns_keys(&t.columns->table, "parent", &t.layout, graph->shard, found.parent);
done:
	gemp_bfs_free(engine);
	return travel_end(&t, code, out);
}

gemp_code gemp_graph_sssp(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges, const char *source)
{
	gemp_code code = GEMP_OK;
	gemp_sssp *engine = NULL;
	gemp_sssp_result found;
	gemp_vertex start;
	travel t;
	const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
		                              .wanted = GEMP_LAYOUT_LENGTHS,
		                              .not_negative = true };
	GEMP_TRY(travel_begin(&t, graph, edges, how));
	GEMP_TRY(find_source(&start, graph, source));
	GEMP_TRY(gemp_sssp_new(&engine, &t.layout, t.runtime->device, NULL));
	GEMP_TRY(gemp_sssp_run(engine, start, &found));
	code = found.distance
	           ? gemp_vertex_columns_u64(&t.columns->table, "distance", &t.layout, found.distance, GEMP_NO_DISTANCE)
	           : gemp_vertex_columns_double(&t.columns->table, "distance", &t.layout, found.real);
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, code));
	code = gemp_vertex_columns_keys(&t.columns->table, "parent", &t.layout, graph->shard, found.predecessor);
done:
	gemp_sssp_free(engine);
	return travel_end(&t, code, out);
}

gemp_code gemp_graph_pagerank(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges, double damping,
                              double tolerance, uint32_t max_iterations, uint32_t *iterations)
{
	gemp_code code = GEMP_OK;
	gemp_pagerank *engine = NULL;
	gemp_pagerank_result found = { 0 };
	travel t;
	const bool weighted = selection_of(edges).weight != NULL;
	const gemp_layout_options how = { .parts = weighted ? GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT_WEIGHT : GEMP_LAYOUT_IN,
		                              .wanted = GEMP_LAYOUT_DOUBLE,
		                              .not_negative = true };
	const gemp_pagerank_params params = { .damping = damping, .tolerance = tolerance, .rounds = max_iterations };
	GEMP_TRY(travel_begin(&t, graph, edges, how));
	if (!(damping >= 0 && damping < 1))
		GEMP_TRY(gemp_fail(GEMP_EUSAGE, "damping must be in [0, 1); got %g", damping));
	if (!(tolerance >= 0))
		GEMP_TRY(gemp_fail(GEMP_EUSAGE, "tolerance must be 0 or more; got %g", tolerance));
	GEMP_TRY(gemp_pagerank_new(&engine, &t.layout, t.runtime->device, &(gemp_dense_options){ .fp64 = true }));
	GEMP_TRY(gemp_pagerank_run(engine, &params, &found));
	if (iterations)
		*iterations = found.report.rounds;
	code = gemp_comm_agree(&graph->context->comm,
	                       gemp_vertex_columns_double(&t.columns->table, "pagerank", &t.layout, found.rank));
done:
	gemp_pagerank_result_free(&found);
	gemp_pagerank_free(engine);
	return travel_end(&t, code, out);
}

gemp_code gemp_graph_spmv(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges, const double *x)
{
	gemp_code code = GEMP_OK;
	gemp_spmv *engine = NULL;
	gemp_spmv_result found = { 0 };
	double *local = NULL;
	travel t;
	const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN, .wanted = GEMP_LAYOUT_DOUBLE };
	GEMP_TRY(travel_begin(&t, graph, edges, how));
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, GEMP_NEW(local, t.layout.own)));
	for (size_t row = 0; row < graph->shard->rows; row++)
		local[t.layout.local[row]] = x[row];
	GEMP_TRY(gemp_spmv_new(&engine, &t.layout, t.runtime->device, &(gemp_dense_options){ .fp64 = true }));
	GEMP_TRY(gemp_spmv_run(engine, &(gemp_spmv_params){ .x = local, .rounds = 1 }, &found));
	code = gemp_comm_agree(&graph->context->comm,
	                       gemp_vertex_columns_double(&t.columns->table, "y", &t.layout, found.y));
done:
	gemp_spmv_result_free(&found);
	gemp_spmv_free(engine);
	gemp_free(local);
	return travel_end(&t, code, out);
}

/* Collective. Rows by source of the relations that are selected; the caller frees both. */
static gemp_code select_rows(gemp_csr **out, size_t *count, bool **relations, gemp_graph *graph,
                             const gemp_edge_selection *edges)
{
	gemp_code code = GEMP_OK;
	gemp_shard *shard = graph->shard;
	const gemp_edge_selection chosen = selection_of(edges);
	*count = 0;
	GEMP_TRY(gemp_graph_select(relations, graph, &chosen));
	GEMP_TRY(gemp_comm_agree(&graph->context->comm, GEMP_NEW(*out, shard->relation_count)));
	for (size_t r = 0; r < shard->relation_count; r++) {
		if (!(*relations)[r])
			continue;
		GEMP_TRY(gemp_shard_load_relation(shard, r, GEMP_LOAD_OUT));
		(*out)[(*count)++] = gemp_csr_out(shard, r);
	}
done:
	return code;
}

/* Local. A column of unsigned numbers with a row for each vertex. */
static gemp_code add_counts(gemp_table *table, const char *name, const uint64_t *values, size_t rows)
{
	gemp_column *column;
	gemp_code code = gemp_table_add(table, name, GEMP_INTEGER, &column);
	GEMP_THEN(gemp_column_reserve(column, rows, 0));
	for (size_t row = 0; row < rows && code == GEMP_OK; row++) {
		const gemp_value value = { .type = GEMP_INTEGER, .integer = (int64_t)values[row] };
		code = gemp_column_add(column, &value);
	}
	table->rows = rows;
	return code;
}

/* The vertex with the smallest key of those in a component that a rank knows of. */
typedef struct component_least {
	gemp_vertex component, vertex;
	uint32_t key_rank;
} component_least;

/* Key ranks are above the vertex, so that the least number has the smallest key. */
static void take_least(uint64_t *least, const component_least *one)
{
	const uint64_t number = (uint64_t)one->key_rank << 32 | one->vertex;
	if (number < *least)
		*least = number;
}

typedef struct least_context {
	gemp_vertex first;
	uint64_t *least; /* [rows] of the components that this rank names, as take_least writes them */
} least_context;

static gemp_code answer_least(void *self, const void *records, size_t count, uint64_t *answers)
{
	const least_context *context = self;
	const component_least *asked = records;
	for (size_t i = 0; i < count; i++)
		take_least(&context->least[asked[i].component - context->first], &asked[i]);
	for (size_t i = 0; i < count; i++)
		answers[i] = context->least[asked[i].component - context->first];
	return GEMP_OK;
}

/* Collective. Names components by the vertices with the smallest keys in them, which the caller knows, instead of by the least
 * ids, which the random partition made. The owner of a component's first name reduces what all ranks know of it. */
static gemp_code name_by_keys(gemp_components *found, const gemp_comm *comm, const gemp_shard *shard)
{
	gemp_code code = GEMP_OK;
	least_context context = { .first = (gemp_vertex)shard->first_vertex };
	component_least *asked = NULL;
	uint64_t *own = NULL, *answers = NULL;
	int *owner = NULL;
	void *distinct = NULL;
	size_t count = 0;
	code = gemp_distinct_host(GEMP_KEY_U32, found->component, found->rows, &distinct, &count);
	GEMP_THEN(GEMP_NEW(context.least, found->rows));
	GEMP_THEN(GEMP_NEW(own, count));
	GEMP_THEN(GEMP_NEW(answers, count));
	GEMP_THEN(GEMP_NEW(asked, count));
	GEMP_THEN(GEMP_NEW(owner, count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	const gemp_vertex *names = distinct;
	for (size_t row = 0; row < found->rows; row++)
		context.least[row] = UINT64_MAX;
	for (size_t i = 0; i < count; i++)
		own[i] = UINT64_MAX;
	for (size_t row = 0; row < found->rows; row++) {
		const component_least one = { .vertex = (gemp_vertex)(shard->first_vertex + row),
			                          .key_rank = shard->key_ranks[row] };
		take_least(&own[gemp_range_find_u32(names, count, found->component[row])], &one);
	}
	for (size_t i = 0; i < count; i++) {
		asked[i] = (component_least){ names[i], (gemp_vertex)own[i], (uint32_t)(own[i] >> 32) };
		owner[i] = gemp_shard_owner(shard, names[i]);
	}
	const gemp_request request = { .records = asked,
		                           .count = count,
		                           .size = sizeof *asked,
		                           .owner = owner,
		                           .handler = answer_least,
		                           .self = &context };
	GEMP_TRY(gemp_request_run(comm, GEMP_OK, &request, answers));
	for (size_t row = 0; row < found->rows; row++)
		found->component[row] = (gemp_vertex)answers[gemp_range_find_u32(names, count, found->component[row])];
done:
	gemp_free_all(distinct, context.least, own, answers, asked, owner);
	return code;
}

gemp_code gemp_graph_components(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges,
                                uint64_t *component_count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &graph->context->comm;
	gemp_components found = { 0 };
	gemp_columns *columns = NULL;
	gemp_column key = { 0 };
	gemp_csr *csr = NULL;
	bool *relations = NULL;
	size_t count;
	*out = NULL;
	GEMP_TRY(select_rows(&csr, &count, &relations, graph, edges));
	GEMP_TRY(gemp_components_find(&found, comm, NULL, graph->shard->bounds, csr, count,
	                              &(gemp_components_options){ .place = GEMP_PLACE_HOST }));
	GEMP_TRY(gemp_shard_load_keys(graph->shard));
	GEMP_TRY(name_by_keys(&found, comm, graph->shard));
	GEMP_TRY(gemp_columns_new(&columns, graph->context));
	GEMP_TRY(gemp_vertex_keys_fetch(&key, comm, graph->shard, found.component, found.rows));
	code = gemp_table_add_column(&columns->table, "component", &key);
	columns->table.rows = found.rows;
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (component_count)
		*component_count = found.count;
	*out = columns;
	columns = NULL;
done:
	gemp_column_free(&key);
	gemp_columns_close(columns);
	gemp_components_free(&found);
	gemp_free(csr);
	gemp_free(relations);
	return code;
}

/* Collective. Edges without direction count at both ends in both columns, a loop of them once. csr[count]: rows of the relations
 * that are selected, in their order, which this function reorders. */
static gemp_code count_both_ways(gemp_vertex_degrees *found, gemp_csr *csr, const bool *relations,
                                 const gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *shard = graph->shard;
	gemp_vertex_degrees both = { 0 };
	size_t undirected = 0;
	for (size_t r = 0, selected = 0; r < shard->relation_count; r++) {
		if (!relations[r])
			continue;
		if (!shard->relations[r].directed)
			csr[undirected++] = csr[selected];
		selected++;
	}
	if (!undirected)
		return GEMP_OK;
	GEMP_TRY(
		gemp_vertex_degrees_new(&both, &graph->context->comm, NULL, GEMP_PLACE_HOST, shard->bounds, csr, undirected));
	for (size_t row = 0; row < found->rows; row++) {
		uint64_t loops = 0;
		for (size_t k = 0; k < undirected; k++)
			for (uint64_t e = csr[k].begin[row]; e < csr[k].begin[row + 1]; e++)
				loops += csr[k].target[e] == csr[k].first + row;
		found->out[row] += both.in[row] - loops;
		found->in[row] += both.out[row] - loops;
	}
done:
	gemp_vertex_degrees_free(&both);
	return code;
}

gemp_code gemp_graph_degrees(gemp_columns **out, gemp_graph *graph, const gemp_edge_selection *edges)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &graph->context->comm;
	gemp_vertex_degrees found = { 0 };
	gemp_columns *columns = NULL;
	gemp_csr *csr = NULL;
	bool *relations = NULL;
	size_t count;
	*out = NULL;
	GEMP_TRY(select_rows(&csr, &count, &relations, graph, edges));
	GEMP_TRY(gemp_vertex_degrees_new(&found, comm, NULL, GEMP_PLACE_HOST, graph->shard->bounds, csr, count));
	GEMP_TRY(count_both_ways(&found, csr, relations, graph));
	GEMP_TRY(gemp_columns_new(&columns, graph->context));
	code = add_counts(&columns->table, "out", found.out, found.rows);
	GEMP_THEN(add_counts(&columns->table, "in", found.in, found.rows));
	GEMP_TRY(gemp_comm_agree(comm, code));
	*out = columns;
	columns = NULL;
done:
	gemp_columns_close(columns);
	gemp_vertex_degrees_free(&found);
	gemp_free(csr);
	gemp_free(relations);
	return code;
}
