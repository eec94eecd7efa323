/* fresh: the keys of what chosen matches name and create, at the rank that found them. */
#ifndef GEMP_TRANSFORM_FRESH_H
#define GEMP_TRANSFORM_FRESH_H

#include "core/text.h"
#include "pattern/rule.h"
#include "query/elements.h"

/* Integer keys go on above the greatest; where the graph has strings as keys, they are "#1", "#2", ... above the
 * greatest of that form. Of the matches in their order, and in one of them as the rule creates them. */
typedef struct gemp_fresh {
	const gemp_rule *rule;
	const gemp_frame *frame;
	const uint64_t *number; /* [frame->rows] of a chosen match among all chosen */
	gemp_type type;         /* of keys */
	int64_t first;
	gemp_elements elements; /* matched ones */
	char text[32];          /* of the newest string */
} gemp_fresh;

/* Collective. chosen: of all ranks. */
gemp_code gemp_fresh_new(gemp_fresh *out, gemp_context *context, gemp_graph *graph, const gemp_rule *rule,
                         const gemp_frame *frame, const uint64_t *number, uint64_t chosen);
void gemp_fresh_free(gemp_fresh *fresh);
/* Of a matched or created vertex; a string holds until the next call. NULL where a match has none. */
gemp_value gemp_fresh_key(gemp_fresh *fresh, const gemp_rule_element *element, size_t row);

#endif
