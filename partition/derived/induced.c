#include "partition/derived/induced.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "partition/build/rows_source.h"

#include <string.h>

/* The old graph, the kept vertices, and the new graph. */
typedef struct induced_state {
	const gemp_comm *comm;
	gemp_shard *from;
	const uint32_t *bits;
	gemp_vertex *before; /* [words + 1] number of kept vertices in the words before */
	uint64_t *rows;      /* [count] kept rows of this rank */
	size_t count;
	gemp_induced *out;
} induced_state;

/* The new id of a vertex is the number of kept vertices with smaller ids. */
static gemp_vertex id_of(const induced_state *i, uint64_t id)
{
	/* with id = vertex_count the word may not exist */
	return i->before[id / 32] + (id % 32 ? gemp_bits32_count_before(i->bits[id / 32], id) : 0);
}

/* Local. Kept vertices are numbered in the order of their ids, so all ranks compute the same new ids. */
static gemp_code number_vertices(induced_state *i)
{
	size_t words = gemp_bits32_words(i->from->vertex_count);
	GEMP_TRY(GEMP_NEW(i->before, words + 1));
	for (size_t w = 0; w < words; w++)
		i->before[w + 1] = i->before[w] + (gemp_vertex)__builtin_popcount(i->bits[w]);
	GEMP_TRY(GEMP_NEW(i->out->vertex, i->before[words]));
	for (size_t w = 0, at = 0; w < words; w++)
		for (uint32_t left = i->bits[w]; left; left &= left - 1)
			i->out->vertex[at++] = (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left));
	i->out->graph->vertex_count = i->before[words];
	return GEMP_OK;
}

/* Local. Each rank keeps its own vertices, so no vertex is sent. */
static gemp_code split_vertices(induced_state *i)
{
	gemp_shard *g = i->out->graph;
	const gemp_shard *from = i->from;
	for (int r = 0; r < g->ranks; r++)
		g->bounds[r] = from->bounds[r] < from->vertex_count ? id_of(i, from->bounds[r]) : g->vertex_count;
	g->bounds[g->ranks] = g->vertex_count;
	g->first_vertex = g->bounds[g->rank];
	g->rows = (size_t)(g->bounds[g->rank + 1] - g->first_vertex);
	i->count = g->rows;
	GEMP_TRY(GEMP_NEW(i->rows, i->count));
	for (size_t row = 0; row < g->rows; row++)
		i->rows[row] = i->out->vertex[g->first_vertex + row] - from->first_vertex;
	return GEMP_OK;
}

/* (*out)[count] becomes from[picked[i]] for each i. */
static gemp_code copy_numbers(uint32_t **out, const uint32_t *from, const uint64_t *picked, size_t count)
{
	GEMP_TRY(GEMP_NEW(*out, count));
	for (size_t row = 0; row < count; row++)
		(*out)[row] = from[picked[row]];
	return GEMP_OK;
}

/* Local. A label set that no kept vertex has stays, with a count of 0. */
static gemp_code copy_labels(induced_state *i)
{
	gemp_shard *g = i->out->graph;
	GEMP_TRY(copy_numbers(&g->label_set_of, i->from->label_set_of, i->rows, i->count));
	for (size_t s = 0; s < g->label_set_count; s++)
		g->label_sets[s].vertex_count = 0;
	for (size_t row = 0; row < i->count; row++)
		g->label_sets[g->label_set_of[row]].vertex_count++;
	return GEMP_OK;
}

/* Local. Keys keep their key ranks, so the key ranks have gaps. */
static gemp_code copy_vertices(induced_state *i)
{
	GEMP_TRY(number_vertices(i));
	GEMP_TRY(split_vertices(i));
	GEMP_TRY(gemp_column_gather(&i->out->graph->keys, &i->from->keys, NULL, i->rows, i->count));
	GEMP_TRY(copy_numbers(&i->out->graph->key_ranks, i->from->key_ranks, i->rows, i->count));
	GEMP_TRY(copy_labels(i));
	return gemp_table_gather(&i->out->graph->attributes, &i->from->attributes, i->rows, i->count);
}

