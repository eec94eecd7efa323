#include "som/features/feature_kinds.h"

#include "analytics/dense/pagerank.h"
#include "analytics/layout/layout_build.h"
#include "core/memory.h"
#include "match/match.h"
#include "match/match_run.h"
#include "partition/views/resident.h"
#include "pattern/bind/bind.h"
#include "pattern/shapes/named_pattern.h"
#include "topology/components.h"

#include <math.h>
#include <string.h>

void gemp_feature_work_free(gemp_feature_work *work)
{
	gemp_vertex_degrees_free(&work->directed);
	gemp_vertex_degrees_free(&work->undirected);
	gemp_free_all(work->neighbours, work->triangles);
}

/* DEGREES */

/* Collective. Of the chosen edges with a direction, or of those without. */
static gemp_code count_some(gemp_vertex_degrees *out, const gemp_feature_work *w, bool directed)
{
	gemp_code code = GEMP_OK;
	gemp_shard *graph = w->graph;
	bool *some = NULL;
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(some, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++) {
		some[r] = w->relations[r] && graph->relations[r].directed == directed;
		if (some[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
	}
	code = gemp_vertex_degrees_of_graph(out, w->context->comm, graph, some);
done:
	gemp_free(some);
	return code;
}

/* Collective. */
static gemp_code count_degrees(gemp_feature_work *w)
{
	if (w->have_degrees)
		return GEMP_OK;
	GEMP_PROPAGATE(count_some(&w->directed, w, true));
	GEMP_PROPAGATE(count_some(&w->undirected, w, false));
	w->have_degrees = true;
	return GEMP_OK;
}

/* Collective. Edges without a direction count both as those that leave and as those that reach a vertex. */
static gemp_code add_degrees(gemp_feature_work *w, double *values, bool out, bool in)
{
	GEMP_PROPAGATE(count_degrees(w));
	for (size_t row = 0; row < w->graph->rows; row++)
		values[row] = (double)((out ? w->directed.out[row] : 0) + (in ? w->directed.in[row] : 0) +
		                       w->undirected.out[row] + w->undirected.in[row]);
	return GEMP_OK;
}

static gemp_code find_degree(gemp_feature_work *w, double *values)
{
	return add_degrees(w, values, true, true);
}

static gemp_code find_in_degree(gemp_feature_work *w, double *values)
{
	return add_degrees(w, values, false, true);
}

static gemp_code find_out_degree(gemp_feature_work *w, double *values)
{
	return add_degrees(w, values, true, false);
}

/* NEIGHBOURS AND TRIANGLES */

/* A pattern of the simple undirected graph, bound; its edges are of the chosen types. */
static gemp_code make_shape(gemp_pattern **out, const gemp_feature_work *w, const char *name)
{
	GEMP_PROPAGATE(gemp_pattern_named(out, name));
	GEMP_PROPAGATE(gemp_pattern_bind(*out, w->graph));
	for (size_t e = 0; e < (*out)->edge_count; e++)
		memcpy((*out)->edges[e].relations, w->relations, w->graph->relation_count * sizeof *w->relations);
	return GEMP_OK;
}

/* Collective. (*out)[rows], unless it is there: in how many occurrences of a shape, whose vertices are all alike, a
 * vertex is. */
static gemp_code count_shapes(uint64_t **out, gemp_feature_work *w, const char *name)
{
	gemp_code code = GEMP_OK;
	const gemp_match_options how = { .semantics = GEMP_ISO,
		                             .distinct = GEMP_BY_ORBIT,
		                             .replicate = GEMP_REPLICATE_AUTO,
		                             .limit = UINT64_MAX,
		                             .count_per = 1 };
	gemp_pattern *shape = NULL;
	gemp_match *match = NULL;
	gemp_match_result result = { 0 };
	int members = 1;
	if (*out)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(*out, w->graph->rows)));
	if (gemp_shard_edges(w->graph) == 0)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(w->context->comm, make_shape(&shape, w, name)));
	GEMP_TRY(gemp_match_prepare(&match, w->context, w->graph, shape, &how));
	GEMP_TRY(gemp_match_run(match, NULL, &result));
	code = gemp_match_vertex_counts(match, *out, &members);
done:
	gemp_match_free(match);
	gemp_pattern_free(shape);
	return code;
}

