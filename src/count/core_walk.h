/* core_walk: sums of products over the matches of a cyclic pattern, by threads of the host. Local.
 *
 * The pattern's vertices have factors (vertex_tables.h), into which the trees that hang on the pattern have been
 * folded. A match contributes the product of the factors of its vertices' images, once for each choice among parallel
 * edges. Vertices are bound one after the other. Of the rows that contain all candidates of a vertex the shortest is
 * walked, and the other rows are searched by galloping (Bentley and Yao 1976), since rows ascend. */

#ifndef GEMP_COUNT_CORE_WALK_H
#define GEMP_COUNT_CORE_WALK_H

#include "count/vertex_tables.h"

enum { GEMP_CORE_VERTICES = 12, GEMP_CORE_CHECKS = 16 };

/* Rows of all vertices of the graph. */
typedef struct gemp_core_rows {
	const uint64_t *begin;         /* [vertices + 1] */
	const gemp_vertex *neighbours; /* [begin[vertices]] ids, ascending in a row */
} gemp_core_rows;

/* The row of an earlier vertex, which contains the candidates. */
typedef struct gemp_core_check {
	int from; /* place of the vertex in the order */
	gemp_core_rows rows;
	bool exists; /* parallel edges count once */
} gemp_core_check;

typedef struct gemp_core_vertex {
	gemp_vertex_factor factor;
	size_t check_count; /* 0 only at the pivot, vertex 0 */
	gemp_core_check checks[GEMP_CORE_CHECKS];
} gemp_core_vertex;

typedef struct gemp_core_walk {
	const gemp_shard *graph;
	size_t count;
	gemp_core_vertex vertices[GEMP_CORE_VERTICES]; /* in the order in which they are bound */
} gemp_core_walk;

/* *sum becomes the sum over the matches whose pivot is a vertex of this rank. GEMP_EDATA if the matches of a pivot
 * exceed 64 bits. */
gemp_code gemp_core_walk_sum(const gemp_core_walk *walk, unsigned __int128 *sum);
/* Multiplies table[v] of each own vertex v by the sum over the matches whose pivot is v, without the pivot's factor. */
gemp_code gemp_core_walk_table(const gemp_core_walk *walk, uint64_t *table);

#endif
