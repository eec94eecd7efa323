/* new_schema: the attributes and label sets of the graph after a step.
 *
 * An integer attribute that is set to a float becomes a float attribute; other changes of type are refused with
 * their place in the rules.
 */

#ifndef GEMP_TRANSFORM_APPLY_NEW_SCHEMA_H
#define GEMP_TRANSFORM_APPLY_NEW_SCHEMA_H

#include "partition/exchange/value_exchange.h"
#include "partition/patch/patch.h"
#include "transform/apply/new_vertices.h"

/* changes: the updates of a step, sent from the ranks that found the selected matches to the ranks that own the
 * changed vertices and edges. */

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

/* Attributes of vertices, or of edges in whatever relation; those of the graph first. An integer attribute that is
 * set to a float becomes one of floats; other changes of type are refused with their place. */
gemp_code gemp_new_schema_columns(gemp_patch_columns *out, const gemp_shard *graph, const gemp_rule_set *rules,
                                  const gemp_rule *rule, const gemp_frame *frame, bool edges);
/* Its place; columns->count if there is none. */
size_t gemp_new_schema_column(const gemp_patch_columns *columns, const char *name);

/* relabel: sets of labels of vertices, as updates change them and new vertices get them. */

/* Local. Fills label_set, added_sets and sets of the patch, whose `added` is known; vertices are of the matches in
 * fresh->rows, and for each as the rule creates them. */
gemp_code gemp_new_schema_labels(gemp_patch *patch, const gemp_shard *graph, const gemp_new_vertices *created,
                                 const gemp_changes *changes);

#endif
