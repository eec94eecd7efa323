#include "query/search/representative.h"

#include "core/memory.h"
#include "match/filter/vertex_values.h"
#include "query/rows/elements.h"

#include <stdlib.h>
#include <string.h>

/* An order of the vertices, or of the edges, of this round: order[position] is an index into the fetched elements, and
 * position[index] the way back. Positions compare as keys do, whatever the rank and whatever the ids. */
typedef struct numbering {
	const gemp_elements *elements;
	gemp_cell_kind kind;
	size_t *order, *position;
} numbering;

static uint64_t element_at(const numbering *n, size_t index)
{
	return n->kind == GEMP_CELL_EDGE ? n->elements->edges.edges[index] : n->elements->vertices[index];
}

static int compare_elements(const void *a, const void *b, void *context)
{
	const numbering *n = context;
	return gemp_elements_compare(n->elements, n->kind, element_at(n, *(const size_t *)a),
	                             element_at(n, *(const size_t *)b));
}

/* Sorts the fetched elements and stores the order in both directions. */
static gemp_code number_elements(numbering *n, const gemp_elements *elements, gemp_cell_kind kind)
{
	size_t count = kind == GEMP_CELL_EDGE ? elements->edges.count : elements->vertex_count;
	n->elements = elements;
	n->kind = kind;
	GEMP_PROPAGATE(GEMP_NEW(n->order, count));
	GEMP_PROPAGATE(GEMP_NEW(n->position, count));
	for (size_t i = 0; i < count; i++)
		n->order[i] = i;
	qsort_r(n->order, count, sizeof *n->order, compare_elements, n);
	for (size_t p = 0; p < count; p++)
		n->position[n->order[p]] = p;
	return GEMP_OK;
}

/* Collective. The rows' first vertices and edges as lists; elements of OPTIONAL MATCH behind them do not take
 * part. */
static gemp_code fetch_elements(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_row_store *rows, size_t vertices, size_t edges)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED gemp_vertex *vertex_list = NULL;
	GEMP_OWNED gemp_edge *edge_list = NULL;
	code = GEMP_NEW(vertex_list, rows->rows * vertices);
	GEMP_THEN(GEMP_NEW(edge_list, rows->rows * edges));
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, code));
	for (size_t row = 0; row < rows->rows; row++) {
		memcpy(vertex_list + row * vertices, rows->vertices + row * (size_t)rows->vertex_count,
		       vertices * sizeof *vertex_list);
		if (edges)
			memcpy(edge_list + row * edges, rows->edges + row * (size_t)rows->edge_count, edges * sizeof *edge_list);
	}
	return gemp_elements_fetch_lists(out, context, graph, vertex_list, rows->rows * vertices, edges > 0, edge_list,
	                                 rows->rows * edges, true);
}

/* Replaces a row by its representative: elements to positions, canonical tuple, positions to elements. */
static void replace_row(const numbering *of_vertices, const numbering *of_edges, const gemp_stab_chain *chain,
                        gemp_row_store *rows, size_t row, size_t vertex_count, size_t edge_count, uint64_t *tuple)
{
	const gemp_elements *elements = of_vertices->elements;
	gemp_vertex *vertices = rows->vertices + row * (size_t)rows->vertex_count;
	gemp_edge *edges = rows->edges + row * (size_t)rows->edge_count;
	for (size_t v = 0; v < vertex_count; v++)
		tuple[v] = of_vertices->position[gemp_fetch_index(elements->vertices, elements->vertex_count, vertices[v])];
	for (size_t e = 0; e < edge_count; e++)
		tuple[vertex_count + e] = of_edges->position[gemp_edge_values_index(&elements->edges, edges[e])];
	gemp_stab_chain_canonical(chain, tuple);
	for (size_t v = 0; v < vertex_count; v++)
		vertices[v] = elements->vertices[of_vertices->order[tuple[v]]];
	for (size_t e = 0; e < edge_count; e++)
		edges[e] = elements->edges.edges[of_edges->order[tuple[vertex_count + e]]];
}

/* A rank without rows takes part in the fetch with empty lists. */
gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows)
{
	gemp_code code = GEMP_OK;
	gemp_elements elements = { 0 };
	numbering of_vertices = { 0 }, of_edges = { 0 };
	size_t vertices = pattern->vertex_count, edges;
	uint64_t *tuple = NULL, carried = (uint64_t)rows->edge_count;
	if (gemp_stab_chain_is_trivial(chain))
		return GEMP_OK;
	gemp_comm_max(context->comm, &carried, 1); /* a rank without rows has not seen how many there are */
	edges = carried ? pattern->edge_count : 0;
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(tuple, vertices + pattern->edge_count)));
	GEMP_TRY(fetch_elements(&elements, context, graph, rows, vertices, edges));
	code = number_elements(&of_vertices, &elements, GEMP_CELL_VERTEX);
	GEMP_THEN(number_elements(&of_edges, &elements, GEMP_CELL_EDGE));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t row = 0; row < rows->rows; row++)
		replace_row(&of_vertices, &of_edges, chain, rows, row, vertices, edges, tuple);
done:
	gemp_free_all(tuple, of_vertices.order, of_vertices.position, of_edges.order, of_edges.position);
	gemp_elements_free(&elements);
	return code;
}
