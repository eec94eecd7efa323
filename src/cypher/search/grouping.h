/* grouping: the different tuples of known vertices for which the rows of a frame need a search, and the results of each
 * tuple. */

#ifndef GEMP_CYPHER_SEARCH_GROUPING_H
#define GEMP_CYPHER_SEARCH_GROUPING_H

#include "cypher/search/state.h"
#include "primitive/record_table.h"

typedef struct gemp_cypher_grouping {
	size_t width; /* vertices of a tuple; 0: all rows have the same tuple */
	size_t count; /* different tuples */
	gemp_record_table table;
	size_t *of_row; /* [rows of the frame] the tuple of each row */
} gemp_cypher_grouping;

/* Numbers the tuples of the rows, whose vertices stand in cells[width]. Call gemp_cypher_grouping_free also after a
 * failure. */
gemp_code gemp_cypher_grouping_new(gemp_cypher_grouping *g, const gemp_cypher_frame *frame, const size_t *cells,
                                   size_t width);
void gemp_cypher_grouping_free(gemp_cypher_grouping *g);
/* The vertices of tuple `index`. */
static inline const gemp_vertex *gemp_cypher_grouping_tuple(const gemp_cypher_grouping *g, size_t index)
{
	return gemp_record_table_record(&g->table, index);
}
/* The number of a tuple that some row has. */
size_t gemp_cypher_grouping_find(const gemp_cypher_grouping *g, const gemp_vertex *tuple);

/* Members of groups: those of group t are members[begin[t]] .. members[begin[t + 1] - 1], in ascending order. */
typedef struct gemp_cypher_groups {
	size_t *begin;   /* [groups + 1] */
	size_t *members; /* [begin[groups]] */
} gemp_cypher_groups;
/* group[count] is the group of each member 0 .. count - 1. */
gemp_code gemp_cypher_groups_new(gemp_cypher_groups *out, const size_t *group, size_t count, size_t groups);
void gemp_cypher_groups_free(gemp_cypher_groups *groups);

#endif
