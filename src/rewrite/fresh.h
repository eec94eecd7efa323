/* fresh: the vertices that chosen matches create, at the rank that found them, and their keys. */
#ifndef GEMP_REWRITE_FRESH_H
#define GEMP_REWRITE_FRESH_H

#include "core/text.h"
#include "pattern/rule.h"
#include "query/elements.h"

/* Integer keys go on above the greatest; where the graph has strings as keys, they are "#1", "#2", ... above the
 * greatest of that form. Of the matches in their order, and in one of them as the rule creates them. */
typedef struct gemp_fresh {
	const gemp_rule *rule;
	const gemp_frame *frame;
	const uint64_t *number; /* [frame->rows] of a chosen match among all chosen */
	size_t count;
	uint64_t *rows;         /* [count] of the frame: chosen matches */
	gemp_type type;         /* of keys */
	int64_t first;          /* the least new key, if the rule creates vertices */
	gemp_elements elements; /* matched ones, where they were asked for */
	char text[32];          /* of the newest string */
} gemp_fresh;

/* Collective. chosen[frame->rows]: nonzero for matches that are applied; `applied` of all ranks. */
gemp_code gemp_fresh_new(gemp_fresh *out, const gemp_comm *comm, gemp_graph *graph, const gemp_rule *rule,
                         const gemp_frame *frame, const uint8_t *chosen, const uint64_t *number, uint64_t applied);
void gemp_fresh_free(gemp_fresh *fresh);
/* Collective. The keys of matched vertices, too. */
gemp_code gemp_fresh_fetch(gemp_fresh *fresh, gemp_context *context, gemp_graph *graph);
/* Of a created vertex, or a matched one, if they were fetched; a string holds until the next call. NULL where a match
 * has none. */
gemp_value gemp_fresh_key(gemp_fresh *fresh, const gemp_rule_element *element, size_t row);

#endif
