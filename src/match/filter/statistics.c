#include "match/filter/statistics.h"

#include "core/threads.h"
#include "match/filter/kept_results.h"
#include "match/planner/plan_rows.h"

#include <string.h>

enum { CHUNK = 1 << 14 }; /* number of rows that a thread counts at a time */

/* A count of edges at the own vertices that are candidates of pattern vertex `at`, and a sum of the squares of these
 * vertices' degrees. The sums of the chunks are added in the order of the chunks, so the result does not depend on the
 * number of threads. */
typedef struct edge_count {
	gemp_edge_question question;
	int at;
	uint64_t *edges; /* [chunks] */
	double *squares; /* [chunks] */
} edge_count;

/* Counts the ids of a row that are candidates of pattern vertex v. */
static uint64_t among(const gemp_candidates *candidates, int v, const gemp_vertex *ids, uint64_t count)
{
	uint64_t found = 0;
	if (!candidates->bits[v])
		return count;
	for (uint64_t i = 0; i < count; i++)
		found += gemp_candidates_has(candidates, v, ids[i]);
	return found;
}

uint64_t gemp_statistics_row(const gemp_edge_question *c, size_t v)
{
	uint64_t degree = 0;
	for (size_t k = 0; k < c->lists->count; k++) {
		const gemp_view_list *list = &c->lists->list[k];
		degree += among(c->candidates, c->other, list->neighbours + list->offsets[v],
		                list->offsets[v + 1] - list->offsets[v]);
	}
	return degree;
}

/* Counts one chunk of own rows. Words of the bitmap without further bits are skipped, since few candidates are
 * common. The sums are written once: chunks that are counted at the same time share cache lines. */
static void count_rows(void *context, size_t chunk, size_t begin, size_t end)
{
	const edge_count *c = context;
	const uint32_t *bits = c->question.candidates->bits[c->at];
	uint64_t edges = 0;
	double squares = 0;
	for (size_t v = begin; v < end; v++) {
		uint64_t id = c->question.graph->first_vertex + v;
		if (bits && !(bits[id / 32] >> id % 32)) {
			v += 31 - id % 32;
			continue;
		}
		uint64_t degree = !bits || gemp_bits32_test(bits, id) ? gemp_statistics_row(&c->question, v) : 0;
		edges += degree;
		squares += (double)degree * (double)degree;
	}
	c->edges[chunk] = edges;
	c->squares[chunk] = squares;
}

/* Local. Counts with all threads. */
static gemp_code count_at(edge_count *c, uint64_t *edges, double *squares)
{
	size_t chunks = (c->question.graph->rows + CHUNK - 1) / CHUNK;
	GEMP_OWNED uint64_t *chunk_edges = NULL;
	GEMP_OWNED double *chunk_squares = NULL;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(chunk_edges, chunks), GEMP_ARRAY(chunk_squares, chunks)));
	c->edges = chunk_edges;
	c->squares = chunk_squares;
	gemp_for_chunks(c->question.graph->rows, CHUNK, count_rows, c);
	for (size_t i = 0; i < chunks; i++) {
		*edges += chunk_edges[i];
		*squares += chunk_squares[i];
	}
	return GEMP_OK;
}

/* True if pattern edges e and f have the same count. A count reads all edges of the graph, so equal counts are made
 * once. */
static bool same_question(const gemp_pattern *pattern, const gemp_candidates *candidates, size_t e, size_t f)
{
	const gemp_pattern_edge *a = &pattern->edges[e], *b = &pattern->edges[f];
	return a->direction == b->direction && gemp_candidates_same(candidates, a->from, b->from) &&
	       gemp_candidates_same(candidates, a->to, b->to) &&
	       memcmp(a->relations, b->relations, pattern->relation_count * sizeof *a->relations) == 0;
}

/* The statistics of one pattern edge. */
typedef struct edge_statistics {
	double edges, paths_from, paths_to;
	bool parallel;
} edge_statistics;

