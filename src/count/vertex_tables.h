/* vertex_tables: the number of homomorphisms of a tree pattern by the image of its root.
 *
 * A table has a number for each vertex of the graph. The table of a tree pattern is made from its leaves: the number at
 * v is the sum over v's neighbours w of the number at w, multiplied over the children of the pattern vertex (the
 * counting form of Yannakakis 1981). So each pattern edge costs one pass over the edges of its types, however many
 * homomorphisms there are, and a leaf without candidates costs a pass over the vertices. Parallel edges are different
 * homomorphisms, and an edge without direction takes a loop once, as in the search.
 *
 * A fold carries values of one pattern vertex to the root in the same passes, so that the aggregate of the values over
 * all homomorphisms is known for each image of the root, and no homomorphism is enumerated (eager aggregation, Yan and
 * Larson 1995).
 *
 * A rank has the numbers of its own vertices, table[graph->rows]. The table of a pattern vertex that has a parent is
 * gathered by all ranks (8 bytes for each vertex of the graph), since its vertices are neighbours of any vertex. */

#ifndef GEMP_COUNT_VERTEX_TABLES_H
#define GEMP_COUNT_VERTEX_TABLES_H

#include "core/memory.h"
#include "partition/views/view_lists.h"

/* A number for each vertex of the graph: values[v] if v is a candidate, and otherwise 0. */
typedef struct gemp_vertex_factor {
	const uint32_t *bits;   /* candidates by id; NULL: any vertex */
	const uint64_t *values; /* [vertices] by id; NULL: 1 */
} gemp_vertex_factor;

/* Local. Multiplies table[v] of each own vertex v by the sum of the factor over v's neighbours in the lists, which are
 * those of a view that is not simple. Rows whose number is 0 are not read. GEMP_EDATA if a number exceeds 64 bits. */
gemp_code gemp_vertex_table_multiply(uint64_t *table, const gemp_shard *graph, const gemp_view_lists *lists,
                                     const gemp_vertex_factor *factor);
/* Local. Makes a table of 1 at own candidates and 0 at all other vertices. */
gemp_code gemp_vertex_table_new(uint64_t **out, const gemp_shard *graph, const uint32_t *bits);
/* Collective. Replaces the numbers of this rank's vertices by those of all vertices, by id. */
gemp_code gemp_vertex_table_gather(uint64_t **table, const gemp_comm *comm, const gemp_shard *graph);

/* A vertex of a tree pattern. Vertex 0 is the root, and parents come before their children. */
typedef struct gemp_tree_vertex {
	int parent;           /* -1: none */
	gemp_view_key key;    /* the rows from the parent's image to this vertex's; not simple, without edge numbers */
	const uint32_t *bits; /* candidates by id, of all vertices of the graph; NULL: any vertex */
} gemp_tree_vertex;

/* Collective. table[graph->rows] becomes the number of homomorphisms of the tree by the image of its root. Loads the
 * rows. GEMP_EDATA if a number exceeds 64 bits. */
gemp_code gemp_tree_table(uint64_t **table, const gemp_comm *comm, gemp_shard *graph, const gemp_tree_vertex *vertices,
                          size_t count);

/* How the values of several homomorphisms become one number. 0 is the number of none. */
typedef enum gemp_fold_kind {
	GEMP_FOLD_SUM, /* modulo 2^64, so two's complement sums, too */
	GEMP_FOLD_MAX,
	GEMP_FOLD_UNION /* of the bits of 64-bit words */
} gemp_fold_kind;

typedef struct gemp_tree_fold {
	size_t at; /* the vertex of the tree that has the values */
	gemp_fold_kind kind;
	uint64_t *values; /* [graph->rows] of this rank's vertices, 0 at no candidates; owned, and freed by the call */
} gemp_tree_fold;

/* Collective. table[graph->rows] becomes, by the image of the root, what the values of vertex fold->at become over all
 * homomorphisms of the tree. Otherwise like gemp_tree_table. */
gemp_code gemp_tree_table_fold(uint64_t **table, const gemp_comm *comm, gemp_shard *graph,
                               const gemp_tree_vertex *vertices, size_t count, gemp_tree_fold *fold);

/* Local. The sum of the table's numbers. */
unsigned __int128 gemp_vertex_table_sum(const uint64_t *table, size_t rows);

#endif
