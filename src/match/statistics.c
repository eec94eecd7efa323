#include "match/statistics.h"

#include "partition/view.h"

static bool may_be(const gemp_candidates *candidates, int v, uint64_t id)
{
	const uint32_t *bits = candidates->bits[v];
	return !bits || bits[id / 32] >> id % 32 & 1;
}

static uint64_t among(const gemp_candidates *candidates, int v, const gemp_vertex *ids, uint64_t count)
{
	uint64_t found = 0;
	if (!candidates->bits[v])
		return count;
	for (uint64_t i = 0; i < count; i++)
		found += may_be(candidates, v, ids[i]);
	return found;
}

/* Edges at own vertices that are candidates of `at`, to candidates of `other`; and the sum of squares of their numbers. */
static void count_at(const gemp_graph *graph, const gemp_candidates *candidates, const gemp_pattern_edge *edge, int at,
                     int other, bool out, bool in, uint64_t *edges, double *squares)
{
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t degree = 0;
		if (!may_be(candidates, at, graph->first + v))
			continue;
		for (size_t r = 0; r < graph->relation_count; r++) {
			const gemp_relation *relation = &graph->relations[r];
			if (!edge->relations[r])
				continue;
			if (out)
				degree += among(candidates, other, relation->out + relation->out_begin[v],
				                relation->out_begin[v + 1] - relation->out_begin[v]);
			if (in)
				degree += among(candidates, other, relation->in + relation->in_begin[v],
				                relation->in_begin[v + 1] - relation->in_begin[v]);
		}
		*edges += degree;
		*squares += (double)degree * (double)degree;
	}
}

static bool same_question(const gemp_pattern *pattern, const gemp_candidates *candidates, size_t e, size_t f)
{
	const gemp_pattern_edge *a = &pattern->edges[e], *b = &pattern->edges[f];
	bool same = a->direction == b->direction && !candidates->bits[a->from] && !candidates->bits[a->to] &&
	            !candidates->bits[b->from] && !candidates->bits[b->to];
	for (size_t r = 0; same && r < pattern->relation_count; r++)
		same = a->relations[r] == b->relations[r];
	return same;
}

gemp_code gemp_statistics_new(gemp_statistics *out, gemp_context *context, const gemp_graph *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_statistics){ .vertices = (double)graph->vertices };
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		out->candidates[v] = (double)candidates->count[v];
		out->filtered[v] = candidates->bits[v] != NULL;
	}
	for (size_t e = 0; e < pattern->edge_count; e++) {
		const gemp_pattern_edge *edge = &pattern->edges[e];
		bool either = edge->direction == GEMP_EITHER || pattern->simple;
		gemp_view_key key = { edge->relations, either ? GEMP_VIEW_EITHER : GEMP_VIEW_OUT, pattern->simple, false };
		size_t twin = 0;
		while (twin < e && !same_question(pattern, candidates, e, twin))
			twin++;
		if (twin < e) {
			out->edges[e] = out->edges[twin];
			out->paths_from[e] = out->paths_from[twin];
			out->paths_to[e] = out->paths_to[twin];
			out->parallel[e] = out->parallel[twin];
			continue;
		}
		uint64_t edges = 0, back = 0;
		double sums[2] = { 0, 0 };
		count_at(graph, candidates, edge, edge->from, edge->to, true, either, &edges, &sums[0]);
		count_at(graph, candidates, edge, edge->to, edge->from, either, true, &back, &sums[1]);
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, context->comm->world));
		out->edges[e] = (double)gemp_comm_sum1(context->comm, edges);
		out->paths_from[e] = sums[0];
		out->paths_to[e] = sums[1];
		GEMP_TRY(gemp_view_parallel(context->comm, graph, &key, &out->parallel[e]));
	}
done:
	return code;
}
