#include "match/planner/statistics.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "partition/views/view.h"

#include <string.h>

enum { PIECE = 1 << 14 }; /* rows that a thread counts at a time */

/* How many of the ids are candidates of v. */
static uint64_t among(const gemp_candidates *candidates, int v, const gemp_vertex *ids, uint64_t count)
{
	uint64_t found = 0;
	if (!candidates->bits[v])
		return count;
	for (uint64_t i = 0; i < count; i++)
		found += gemp_candidates_has(candidates, v, ids[i]);
	return found;
}

/* Edges at own vertices that are candidates of `at`, and the sum of squares of their numbers. */
typedef struct edge_count {
	gemp_edge_question question;
	int at;
	uint64_t *edges; /* [pieces] */
	double *squares; /* [pieces]: added in their order, so that the sum does not depend on who counted what */
} edge_count;

/* Parallel edges count each. */
uint64_t gemp_statistics_row(const gemp_edge_question *c, size_t v)
{
	uint64_t degree = 0;
	for (size_t r = 0; r < c->graph->relation_count; r++) {
		const gemp_relation *relation = &c->graph->relations[r];
		if (!c->relations[r])
			continue;
		if (c->out)
			degree += among(c->candidates, c->other, relation->out_targets + relation->out_offsets[v],
			                relation->out_offsets[v + 1] - relation->out_offsets[v]);
		if (c->in)
			degree += among(c->candidates, c->other, relation->in_sources + relation->in_offsets[v],
			                relation->in_offsets[v + 1] - relation->in_offsets[v]);
	}
	return degree;
}

/* Threads count ranges of rows; ranges are summed in their order. */
static void count_rows(void *context, size_t piece, size_t begin, size_t end)
{
	const edge_count *c = context;
	for (size_t v = begin; v < end; v++) {
		uint64_t degree = gemp_candidates_has(c->question.candidates, c->at, c->question.graph->first_vertex + v)
		                      ? gemp_statistics_row(&c->question, v)
		                      : 0;
		c->edges[piece] += degree;
		c->squares[piece] += (double)degree * (double)degree;
	}
}

/* Sums of ranges are added in their order, so that the result does not depend on the threads. */
static gemp_code count_at(edge_count *c, uint64_t *edges, double *squares)
{
	gemp_code code = GEMP_OK;
	size_t pieces = (c->question.graph->rows + PIECE - 1) / PIECE;
	c->edges = NULL;
	c->squares = NULL;
	GEMP_TRY(GEMP_NEW(c->edges, pieces));
	GEMP_TRY(GEMP_NEW(c->squares, pieces));
	gemp_for_chunks(c->question.graph->rows, PIECE, count_rows, c);
	for (size_t p = 0; p < pieces; p++) {
		*edges += c->edges[p];
		*squares += c->squares[p];
	}
done:
	gemp_free_all(c->edges, c->squares);
	return code;
}

/* Equal bitmaps mean equal answers. */
static bool same_candidates(const gemp_candidates *candidates, int a, int b)
{
	const uint32_t *x = candidates->bits[a], *y = candidates->bits[b];
	return x == y || (x && y && memcmp(x, y, candidates->words * sizeof *x) == 0);
}

/* Pattern edges that ask for the same count share it: the count goes through all edges of the graph. */
static bool same_question(const gemp_pattern *pattern, const gemp_candidates *candidates, size_t e, size_t f)
{
	const gemp_pattern_edge *a = &pattern->edges[e], *b = &pattern->edges[f];
	return a->direction == b->direction && same_candidates(candidates, a->from, b->from) &&
	       same_candidates(candidates, a->to, b->to) &&
	       memcmp(a->relations, b->relations, pattern->relation_count * sizeof *a->relations) == 0;
}

/* Edges with the same candidates at both ends are counted once. */
gemp_code gemp_statistics_new(gemp_statistics *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	gemp_code code = GEMP_OK;
	*out = (gemp_statistics){ .vertices = (double)graph->vertex_count };
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
		bool targets = gemp_shard_has_loaded(graph, edge->relations, GEMP_LOAD_IN);
		edge_count there = { { graph, candidates, edge->relations, edge->to, true, either }, edge->from, NULL, NULL };
		edge_count again = { { graph, candidates, edge->relations, edge->from, either, true }, edge->to, NULL, NULL };
		code = count_at(&there, &edges, &sums[0]);
		if (code == GEMP_OK && targets)
			code = count_at(&again, &back, &sums[1]);
		GEMP_PROPAGATE(gemp_comm_agree(context->comm, code));
		GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, context->comm->world));
		out->edges[e] = (double)gemp_comm_sum1(context->comm, edges);
		out->paths_from[e] = sums[0];
		out->paths_to[e] = targets                         ? sums[1]
		                   : out->candidates[edge->to] > 0 ? out->edges[e] * out->edges[e] / out->candidates[edge->to]
		                                                   : 0;
		GEMP_PROPAGATE(gemp_view_parallel(context->comm, graph, &key, &out->parallel[e]));
	}
	return GEMP_OK;
}
