/* elements: keys, ranks of keys, types and ends of the vertices and edges of some rows, fetched from their owners.
 *
 * vertices[vertex_count] are the distinct ids in ascending order; keys[vertex_count] and ranks[vertex_count] belong to
 * them, and look-ups are binary searches. Ends of edges are among the vertices. The order of ORDER BY, of lists and of
 * representatives is defined here. Fetching is collective, look-ups are local.
 */

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
	gemp_column keys, ranks; /* [vertex_count]; ranks are integers, ordered as keys are */
	gemp_edge_values edges;
} gemp_elements;

/* Collective. Fetches what is known of the vertices and edges in the first `count` columns of a frame, which are of the
 * same kinds on all ranks; columns of values are skipped, and without others nothing is fetched. Key ranks come only if
 * `ranks` asks for them. gemp_elements_free in any case. */
gemp_code gemp_elements_fetch(gemp_elements *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_frame_column *columns, size_t count, size_t rows, bool ranks);

void gemp_elements_free(gemp_elements *elements);

/* NULL for GEMP_NO_ELEMENT. Strings are borrowed. */
gemp_value gemp_elements_key(const gemp_elements *elements, uint64_t vertex);
gemp_value gemp_elements_rank(const gemp_elements *elements, uint64_t vertex);
/* NULL for GEMP_NO_ELEMENT. */
const gemp_edge_ends *gemp_elements_ends(const gemp_elements *elements, uint64_t edge);
gemp_value gemp_elements_type(const gemp_elements *elements, uint64_t edge);

/* The order of ORDER BY: vertices by key; edges by type, keys of source and target, parallel number; none comes
 * last. */
int gemp_elements_compare(const gemp_elements *elements, gemp_cell_kind kind, uint64_t a, uint64_t b);

/* Collective. Replaces each row, in place, by the smallest of its orbit under the chain's group, so that rows depend
 * neither on seeds, ranks nor devices. Elements of the rows are fetched and numbered in the order above, and each row
 * is made canonical as a tuple of these numbers: vertices along the chain, then edges. Edges that rows do not carry
 * count as equal; elements of OPTIONAL MATCH stay. */
gemp_code gemp_representative_choose(gemp_runtime *context, gemp_shard *graph, const gemp_stab_chain *chain,
                                     const gemp_pattern *pattern, gemp_row_store *rows);

#endif