/* The key of the statistics of a pattern edge. The estimate of paths depends on what is loaded. */
static gemp_text key_of(const gemp_shard *graph, const gemp_pattern *pattern, const gemp_candidates *candidates,
                        size_t e)
{
	const gemp_pattern_edge *edge = &pattern->edges[e];
	const gemp_view_key back = gemp_pattern_edge_key(pattern, edge, true);
	const uint64_t numbers[] = { pattern->simple, edge->direction, pattern->relation_count,
		                         gemp_view_is_loaded(graph, &back) };
	const char kind = GEMP_KEPT_STATISTICS;
	gemp_text key = { .failed = candidates->keyless };
	gemp_text_add(&key, &kind, 1);
	GEMP_KEPT_KEY_ARRAY(&key, numbers, sizeof numbers / sizeof *numbers);
	GEMP_KEPT_KEY_ARRAY(&key, edge->relations, pattern->relation_count);
	gemp_kept_key_bytes(&key, candidates->key[edge->from].data, candidates->key[edge->from].size);
	gemp_kept_key_bytes(&key, candidates->key[edge->to].data, candidates->key[edge->to].size);
	return key;
}

/* Collective. Counts the edges of one pattern edge and the paths of two. */
static gemp_code count_edge(edge_statistics *out, size_t e, const gemp_runtime *context, gemp_shard *graph,
                            const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	const gemp_pattern_edge *edge = &pattern->edges[e];
	const int ends[] = { edge->from, edge->to };
	uint64_t edges[2] = { 0, 0 };
	double sums[2] = { 0, 0 };
	bool known[2] = { true, true };
	gemp_code code = GEMP_OK;
	for (int back = 0; back < 2; back++) {
		const gemp_view_key key = gemp_pattern_edge_key(pattern, edge, back);
		GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
		edge_count count = { { graph, candidates, &lists, ends[!back] }, ends[back], NULL, NULL };
		known[back] = !back || gemp_view_is_loaded(graph, &key);
		GEMP_THEN(gemp_view_lists_new(&lists, graph, &key));
		if (known[back])
			GEMP_THEN(count_at(&count, &edges[back], &sums[back]));
	}
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, context->comm->world));
	const double targets = (double)candidates->count[edge->to];
	out->edges = (double)gemp_comm_sum1(context->comm, edges[0]);
	out->paths_from = sums[0];
	out->paths_to = known[1] ? sums[1] : targets > 0 ? out->edges * out->edges / targets : 0;
	const gemp_view_key key = gemp_pattern_edge_key(pattern, edge, false);
	return gemp_view_parallel(context->comm, graph, &key, &out->parallel);
}

/* Collective. Takes the statistics of a pattern edge that an earlier query has kept, or counts. */
static gemp_code find_edge(gemp_statistics *out, size_t e, const gemp_runtime *context, gemp_shard *graph,
                           const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text key = { .failed = true };
	edge_statistics made;
	memset(&made, 0, sizeof made); /* also the padding, since the bytes are kept */
	if (graph->kept)
		key = key_of(graph, pattern, candidates, e);
	if (!gemp_kept_results_get(context->comm, graph, &key, &made, sizeof made)) {
		GEMP_TRY(count_edge(&made, e, context, graph, pattern, candidates));
		gemp_kept_results_put(graph, &key, &made, sizeof made);
	}
	out->edges[e] = made.edges;
	out->paths_from[e] = made.paths_from;
	out->paths_to[e] = made.paths_to;
	out->parallel[e] = made.parallel;
	return GEMP_OK;
}

/* Pattern edges with the same direction, relations and candidates share one count. */
gemp_code gemp_statistics_new(gemp_statistics *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates)
{
	*out = (gemp_statistics){ .vertices = (double)graph->vertex_count };
	for (size_t v = 0; v < pattern->vertex_count; v++) {
		out->candidates[v] = (double)candidates->count[v];
		out->filtered[v] = candidates->bits[v] != NULL;
	}
	for (size_t e = 0; e < pattern->edge_count; e++) {
		size_t twin = 0;
		while (twin < e && !same_question(pattern, candidates, e, twin))
			twin++;
		if (twin == e) {
			GEMP_TRY(find_edge(out, e, context, graph, pattern, candidates));
			continue;
		}
		out->edges[e] = out->edges[twin];
		out->paths_from[e] = out->paths_from[twin];
		out->paths_to[e] = out->paths_to[twin];
		out->parallel[e] = out->parallel[twin];
	}
	return GEMP_OK;
}
