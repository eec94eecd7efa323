/* point_reader: reads single rows, values and keys of a graph file by position, without the arrays around them.
 *
 * All functions are local: the rank that calls them needs no other rank, and what it reads does not depend on the
 * number of ranks. Only the graph's schema must be loaded. The caller calls `begin` before its first read and, if that
 * succeeds, `end` after its last; a series of reads may lie within another. Each value that is read is checked by
 * itself: vertices are below the number of vertices, rows ascend, and positions are within their arrays. What is
 * read is compared with the seal of the file, but not with checksums, because a checksum is of a whole array. */

#ifndef GEMP_GRAPH_POINT_READER_H
#define GEMP_GRAPH_POINT_READER_H

#include "graph/column.h"

/* How entries of an index of values compare with a value. */
typedef enum gemp_bound {
	GEMP_BOUND_LESS,   /* less than the value */
	GEMP_BOUND_UP_TO,  /* less than or equal to it */
	GEMP_BOUND_PREFIX, /* strings that are less than it or begin with it */
} gemp_bound;

typedef struct gemp_point_reader {
	void *self;
	/* *same: the path still leads to a file with the graph and the indexes of values that it had when the graph was
	 * opened. If it is false, nothing may be read. */
	gemp_code (*begin)(void *self, bool *same);
	void (*end)(void *self);
	/* *position becomes the number of entries at the beginning of index number `index` of values that compare so. It is
	 * known to be at least `from`, and is found faster if it is near. */
	gemp_code (*position)(void *self, size_t index, gemp_bound bound, const gemp_value *value, uint64_t from,
	                      uint64_t *position);
	/* ids[count] become the vertices of the entries from `first` on. */
	gemp_code (*entries)(void *self, size_t index, uint64_t first, size_t count, gemp_vertex *ids);
	/* *found: the vertex with this key was found. Without it the key may still be in the graph, if the vertices have
	 * another order than by the hashes of their keys or by their keys. */
	gemp_code (*find_key)(void *self, const gemp_value *key, gemp_vertex *id, bool *found);
	/* The row of a vertex in a relation has the entries [bounds[0], bounds[1]). part: GEMP_LOAD_OUT or GEMP_LOAD_IN,
	 * and GEMP_LOAD_EITHER of a relation whose rows are merged. */
	gemp_code (*bounds)(void *self, size_t relation, unsigned part, gemp_vertex id, uint64_t bounds[2]);
	/* neighbours[] and edges[] get these entries, and the numbers of their edges in the relation. In GEMP_LOAD_EITHER,
	 * edges[] get the position of each entry among equal ones. */
	gemp_code (*row)(void *self, size_t relation, unsigned part, const uint64_t bounds[2], gemp_vertex *neighbours,
	                 gemp_edge *edges);
	/* *keys, which has a name and a type, gets the keys of ids[count], and ranks[count] their positions among all. */
	gemp_code (*keys)(void *self, const gemp_vertex *ids, size_t count, gemp_column *keys, uint32_t *ranks);
	gemp_code (*label_sets)(void *self, const gemp_vertex *ids, size_t count, uint32_t *sets);
	/* *values, which has a name and a type, gets the values of an attribute. ids[count] ascend. */
	gemp_code (*attribute)(void *self, size_t attribute, const gemp_vertex *ids, size_t count, gemp_column *values);
	gemp_code (*edge_attribute)(void *self, size_t relation, size_t attribute, const gemp_edge *edges, size_t count,
	                            gemp_column *values);
} gemp_point_reader;

#endif
