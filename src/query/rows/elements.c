#include "query/rows/elements.h"

#include "core/memory.h"
#include "match/filter/vertex_values.h"

#include <string.h>

/* Edges come first, since their ends are vertices to fetch, too. */
gemp_code gemp_elements_fetch_lists(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                                    const gemp_vertex *vertices, size_t vertex_count, bool has_edges,
                                    const gemp_edge *edges, size_t edge_count, bool ranks)
{
	static const int wanted[] = { GEMP_FETCH_KEY, GEMP_FETCH_KEY_RANK };
	GEMP_OWNED gemp_vertex *ids = NULL;
	gemp_column fetched[2] = { 0 };
	size_t n = vertex_count;
	*out = (gemp_elements){ .graph = graph };
	if (has_edges)
		GEMP_PROPAGATE(gemp_fetch_edges(&out->edges, context, graph, edges, edge_count, NULL, 0));
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, GEMP_NEW(ids, n + 2 * out->edges.count)));
	if (n)
		memcpy(ids, vertices, n * sizeof *ids);
	for (size_t i = 0; i < out->edges.count; i++) {
		ids[n++] = out->edges.ends[i].source;
		ids[n++] = out->edges.ends[i].target;
	}
	GEMP_PROPAGATE(
		gemp_fetch_values(context, graph, ids, n, wanted, ranks ? 2 : 1, &out->vertices, &out->vertex_count, fetched));
	out->keys = fetched[0];
	out->ranks = fetched[1];
	return GEMP_OK;
}

/* Collective. The elements of all columns become two lists, so that each distinct element is fetched once. Missing
 * elements are left out. */
gemp_code gemp_elements_fetch(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_frame_column *columns, size_t count, size_t rows, bool ranks)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED gemp_vertex *vertices = NULL;
	GEMP_OWNED gemp_edge *edges = NULL;
	size_t kinds[] = { [GEMP_CELL_VALUE] = 0, [GEMP_CELL_VERTEX] = 0, [GEMP_CELL_EDGE] = 0 }, vertex_count = 0,
		   edge_count = 0;
	*out = (gemp_elements){ .graph = graph };
	for (size_t c = 0; c < count; c++)
		kinds[columns[c].kind]++;
	if (kinds[GEMP_CELL_VALUE] == count)
		return GEMP_OK;
	code = GEMP_NEW(vertices, rows * kinds[GEMP_CELL_VERTEX]);
	GEMP_THEN(GEMP_NEW(edges, rows * kinds[GEMP_CELL_EDGE]));
	GEMP_PROPAGATE(gemp_comm_agree(context->comm, code));
	for (size_t c = 0; c < count; c++)
		for (size_t row = 0; row < rows && columns[c].kind != GEMP_CELL_VALUE; row++) {
			uint64_t element = columns[c].elements[row];
			if (element != GEMP_NO_ELEMENT && columns[c].kind == GEMP_CELL_VERTEX)
				vertices[vertex_count++] = (gemp_vertex)element;
			else if (element != GEMP_NO_ELEMENT)
				edges[edge_count++] = element;
		}
	return gemp_elements_fetch_lists(out, context, graph, vertices, vertex_count, kinds[GEMP_CELL_EDGE] > 0, edges,
	                                 edge_count, ranks);
}

void gemp_elements_free(gemp_elements *elements)
{
	gemp_free(elements->vertices);
	gemp_column_free(&elements->keys);
	gemp_column_free(&elements->ranks);
	gemp_edge_values_free(&elements->edges);
	*elements = (gemp_elements){ 0 };
}

/* Missing elements have NULL values. */
static gemp_value value_of(const gemp_elements *elements, const gemp_column *column, uint64_t vertex)
{
	if (vertex == GEMP_NO_ELEMENT)
		return (gemp_value){ .type = column->type, .null = true };
	return gemp_column_get(column, gemp_fetch_index(elements->vertices, elements->vertex_count, (gemp_vertex)vertex));
}

gemp_value gemp_elements_key(const gemp_elements *elements, uint64_t vertex)
{
	return value_of(elements, &elements->keys, vertex);
}

gemp_value gemp_elements_rank(const gemp_elements *elements, uint64_t vertex)
{
	return value_of(elements, &elements->ranks, vertex);
}

const gemp_edge_ends *gemp_elements_ends(const gemp_elements *elements, uint64_t edge)
{
	return edge == GEMP_NO_ELEMENT ? NULL : &elements->edges.ends[gemp_edge_values_index(&elements->edges, edge)];
}

/* The name is borrowed from the graph's relation. */
gemp_value gemp_elements_type(const gemp_elements *elements, uint64_t edge)
{
	const gemp_edge_ends *ends = gemp_elements_ends(elements, edge);
	const char *name = ends ? elements->graph->relations[ends->relation].name : "";
	return (gemp_value){ .type = GEMP_STRING, .null = !ends, .string = { name, strlen(name) } };
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Ranks of keys are ordered as the keys are, and comparing them needs no strings. */
static int compare_vertices(const gemp_elements *elements, uint64_t a, uint64_t b)
{
	gemp_value x = gemp_elements_rank(elements, a), y = gemp_elements_rank(elements, b);
	return compare_numbers((uint64_t)x.integer, (uint64_t)y.integer);
}

/* GEMP_NO_ELEMENT is the largest number, so missing elements come last. */
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
