/* changes: the updates of a step, sent from the ranks that found the selected matches to the ranks that own the
 * changed vertices and edges. */

#ifndef GEMP_TRANSFORM_APPLY_CHANGES_H
#define GEMP_TRANSFORM_APPLY_CHANGES_H

#include "partition/exchange/value_exchange.h"
#include "transform/apply/new_vertices.h"

/* Of one update: the elements that it is about here, each once, and what they get. */
typedef struct gemp_change {
	size_t count;
	uint64_t *elements; /* [count] */
	gemp_column values; /* [count] of GEMP_SET_ATTRIBUTE, where the value is not constant */
	uint64_t *into;     /* [count] of GEMP_MERGE: the vertex that gets the edges, as an end of gemp_patch_edges */
} gemp_change;

/* Each match has a value of its own: the update's column of the rows. */
static inline bool gemp_update_has_column(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE && !u->constant;
}

typedef struct gemp_changes {
	const gemp_rule *rule;
	gemp_edge_owners places;
	gemp_change *changes; /* [rule->update_count] none for what is created */
} gemp_changes;

/* Collective. */
gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_new_vertices *created);
void gemp_changes_free(gemp_changes *changes);

#endif
