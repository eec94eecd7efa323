/* tuple_index: numbers distinct tuples of vertices in the order of their first appearance. Local.
 *
 * Layout: tuples[count * width] in this order. Tuples of one vertex are found by an array over all vertices, unless the
 * graph is much larger than the number of tuples; other tuples are found by a hash table of slots
 * (primitive/record_table.h) that compares them in tuples[]. */

#ifndef GEMP_QUERY_SEARCH_TUPLE_INDEX_H
#define GEMP_QUERY_SEARCH_TUPLE_INDEX_H

#include "core/status.h"
#include "core/types.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_tuple_index {
	size_t width; /* vertices of a tuple, 1 or more */
	size_t count, capacity;
	gemp_vertex *tuples; /* [count * width] */
	uint64_t vertices;
	uint32_t *of_vertex; /* [vertices] 1 + the number of the tuple, 0: none; NULL: slots are used */
	size_t slot_count;
	uint64_t *slots; /* [slot_count] */
} gemp_tuple_index;

/* vertices: of the graph. expected: about how many tuples will be added. Call gemp_tuple_index_free also after a
 * failure. */
gemp_code gemp_tuple_index_init(gemp_tuple_index *index, size_t width, uint64_t vertices, size_t expected);
void gemp_tuple_index_free(gemp_tuple_index *index);

/* *number becomes the number of the tuple, which is added if it is new. */
gemp_code gemp_tuple_index_add(gemp_tuple_index *index, const gemp_vertex *tuple, size_t *number);
/* Returns the number of the tuple, or SIZE_MAX if it was not added. */
size_t gemp_tuple_index_find(const gemp_tuple_index *index, const gemp_vertex *tuple);
/* The hash of a tuple. */
uint64_t gemp_tuple_hash(const gemp_vertex *tuple, size_t width);

#endif
