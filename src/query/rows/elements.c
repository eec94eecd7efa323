/* All ids of a fetch become one list, so that every element is requested once, and look-ups search the sorted result.
 * The representative of an orbit is found on numbers instead of ids. The elements are numbered in their order, each row
 * becomes a tuple of numbers, and the smallest image of the tuple is turned back into elements. */

#include "query/rows/elements.h"

#include "core/status.h"
#include "match/filter/element_values.h"

#include <stdlib.h>
#include <string.h>

/* An order of the fetched vertices, or of the fetched edges. order[position] is an index into the fetched elements, and
 * position[index] is the inverse. Positions compare as keys do, and so do not depend on ranks or ids. */
typedef struct numbering {
	const gemp_elements *elements;
	gemp_cell_kind kind;
	size_t *order, *position;
} numbering;

static void numbering_free(numbering *n)
{
	gemp_free_all(n->order, n->position);
}

/* Returns the id of the element with this index. */
static uint64_t element_at(const numbering *n, size_t index)
{
	return n->kind == GEMP_CELL_EDGE ? n->elements->edges.edges[index] : n->elements->vertices[index];
}

/* For qsort_r: compares the elements with two indices. */
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
	GEMP_TRY(GEMP_NEW(n->order, count));
	GEMP_TRY(GEMP_NEW(n->position, count));
	for (size_t i = 0; i < count; i++)
		n->order[i] = i;
	qsort_r(n->order, count, sizeof *n->order, compare_elements, n);
	for (size_t p = 0; p < count; p++)
		n->position[n->order[p]] = p;
	return GEMP_OK;
}

/* Collective. Fetches lists of vertices and edges, in which ids may repeat. has_edges must be equal on all ranks. Edges
 * are fetched first, because their ends are vertices to fetch, too. */
static gemp_code fetch_lists(gemp_elements *out, gemp_runtime *context, gemp_shard *graph, const gemp_vertex *vertices,
                             size_t vertex_count, bool has_edges, const gemp_edge *edges, size_t edge_count, bool ranks)
{
	static const int wanted[] = { GEMP_FETCH_KEY, GEMP_FETCH_KEY_RANK };
	GEMP_OWNED gemp_vertex *ids = NULL;
	gemp_column fetched[2] = { 0 };
	size_t n = vertex_count;
	*out = (gemp_elements){ .graph = graph };
	if (has_edges)
		GEMP_TRY(gemp_fetch_edges(&out->edges, context, graph, edges, edge_count, NULL, 0));
	GEMP_TRY(gemp_comm_agree(context->comm, GEMP_NEW(ids, n + 2 * out->edges.count)));
	if (n)
		memcpy(ids, vertices, n * sizeof *ids);
	for (size_t i = 0; i < out->edges.count; i++) {
		ids[n++] = out->edges.ends[i].source;
		ids[n++] = out->edges.ends[i].target;
	}
	GEMP_TRY(
		gemp_fetch_values(context, graph, ids, n, wanted, ranks ? 2 : 1, &out->vertices, &out->vertex_count, fetched));
	out->keys = fetched[0];
	out->ranks = fetched[1];
	return GEMP_OK;
}

/* Collective. Fetches the first `vertices` vertices and the first `edges` edges of each row. The elements of OPTIONAL
 * MATCH follow them; they are neither permuted nor fetched. */
static gemp_code fetch_elements(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_row_store *rows, size_t vertices, size_t edges)
{
	GEMP_OWNED gemp_vertex *vertex_list = NULL;
	GEMP_OWNED gemp_edge *edge_list = NULL;
	gemp_code code = GEMP_NEW(vertex_list, rows->rows * vertices);
	GEMP_THEN(GEMP_NEW(edge_list, rows->rows * edges));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t row = 0; row < rows->rows; row++) {
		memcpy(vertex_list + row * vertices, rows->vertices + row * (size_t)rows->vertex_count,
		       vertices * sizeof *vertex_list);
		if (edges)
			memcpy(edge_list + row * edges, rows->edges + row * (size_t)rows->edge_count, edges * sizeof *edge_list);
	}
	return fetch_lists(out, context, graph, vertex_list, rows->rows * vertices, edges > 0, edge_list,
	                   rows->rows * edges, true);
}

/* Replaces a row by its representative. The elements become positions, the tuple of positions becomes canonical, and
 * the positions become elements again. */
static void replace_row(const numbering *of_vertices, const numbering *of_edges, const gemp_stab_chain *chain,
                        gemp_row_store *rows, size_t row, size_t vertex_count, size_t edge_count)
{
	const gemp_elements *elements = of_vertices->elements;
	uint64_t tuple[GEMP_MAX_POINTS] = { 0 }; /* zero for edges if rows have no edge columns */
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

/* A rank without rows takes part in the collective fetch with empty lists. */
gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows)
{
	GEMP_OWNED_BY(gemp_elements_free) gemp_elements elements = { 0 };
	GEMP_OWNED_BY(numbering_free) numbering of_vertices = { 0 };
	GEMP_OWNED_BY(numbering_free) numbering of_edges = { 0 };
	uint64_t row_edges = (uint64_t)rows->edge_count;
	if (gemp_stab_chain_is_trivial(chain))
		return GEMP_OK;
	gemp_comm_max(context->comm, &row_edges, 1); /* an empty row store has no number of edges */
	size_t vertices = pattern->vertex_count, edges = row_edges ? pattern->edge_count : 0;
	GEMP_TRY(fetch_elements(&elements, context, graph, rows, vertices, edges));
	gemp_code code = number_elements(&of_vertices, &elements, GEMP_CELL_VERTEX);
	GEMP_THEN(number_elements(&of_edges, &elements, GEMP_CELL_EDGE));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t row = 0; row < rows->rows; row++)
		replace_row(&of_vertices, &of_edges, chain, rows, row, vertices, edges);
	return GEMP_OK;
}