/* Returns the number of edges between kept vertices, so each array of edges is allocated once. */
static uint64_t count_edges(const induced_state *i, const gemp_relation *from)
{
	uint64_t edges = 0;
	for (size_t row = 0; row < i->count; row++)
		for (uint64_t e = from->out_offsets[i->rows[row]]; e < from->out_offsets[i->rows[row] + 1]; e++)
			edges += gemp_bits32_test(i->bits, from->out_targets[e]);
	return edges;
}

/* The order of a row does not change, as new ids ascend with the old ids. */
static gemp_code copy_edges(const induced_state *i, const gemp_relation *from, gemp_relation *to, gemp_edge **edge,
                            bool wanted)
{
	uint64_t at = 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(to->out_offsets, i->count + 1),
	                      GEMP_ARRAY(to->out_targets, wanted ? count_edges(i, from) : 0),
	                      GEMP_ARRAY(*edge, wanted ? count_edges(i, from) : 0)));
	for (size_t row = 0; row < i->count && wanted; row++) {
		for (uint64_t e = from->out_offsets[i->rows[row]]; e < from->out_offsets[i->rows[row] + 1]; e++) {
			if (!gemp_bits32_test(i->bits, from->out_targets[e]))
				continue;
			to->out_targets[at] = id_of(i, from->out_targets[e]);
			(*edge)[at++] = e;
		}
		to->out_offsets[row + 1] = at;
	}
	gemp_code code = gemp_table_gather(&to->props, &from->props, *edge, at);
	for (uint64_t e = 0; e < at; e++)
		(*edge)[e] += from->first_edge;
	to->edge_count = at;
	to->loaded = GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
	return code;
}

/* Local. A relation that loses its edges stays as a relation without edges. */
static gemp_code copy_relations(induced_state *i, const bool *relations)
{
	gemp_shard *g = i->out->graph;
	GEMP_TRY(GEMP_NEW(i->out->edge, g->relation_count));
	i->out->relation_count = g->relation_count;
	for (size_t r = 0; r < g->relation_count; r++) {
		g->relations[r].reciprocal = 0; /* not computed: the pairs may have lost a vertex */
		GEMP_TRY(copy_edges(i, &i->from->relations[r], &g->relations[r], &i->out->edge[r], relations[r]));
	}
	return GEMP_OK;
}

/* Collective. Sums the numbers of edges and of the vertices of each label set, and numbers the edges over all ranks.
 * The ranks exchange nothing else. */
static void add_up(const induced_state *i)
{
	gemp_shard *g = i->out->graph;
	for (size_t s = 0; s < g->label_set_count; s++)
		g->label_sets[s].vertex_count = gemp_comm_sum1(i->comm, g->label_sets[s].vertex_count);
	for (size_t r = 0; r < g->relation_count; r++) {
		g->relations[r].first_edge = gemp_comm_exscan(i->comm, g->relations[r].edge_count);
		g->relations[r].edge_count = gemp_comm_sum1(i->comm, g->relations[r].edge_count);
	}
}

/* Local. The caller agrees on the code. */
static gemp_code make(induced_state *i, const bool *relations)
{
	GEMP_TRY(GEMP_NEW(i->out->graph, 1));
	GEMP_TRY(gemp_shard_copy_schema(i->out->graph, i->from));
	GEMP_TRY(copy_vertices(i));
	return copy_relations(i, relations);
}

/* Every rank has the bits of all vertices, so new ids are computed without an exchange. Only counts are summed. */
gemp_code gemp_induced_new(gemp_induced *out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *bits,
                           const bool *relations)
{
	gemp_code code = GEMP_OK;
	induced_state i = { .comm = comm, .from = graph, .bits = bits, .out = out };
	*out = (gemp_induced){ 0 };
	GEMP_TRY_DONE(gemp_shard_load_outgoing(graph));
	GEMP_TRY_DONE(gemp_comm_agree(comm, make(&i, relations)));
	add_up(&i);
	out->graph->loader = gemp_rows_source(comm);
done:
	gemp_free_all(i.before, i.rows);
	if (code != GEMP_OK)
		gemp_induced_free(out);
	return code;
}

void gemp_induced_free(gemp_induced *induced)
{
	for (size_t r = 0; induced->edge && r < induced->relation_count; r++)
		gemp_free(induced->edge[r]);
	gemp_free_all(induced->edge, induced->vertex);
	gemp_shard_free(induced->graph);
	*induced = (gemp_induced){ 0 };
}
