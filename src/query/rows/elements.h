/* elements: keys, ranks of keys, types and ends of the vertices and edges of some rows, fetched from their owners.
 *
 * vertices[vertex_count] are the distinct ids in ascending order. keys[vertex_count] and ranks[vertex_count] belong to
 * these ids, and look-ups are binary searches. The ends of edges are among the vertices. The order of elements for
 * ORDER BY, for lists and for representatives is defined here. Fetching is collective, look-ups are local. */

#ifndef GEMP_QUERY_ROWS_ELEMENTS_H
#define GEMP_QUERY_ROWS_ELEMENTS_H

#include "graph/batch.h"
#include "match/filter/element_values.h"
#include "pattern/symmetry/permutation_group.h"
#include "query/rows/frame.h"

typedef struct gemp_elements {
	const gemp_shard *graph;
	size_t vertex_count;
	gemp_vertex *vertices;   /* [vertex_count] ids, ascending */
	gemp_column keys, ranks; /* [vertex_count]; ranks are integers in the order of the keys */
	gemp_edge_values edges;
} gemp_elements;

/* Collective. Fetches keys, types and ends of the vertices and edges in the first `count` columns of a frame. The
 * columns must have the same kinds on all ranks. Columns of values are skipped, and nothing is fetched if all columns
 * are values. Key ranks are fetched only if `ranks` is true. Call gemp_elements_free also after a failure. */
gemp_code gemp_elements_fetch(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_frame_column *columns, size_t count, size_t rows, bool ranks);

void gemp_elements_free(gemp_elements *elements);

/* Local. The value is NULL for GEMP_NO_ELEMENT. Strings are borrowed. */
gemp_value gemp_elements_key(const gemp_elements *elements, uint64_t vertex);
gemp_value gemp_elements_rank(const gemp_elements *elements, uint64_t vertex);
/* Local. For GEMP_NO_ELEMENT the pointer to the ends is NULL, and the type is a NULL value. */
const gemp_edge_ends *gemp_elements_ends(const gemp_elements *elements, uint64_t edge);
gemp_value gemp_elements_type(const gemp_elements *elements, uint64_t edge);

/* The order of ORDER BY. Vertices are ordered by key, edges by type, key of the source, key of the target, and parallel
 * number. GEMP_NO_ELEMENT comes last. */
int gemp_elements_compare(const gemp_elements *elements, gemp_cell_kind kind, uint64_t a, uint64_t b);

/* Collective. Replaces each row, in place, by the smallest row of its orbit under the chain's group, so that rows do
 * not depend on seeds, ranks or devices. The elements of the rows are fetched and numbered in the order above. Each row
 * is a tuple of these numbers, first the vertices along the chain, then the edges, and its canonical image replaces the
 * row. If rows have no edge columns, all edges count as equal. The elements of OPTIONAL MATCH stay unchanged. */
gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows);

#endif
