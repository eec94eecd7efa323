/* changes: what becomes of the vertices and edges that a rank owns, by the updates of a rule, sent by the ranks that
 * found the chosen matches. */
#ifndef GEMP_TRANSFORM_CHANGES_H
#define GEMP_TRANSFORM_CHANGES_H

#include "transform/fresh.h"

/* Of one update: the elements that it is about here, and for each its value: of GEMP_SET_ATTRIBUTE, where that is not
 * constant, and of GEMP_MERGE the key of the vertex that takes its place. */
typedef struct gemp_change {
	size_t count;
	uint64_t *elements; /* [count] */
	gemp_column values; /* of no type that matters where there are none */
} gemp_change;

typedef struct gemp_changes {
	const gemp_rule *rule;
	uint64_t *offsets;    /* [relation_count + 1] numbers of the relations' first edges */
	gemp_change *changes; /* [rule->update_count] none for what is created */
} gemp_changes;

/* Collective. chosen[frame->rows]: nonzero for matches that are applied. */
gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_graph *graph, gemp_fresh *fresh,
                            const uint8_t *chosen);
void gemp_changes_free(gemp_changes *changes);

/* Has the update a value for each element? */
bool gemp_update_varies(const gemp_update *update);

#endif