static gemp_code find_neighbours(gemp_feature_work *w, double *values)
{
	gemp_code code = count_shapes(&w->neighbours, w, "clique:2");
	for (size_t row = 0; row < w->graph->rows && code == GEMP_OK; row++)
		values[row] = (double)w->neighbours[row];
	return code;
}

static gemp_code find_triangles(gemp_feature_work *w, double *values)
{
	gemp_code code = count_shapes(&w->triangles, w, "triangle");
	for (size_t row = 0; row < w->graph->rows && code == GEMP_OK; row++)
		values[row] = (double)w->triangles[row];
	return code;
}

/* Which share of the pairs of its neighbours is joined, too; of less than two neighbours there is none. */
static gemp_code find_clustering(gemp_feature_work *w, double *values)
{
	GEMP_PROPAGATE(count_shapes(&w->neighbours, w, "clique:2"));
	GEMP_PROPAGATE(count_shapes(&w->triangles, w, "triangle"));
	for (size_t row = 0; row < w->graph->rows; row++) {
		const double near = (double)w->neighbours[row];
		values[row] = near < 2 ? (double)NAN : 2 * (double)w->triangles[row] / (near * (near - 1));
	}
	return GEMP_OK;
}

/* PAGERANK */

/* Collective. Times the number of vertices, so that its mean is 1 in graphs of all sizes. */
static gemp_code find_pagerank(gemp_feature_work *w, double *values)
{
	gemp_code code = GEMP_OK;
	const gemp_layout_options edges = { .relations = w->relations,
		                                .direction = GEMP_LAYOUT_FORWARD,
		                                .parts = GEMP_LAYOUT_IN };
	const gemp_dense_options shape = { .fp64 = true };
	const gemp_pagerank_params ask = { .damping = 0.85, .tolerance = 1e-9, .rounds = 200 };
	gemp_layout layout = { 0 };
	gemp_pagerank *engine = NULL;
	gemp_pagerank_result found = { 0 };
	GEMP_TRY(gemp_layout_new(&layout, w->context->comm, w->graph, &edges));
	GEMP_TRY(gemp_pagerank_new(&engine, &layout, w->context->device, &shape));
	GEMP_TRY(gemp_pagerank_run(engine, &ask, &found));
	for (size_t row = 0; row < w->graph->rows; row++)
		values[row] = (double)w->graph->vertex_count * found.rank[layout.local[row]];
done:
	gemp_pagerank_result_free(&found);
	gemp_pagerank_free(engine);
	gemp_layout_free(&layout);
	return code;
}

/* COMPONENTS */

/* Collective. */
static gemp_code find_components(gemp_components *out, const gemp_feature_work *w)
{
	static const gemp_components_options how = { 0 };
	gemp_code code = GEMP_OK;
	gemp_shard *graph = w->graph;
	gemp_csr *csr = NULL;
	size_t count = 0;
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(csr, graph->relation_count)));
	for (size_t r = 0; r < graph->relation_count; r++)
		if (w->relations[r]) {
			GEMP_TRY(gemp_shard_load_relation(graph, r, GEMP_LOAD_OUT));
			csr[count++] = gemp_csr_out(graph, r);
		}
	code = gemp_components_find(out, w->context->comm, w->context->device, graph->bounds, csr, count, &how);
done:
	gemp_free(csr);
	return code;
}

static gemp_code find_component_size(gemp_feature_work *w, double *values)
{
	gemp_code code = GEMP_OK;
	const gemp_shard *graph = w->graph;
	gemp_components found = { 0 };
	uint64_t *size = NULL;
	GEMP_TRY(find_components(&found, w));
	GEMP_TRY(gemp_comm_agree(w->context->comm, GEMP_NEW(size, graph->rows)));
	GEMP_TRY(gemp_component_sizes_by_vertex(size, &found, w->context->comm, graph->bounds));
	for (size_t row = 0; row < graph->rows; row++)
		values[row] = (double)size[row];
done:
	gemp_free(size);
	gemp_components_free(&found);
	return code;
}

const gemp_feature_kind gemp_feature_kinds[] = {
	{ "degree", find_degree },         { "in-degree", find_in_degree },           { "out-degree", find_out_degree },
	{ "neighbours", find_neighbours }, { "triangles", find_triangles },           { "clustering", find_clustering },
	{ "pagerank", find_pagerank },     { "component-size", find_component_size },
};
const size_t gemp_feature_kind_count = sizeof gemp_feature_kinds / sizeof *gemp_feature_kinds;