/* Collective. Collects the elements of all columns in two lists, so that each distinct element is fetched once. Missing
 * elements are left out. */
gemp_code gemp_elements_fetch(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_frame_column *columns, size_t count, size_t rows, bool ranks)
{
	GEMP_OWNED gemp_vertex *vertices = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	size_t kinds[GEMP_CELL_EDGE + 1] = { 0 }, vertex_count = 0, edge_count = 0;
	*out = (gemp_elements){ .graph = graph };
	for (size_t c = 0; c < count; c++)
		kinds[columns[c].kind]++;
	if (kinds[GEMP_CELL_VALUE] == count)
		return GEMP_OK;
	gemp_code code = GEMP_NEW(vertices, rows * kinds[GEMP_CELL_VERTEX]);
	GEMP_THEN(GEMP_NEW(edges, rows * kinds[GEMP_CELL_EDGE]));
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t c = 0; c < count; c++)
		for (size_t row = 0; row < rows && columns[c].kind != GEMP_CELL_VALUE; row++) {
			uint64_t element = columns[c].elements[row];
			if (element != GEMP_NO_ELEMENT && columns[c].kind == GEMP_CELL_VERTEX)
				vertices[vertex_count++] = (gemp_vertex)element;
			else if (element != GEMP_NO_ELEMENT)
				edges[edge_count++] = element;
		}
	return fetch_lists(out, context, graph, vertices, vertex_count, kinds[GEMP_CELL_EDGE] > 0, edges, edge_count,
	                   ranks);
}

/* Safe after a failed fetch, because arrays that were not fetched are empty. */
void gemp_elements_free(gemp_elements *elements)
{
	gemp_free(elements->vertices);
	gemp_column_free(&elements->keys);
	gemp_column_free(&elements->ranks);
	gemp_edge_values_free(&elements->edges);
	*elements = (gemp_elements){ 0 };
}

/* Returns NULL for a missing element. */
static gemp_value value_of(const gemp_elements *elements, const gemp_column *column, uint64_t vertex)
{
	if (vertex == GEMP_NO_ELEMENT)
		return (gemp_value){ .type = column->type, .null = true };
	return gemp_column_get(column, gemp_fetch_index(elements->vertices, elements->vertex_count, (gemp_vertex)vertex));
}

/* Keys are fetched with the elements. */
gemp_value gemp_elements_key(const gemp_elements *elements, uint64_t vertex)
{
	return value_of(elements, &elements->keys, vertex);
}

/* Needs `ranks` true in the call of gemp_elements_fetch. */
gemp_value gemp_elements_rank(const gemp_elements *elements, uint64_t vertex)
{
	return value_of(elements, &elements->ranks, vertex);
}

/* Finds the edge by binary search. */
const gemp_edge_ends *gemp_elements_ends(const gemp_elements *elements, uint64_t edge)
{
	return edge == GEMP_NO_ELEMENT ? NULL : &elements->edges.ends[gemp_edge_values_index(&elements->edges, edge)];
}

/* The name belongs to the graph's relation. */
gemp_value gemp_elements_type(const gemp_elements *elements, uint64_t edge)
{
	const gemp_edge_ends *ends = gemp_elements_ends(elements, edge);
	const char *name = ends ? elements->graph->relations[ends->relation].name : "";
	return (gemp_value){ .type = GEMP_STRING, .null = !ends, .string = { name, strlen(name) } };
}

/* The difference of two unsigned numbers would never be negative. */
static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Ranks of keys have the order of the keys, and comparing ranks needs no strings. */
static int compare_vertices(const gemp_elements *elements, uint64_t a, uint64_t b)
{
	gemp_value x = gemp_elements_rank(elements, a), y = gemp_elements_rank(elements, b);
	return compare_numbers((uint64_t)x.integer, (uint64_t)y.integer);
}

/* GEMP_NO_ELEMENT is the largest number, so a missing element comes last. */
int gemp_elements_compare(const gemp_elements *elements, gemp_cell_kind kind, uint64_t a, uint64_t b)
{
	if (a == b || a == GEMP_NO_ELEMENT || b == GEMP_NO_ELEMENT)
		return compare_numbers(a, b);
	if (kind == GEMP_CELL_VERTEX)
		return compare_vertices(elements, a, b);
	const gemp_edge_ends *x = gemp_elements_ends(elements, a), *y = gemp_elements_ends(elements, b);
	int order = compare_numbers(x->relation, y->relation);
	if (order == 0)
		order = compare_vertices(elements, x->source, y->source);
	if (order == 0)
		order = compare_vertices(elements, x->target, y->target);
	return order ? order : compare_numbers(x->parallel, y->parallel);
}
