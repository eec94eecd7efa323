#include "match/ranked.h"

#include "core/memory.h"
#include "pattern/pattern.h"

gemp_code gemp_ranked_new(gemp_ranked *out, const gemp_comm *comm, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	size_t *begin = NULL;
	*out = (gemp_ranked){ 0 };
	GEMP_TRY(gemp_graph_need_keys(graph));
	GEMP_TRY(gemp_comm_gather_all(comm, graph->key_rank, graph->rows * sizeof *graph->key_rank, (void **)&out->rank_of,
	                              &begin));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(out->id_of, graph->vertices)));
	for (uint64_t v = 0; v < graph->vertices; v++)
		out->id_of[out->rank_of[v]] = (gemp_vertex)v;
done:
	gemp_free(begin);
	if (code != GEMP_OK)
		gemp_ranked_free(out);
	return code;
}

void gemp_ranked_free(gemp_ranked *ranked)
{
	gemp_free(ranked->rank_of);
	gemp_free(ranked->id_of);
	*ranked = (gemp_ranked){ 0 };
}

/* A sink that renames vertices on their way. */
typedef struct renamer {
	const uint32_t *name_of;
	const gemp_chain *chain; /* NULL: rows stay as they are */
	gemp_sink *next;
	gemp_vertex *vertices;
	gemp_edge *edges;
	size_t vertex_capacity, edge_capacity;
} renamer;

static void canonical_row(const renamer *r, gemp_vertex *vertices, int vertex_count, gemp_edge *edges, int edge_count)
{
	uint64_t tuple[GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES];
	for (int i = 0; i < vertex_count; i++)
		tuple[i] = vertices[i];
	for (int i = 0; i < edge_count; i++)
		tuple[vertex_count + i] = edges[i];
	gemp_chain_canonical(r->chain, tuple);
	for (int i = 0; i < vertex_count; i++)
		vertices[i] = (gemp_vertex)tuple[i];
	for (int i = 0; i < edge_count; i++)
		edges[i] = tuple[vertex_count + i];
}

static gemp_code take(void *self, const gemp_batch *batch)
{
	gemp_code code = GEMP_OK;
	renamer *r = self;
	size_t vertices = batch->rows * (size_t)batch->vertex_count, edges = batch->rows * (size_t)batch->edge_count;
	gemp_batch renamed = *batch;
	GEMP_TRY(GEMP_RESERVE(r->vertices, r->vertex_capacity, vertices));
	GEMP_TRY(GEMP_RESERVE(r->edges, r->edge_capacity, edges));
	for (size_t i = 0; i < vertices; i++)
		r->vertices[i] = r->name_of[batch->vertices[i]];
	for (size_t i = 0; i < edges; i++)
		r->edges[i] = batch->edges[i];
	for (size_t row = 0; r->chain && row < batch->rows; row++)
		canonical_row(r, r->vertices + row * (size_t)batch->vertex_count, batch->vertex_count,
		              r->edges + row * (size_t)batch->edge_count, batch->edge_count);
	renamed.vertices = r->vertices;
	renamed.edges = r->edges;
	GEMP_TRY(r->next->take(r->next->self, &renamed));
done:
	return code;
}

static gemp_code turn(void *self, bool last, bool *enough, bool *again)
{
	renamer *r = self;
	return r->next->turn(r->next->self, last, enough, again);
}

static void free_renamer(void *self)
{
	renamer *r = self;
	if (r) {
		gemp_free(r->vertices);
		gemp_free(r->edges);
	}
	gemp_free(r);
}

static gemp_code make(gemp_sink *out, const uint32_t *name_of, const gemp_chain *chain, gemp_sink *next)
{
	renamer *r;
	if (GEMP_NEW(r, 1) != GEMP_OK)
		return GEMP_ENOMEM;
	*r = (renamer){ .name_of = name_of, .chain = chain, .next = next };
	*out = (gemp_sink){ r, take, turn, free_renamer };
	return GEMP_OK;
}

gemp_code gemp_to_ranks(gemp_sink *out, const gemp_ranked *ranked, const gemp_chain *chain, gemp_sink *next)
{
	return make(out, ranked->rank_of, chain, next);
}

gemp_code gemp_from_ranks(gemp_sink *out, const gemp_ranked *ranked, gemp_sink *next)
{
	return make(out, ranked->id_of, NULL, next);
}
