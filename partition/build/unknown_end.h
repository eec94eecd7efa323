/* unknown_end: edges whose source or target is no vertex, while the ends of edges are replaced by ids. Only the edge with
 * the lowest place is reported, and the others are counted. */

#ifndef GEMP_PARTITION_BUILD_UNKNOWN_END_H
#define GEMP_PARTITION_BUILD_UNKNOWN_END_H

#include "core/text.h"
#include "partition/build/edge_list.h"

#include <stdbool.h>

/* The edges of this rank with an end that is no vertex: the number of these edges, and the edge with the lowest
 * place. */
typedef struct gemp_unknown_end {
	uint64_t place, count;
	bool source;   /* true: the source is unknown; false: the target */
	gemp_text key; /* the unknown key, encoded; the text records a failed addition */
} gemp_unknown_end;

/* Local. Checks the ids of an edge's ends. Returns true if an end is unknown and the edge has the lowest place so far.
 * The caller then sets the key. */
bool gemp_unknown_end_note(gemp_unknown_end *unknown, const gemp_vertex ends[2], const gemp_edge_list *edges,
                           size_t edge);
/* Local. Notes the unknown ends of ends[first .. first + count), whose ids are ids[count]. `first` and `count` are
 * even. */
gemp_code gemp_unknown_ends_note(const gemp_edge_list *edges, size_t first, const gemp_vertex *ids, size_t count,
                                 gemp_unknown_end *unknown);
void gemp_unknown_end_free(gemp_unknown_end *unknown);

#endif
