#include "topology/degree_histogram.h"

#include "core/memory.h"

int gemp_degrees_class(uint64_t degree)
{
	return degree ? 64 - __builtin_clzll(degree) : 0;
}

void gemp_degrees_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_vertex_degrees *degrees)
{
	out->directed = true;
	gemp_degree_summary_count(&out->kinds, comm, degrees);
	for (size_t row = 0; row < degrees->rows; row++) {
		out->out[gemp_degrees_class(degrees->out[row])]++;
		out->in[gemp_degrees_class(degrees->in[row])]++;
	}
	gemp_comm_sum(comm, out->out, GEMP_DEGREE_CLASSES);
	gemp_comm_sum(comm, out->in, GEMP_DEGREE_CLASSES);
}

/* Collective. Rows are loaded. */
static gemp_code count_directed(gemp_degree_histogram *out, const gemp_comm *comm, const gemp_shard *graph)
{
	GEMP_OWNED_BY(gemp_vertex_degrees_free) gemp_vertex_degrees degrees = { 0 };
	GEMP_OWNED bool *directed = NULL;
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(directed, graph->relation_count)));
	bool any = false;
	for (size_t r = 0; r < graph->relation_count; r++)
		any |= directed[r] = graph->relations[r].directed;
	if (!any)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_vertex_degrees_of_graph(&degrees, comm, graph, directed));
	gemp_degrees_directed(out, comm, &degrees);
	return GEMP_OK;
}

gemp_code gemp_degrees_count(gemp_degree_histogram *out, const gemp_comm *comm, gemp_shard *graph)
{
	GEMP_OWNED uint64_t *degree = NULL;
	uint64_t least = UINT64_MAX;
	*out = (gemp_degree_histogram){ 0 };
	GEMP_PROPAGATE(gemp_comm_agree(comm, GEMP_NEW(degree, graph->rows)));
	for (size_t i = 0; i < graph->relation_count; i++) {
		GEMP_PROPAGATE(gemp_shard_load_relation(graph, i, GEMP_LOAD_OUT | GEMP_LOAD_IN));
		const gemp_relation *relation = &graph->relations[i];
		for (size_t row = 0; row < graph->rows; row++)
			degree[row] += relation->out_offsets[row + 1] - relation->out_offsets[row] + relation->in_offsets[row + 1] -
			               relation->in_offsets[row];
	}
	for (size_t row = 0; row < graph->rows; row++) {
		out->sum += degree[row];
		out->max = degree[row] > out->max ? degree[row] : out->max;
		least = degree[row] < least ? degree[row] : least;
		out->vertices[gemp_degrees_class(degree[row])]++;
	}
	gemp_comm_sum(comm, out->vertices, GEMP_DEGREE_CLASSES);
	out->sum = gemp_comm_sum1(comm, out->sum);
	gemp_comm_max(comm, &out->max, 1);
	least = UINT64_MAX - least;
	gemp_comm_max(comm, &least, 1);
	out->min = graph->vertex_count ? UINT64_MAX - least : 0;
	return count_directed(out, comm, graph);
}
