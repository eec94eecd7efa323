#include "query/search/representative.h"

#include "core/memory.h"
#include "match/filter/edge_values.h"
#include "match/filter/vertex_values.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that compare as keys do: positions in order of key, of the vertices and edges of this turn. */
typedef struct numbering {
	gemp_vertex *found; /* [found_count] ids, ascending */
	size_t found_count;
	uint64_t *by_key;   /* [found_count] key rank above, index in found below; ascending */
	uint64_t *position; /* [found_count] of found[i] in by_key */
	gemp_edge_values edges;
	struct keyed_edge *edge_by_key; /* [edges.count] ascending */
	uint64_t *edge_position;
} numbering;

typedef struct keyed_edge {
	uint64_t rank[4]; /* relation, key rank of source and of target, parallel number */
	size_t index;     /* in edges */
} keyed_edge;

static int compare_words(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static int compare_keyed(const void *a, const void *b)
{
	const keyed_edge *x = a, *y = b;
	for (int i = 0; i < 4; i++)
		if (x->rank[i] != y->rank[i])
			return x->rank[i] < y->rank[i] ? -1 : 1;
	return 0;
}

static gemp_code number_vertices(numbering *n, const gemp_column *rank)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(n->by_key, n->found_count));
	GEMP_TRY(GEMP_NEW(n->position, n->found_count));
	for (size_t i = 0; i < n->found_count; i++)
		n->by_key[i] = (uint64_t)rank->integers[i] << 32 | i;
	qsort(n->by_key, n->found_count, sizeof *n->by_key, compare_words);
	for (size_t p = 0; p < n->found_count; p++)
		n->position[(uint32_t)n->by_key[p]] = p;
done:
	return code;
}

static uint64_t vertex_number(const numbering *n, gemp_vertex id)
{
	return n->position[gemp_fetch_index(n->found, n->found_count, id)];
}

static gemp_code number_edges(numbering *n)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(n->edge_by_key, n->edges.count));
	GEMP_TRY(GEMP_NEW(n->edge_position, n->edges.count));
	for (size_t i = 0; i < n->edges.count; i++) {
		const gemp_edge_ends *ends = &n->edges.ends[i];
		n->edge_by_key[i] = (keyed_edge){
			{ ends->relation, vertex_number(n, ends->source), vertex_number(n, ends->target), ends->parallel },
			i,
		};
	}
	qsort(n->edge_by_key, n->edges.count, sizeof *n->edge_by_key, compare_keyed);
	for (size_t p = 0; p < n->edges.count; p++)
		n->edge_position[n->edge_by_key[p].index] = p;
done:
	return code;
}

static void numbering_free(numbering *n)
{
	gemp_free(n->found);
	gemp_free(n->by_key);
	gemp_free(n->position);
	gemp_edge_values_free(&n->edges);
	gemp_free(n->edge_by_key);
	gemp_free(n->edge_position);
}

static gemp_code gather_edges(const gemp_row_store *rows, size_t edges, gemp_edge **out)
{
	gemp_code code = GEMP_NEW(*out, rows->rows * edges);
	for (size_t row = 0; row < rows->rows && code == GEMP_OK; row++)
		memcpy(*out + row * edges, rows->edges + row * (size_t)rows->edge_count, edges * sizeof **out);
	return code;
}

/* Collective. */
static gemp_code number_all(numbering *n, gemp_runtime *context, gemp_shard *graph, const gemp_row_store *rows,
                            size_t vertices, size_t edges)
{
	gemp_code code = GEMP_OK;
	gemp_vertex *ids = NULL;
	gemp_edge *numbers = NULL;
	gemp_column rank = { 0 };
	const int column = GEMP_FETCH_KEY_RANK;
	size_t count = 0;
	if (edges) {
		GEMP_TRY(gemp_comm_agree(context->comm, gather_edges(rows, edges, &numbers)));
		GEMP_TRY(gemp_fetch_edges(&n->edges, context, graph, numbers, rows->rows * edges, NULL, 0));
	}
	code = GEMP_NEW(ids, rows->rows * vertices + 2 * n->edges.count);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t row = 0; row < rows->rows; row++)
		for (size_t v = 0; v < vertices; v++)
			ids[count++] = rows->vertices[row * (size_t)rows->vertex_count + v];
	for (size_t i = 0; i < n->edges.count; i++) {
		ids[count++] = n->edges.ends[i].source;
		ids[count++] = n->edges.ends[i].target;
	}
	GEMP_TRY(gemp_fetch_values(context, graph, ids, count, &column, 1, &n->found, &n->found_count, &rank));
	code = number_vertices(n, &rank);
	if (code == GEMP_OK)
		code = number_edges(n);
	code = gemp_comm_agree(context->comm, code);
done:
	gemp_column_free(&rank);
	gemp_free(numbers);
	gemp_free(ids);
	return code;
}

static void replace_row(const numbering *n, const gemp_stab_chain *chain, gemp_row_store *rows, size_t row,
                        size_t vertex_count, size_t edge_count, uint64_t *tuple)
{
	gemp_vertex *vertices = rows->vertices + row * (size_t)rows->vertex_count;
	gemp_edge *edges = rows->edges + row * (size_t)rows->edge_count;
	for (size_t v = 0; v < vertex_count; v++)
		tuple[v] = vertex_number(n, vertices[v]);
	for (size_t e = 0; e < edge_count; e++)
		tuple[vertex_count + e] = n->edge_position[gemp_edge_values_index(&n->edges, edges[e])];
	gemp_stab_chain_canonical(chain, tuple);
	for (size_t v = 0; v < vertex_count; v++)
		vertices[v] = n->found[(uint32_t)n->by_key[tuple[v]]];
	for (size_t e = 0; e < edge_count; e++)
		edges[e] = n->edges.edges[n->edge_by_key[tuple[vertex_count + e]].index];
}

gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows)
{
	gemp_code code = GEMP_OK;
	numbering n = { 0 };
	size_t vertices = pattern->vertex_count, edges;
	uint64_t *tuple = NULL, carried = (uint64_t)rows->edge_count;
	if (gemp_stab_chain_is_trivial(chain))
		return GEMP_OK;
	gemp_comm_max(context->comm, &carried, 1); /* a rank without rows has not seen how many there are */
	edges = carried ? pattern->edge_count : 0;
	code = GEMP_NEW(tuple, vertices + pattern->edge_count);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	GEMP_TRY(number_all(&n, context, graph, rows, vertices, edges));
	for (size_t row = 0; row < rows->rows; row++)
		replace_row(&n, chain, rows, row, vertices, edges, tuple);
done:
	gemp_free(tuple);
	numbering_free(&n);
	return code;
}
