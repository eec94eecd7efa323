/* new_vertices: the vertices that selected matches create, on the ranks that found the matches, and their keys. */

#ifndef GEMP_TRANSFORM_APPLY_NEW_VERTICES_H
#define GEMP_TRANSFORM_APPLY_NEW_VERTICES_H

#include "pattern/model/rule.h"
#include "query/rows/elements.h"

/* Integer keys go on above the greatest; where the graph has strings as keys, they are "#1", "#2", ... above the
 * greatest of that form. Of the matches in their order, and in one of them as the rule creates them. */
typedef struct gemp_new_vertices {
	const gemp_rule *rule;
	const gemp_frame *frame;
	const uint64_t *number; /* [frame->rows] of a selected match among all selected */
	size_t count;
	uint64_t *rows;         /* [count] of the frame: selected matches */
	gemp_type type;         /* of keys */
	int64_t first;          /* the least new key, if the rule creates vertices */
	gemp_elements elements; /* matched ones, where they were asked for */
	char text[32];          /* of the newest string */
} gemp_new_vertices;

/* Collective. selected[frame->rows]: nonzero for matches that are applied; `applied` of all ranks. */
gemp_code gemp_new_vertices_new(gemp_new_vertices *out, const gemp_comm *comm, gemp_shard *graph, const gemp_rule *rule,
                                const gemp_frame *frame, const uint8_t *selected, const uint64_t *number,
                                uint64_t applied);
void gemp_new_vertices_free(gemp_new_vertices *created);
/* Collective. The keys of matched vertices, too. */
gemp_code gemp_new_vertices_fetch(gemp_new_vertices *created, gemp_runtime *context, gemp_shard *graph);
/* Of a created vertex, or a matched one, if they were fetched; a string holds until the next call. NULL where a match
 * has none. */
gemp_value gemp_new_vertices_key(gemp_new_vertices *created, const gemp_rule_element *element, size_t row);

#endif
