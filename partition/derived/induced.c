#include "partition/derived/induced.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
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

/* The kept vertices of ranges of words, while they are counted and then listed. */
typedef struct vertex_listing {
	induced_state *i;
	uint64_t counts[GEMP_MAX_RANGES + 1]; /* [range + 1] of a range, then of all ranges up to it */
} vertex_listing;

static void count_vertices(void *context, size_t range, size_t begin, size_t end)
{
	vertex_listing *l = context;
	for (size_t w = begin; w < end; w++)
		l->counts[range + 1] += (uint64_t)__builtin_popcount(l->i->bits[w]);
}

static void list_vertices(void *context, size_t range, size_t begin, size_t end)
{
	const vertex_listing *l = context;
	uint64_t at = l->counts[range];
	for (size_t w = begin; w < end; w++) {
		for (uint32_t left = l->i->bits[w]; left; left &= left - 1)
			l->i->out->vertex[at++] = (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left));
		l->i->before[w + 1] = (gemp_vertex)at;
	}
}

/* Local. Kept vertices are numbered in the order of their ids, so all ranks compute the same new ids. */
static gemp_code number_vertices(induced_state *i)
{
	const size_t words = gemp_bits32_words(i->from->vertex_count), ranges = gemp_range_count(words);
	vertex_listing l = { .i = i };
	gemp_for_ranges(words, count_vertices, &l);
	for (size_t r = 0; r < ranges; r++)
		l.counts[r + 1] += l.counts[r];
	GEMP_TRY(GEMP_NEW_UNSET(i->before, words + 1));
	GEMP_TRY(GEMP_NEW_UNSET(i->out->vertex, l.counts[ranges]));
	i->before[0] = 0;
	gemp_for_ranges(words, list_vertices, &l);
	i->out->graph->vertex_count = l.counts[ranges];
	return GEMP_OK;
}

static void list_rows(void *context, size_t begin, size_t end)
{
	const induced_state *i = context;
	for (size_t row = begin; row < end; row++)
		i->rows[row] = i->out->vertex[i->out->graph->first_vertex + row] - i->from->first_vertex;
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
	GEMP_TRY(GEMP_NEW_UNSET(i->rows, i->count));
	gemp_for_elements(i->count, list_rows, i);
	return GEMP_OK;
}

/* to[i] becomes from[picked[i]]. */
typedef struct number_copy {
	uint32_t *to;
	const uint32_t *from;
	const uint64_t *picked;
} number_copy;

static void copy_range(void *context, size_t begin, size_t end)
{
	const number_copy *c = context;
	for (size_t row = begin; row < end; row++)
		c->to[row] = c->from[c->picked[row]];
}

static gemp_code copy_numbers(uint32_t **out, const uint32_t *from, const uint64_t *picked, size_t count)
{
	GEMP_TRY(GEMP_NEW_UNSET(*out, count));
	gemp_for_elements(count, copy_range, &(number_copy){ *out, from, picked });
	return GEMP_OK;
}

/* The vertices of each label set, counted by ranges of rows. */
typedef struct set_counts {
	const uint32_t *set_of;
	size_t sets;
	uint64_t *counts; /* [ranges][sets] */
} set_counts;

static void count_sets(void *context, size_t range, size_t begin, size_t end)
{
	const set_counts *c = context;
	for (size_t row = begin; row < end; row++)
		c->counts[range * c->sets + c->set_of[row]]++;
}

/* Local. A label set that no kept vertex has stays, with a count of 0. */
static gemp_code copy_labels(induced_state *i)
{
	gemp_shard *g = i->out->graph;
	const size_t ranges = gemp_range_count(i->count);
	GEMP_OWNED uint64_t *counts = NULL;
	GEMP_TRY(copy_numbers(&g->label_set_of, i->from->label_set_of, i->rows, i->count));
	GEMP_TRY(GEMP_NEW(counts, ranges * g->label_set_count));
	gemp_for_ranges(i->count, count_sets, &(set_counts){ g->label_set_of, g->label_set_count, counts });
	for (size_t s = 0; s < g->label_set_count; s++) {
		g->label_sets[s].vertex_count = 0;
		for (size_t r = 0; r < ranges; r++)
			g->label_sets[s].vertex_count += counts[r * g->label_set_count + s];
	}
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

/* The edges of one relation between kept vertices, while they are counted and then copied. */
typedef struct edge_copy {
	const induced_state *i;
	const gemp_relation *from;
	gemp_relation *to;
	gemp_edge *edge; /* [edges] their indices in `from`, and then their numbers */
} edge_copy;

static void count_edges(void *context, size_t begin, size_t end)
{
	const edge_copy *c = context;
	const uint64_t *offsets = c->from->out_offsets, *rows = c->i->rows;
	for (size_t row = begin; row < end; row++) {
		uint64_t edges = 0;
		for (uint64_t e = offsets[rows[row]]; e < offsets[rows[row] + 1]; e++)
			edges += gemp_bits32_test(c->i->bits, c->from->out_targets[e]);
		c->to->out_offsets[row + 1] = edges;
	}
}

/* The order of a row does not change, as new ids ascend with the old ids. */
static void copy_rows(void *context, size_t begin, size_t end)
{
	const edge_copy *c = context;
	const uint64_t *offsets = c->from->out_offsets, *rows = c->i->rows;
	for (size_t row = begin; row < end; row++) {
		uint64_t at = c->to->out_offsets[row];
		for (uint64_t e = offsets[rows[row]]; e < offsets[rows[row] + 1]; e++) {
			if (!gemp_bits32_test(c->i->bits, c->from->out_targets[e]))
				continue;
			c->to->out_targets[at] = id_of(c->i, c->from->out_targets[e]);
			c->edge[at++] = e;
		}
	}
}

static void number_edges(void *context, size_t begin, size_t end)
{
	const edge_copy *c = context;
	for (size_t e = begin; e < end; e++)
		c->edge[e] += c->from->first_edge;
}

static gemp_code copy_edges(const induced_state *i, const gemp_relation *from, gemp_relation *to, gemp_edge **edge,
                            bool wanted)
{
	edge_copy c = { .i = i, .from = from, .to = to };
	GEMP_TRY(GEMP_NEW(to->out_offsets, i->count + 1));
	if (wanted) {
		gemp_for_elements(i->count, count_edges, &c);
		gemp_prefix_inclusive(to->out_offsets, i->count + 1);
	}
	const size_t edges = (size_t)to->out_offsets[i->count];
	GEMP_TRY(GEMP_NEW_UNSET(to->out_targets, edges));
	GEMP_TRY(GEMP_NEW_UNSET(*edge, edges));
	c.edge = *edge;
	if (wanted)
		gemp_for_elements(i->count, copy_rows, &c);
	gemp_code code = gemp_table_gather(&to->props, &from->props, *edge, edges);
	gemp_for_elements(edges, number_edges, &c);
	to->edge_count = edges;
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
