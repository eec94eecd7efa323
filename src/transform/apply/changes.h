/* changes: lists the changes of the selected matches of a step, before the graph changes.
 *
 * A new vertex stays on the rank that found its match. Its key is above all keys of the graph and follows from the
 * number of its match, so keys do not depend on the number of ranks. Updates of matched vertices and edges are sent to
 * the owners of these elements, one update after the other. */

#ifndef GEMP_TRANSFORM_APPLY_CHANGES_H
#define GEMP_TRANSFORM_APPLY_CHANGES_H

#include "partition/exchange/value_exchange.h"
#include "pattern/model/rule.h"
#include "query/rows/elements.h"

/* The selected matches of this rank, and the keys of the vertices that they create. New keys are integers above the
 * largest key. If keys are strings, new keys are "#1", "#2", ... above the largest key of this form. */
typedef struct gemp_new_vertices {
	const gemp_rule *rule;
	const gemp_frame *frame;
	const uint64_t *number; /* [frame->rows] number of a selected match among the selected matches of all ranks */
	size_t count;
	uint64_t *rows;         /* [count] rows of the frame with selected matches, ascending */
	gemp_type type;         /* type of the keys */
	int64_t first;          /* smallest new key, if the rule creates vertices */
	gemp_elements elements; /* the matched vertices, after gemp_new_vertices_fetch */
	char text[32];          /* the string of the last call of gemp_new_vertices_key */
} gemp_new_vertices;

/* Collective. selected[frame->rows] is nonzero for matches that are applied. `applied` is their number on all ranks. */
gemp_code gemp_new_vertices_new(gemp_new_vertices *out, const gemp_comm *comm, gemp_shard *graph, const gemp_rule *rule,
                                const gemp_frame *frame, const uint8_t *selected, const uint64_t *number,
                                uint64_t applied);
void gemp_new_vertices_free(gemp_new_vertices *created);
/* Collective. Fetches the keys of matched vertices, which the change log uses as names. */
gemp_code gemp_new_vertices_fetch(gemp_new_vertices *created, gemp_runtime *context, gemp_shard *graph);
/* Returns the key of a vertex of this row. The vertex is created, or it is matched and its key was fetched. A string is
 * valid until the next call. The key is NULL if the match lacks the vertex. */
gemp_value gemp_new_vertices_key(gemp_new_vertices *created, const gemp_rule_element *element, size_t row);

/* One update of the rule: the elements of this rank that it changes, each listed once, and their new values. */
typedef struct gemp_change {
	size_t count;
	uint64_t *elements; /* [count] */
	gemp_column values; /* [count] if gemp_update_has_column */
	/* [count] for GEMP_MERGE: the vertex that receives the edges, in the form of an end of gemp_patch_edges */
	uint64_t *into;
} gemp_change;

/* Returns whether each match has its own value, in the update's column of the rows. */
static inline bool gemp_update_has_column(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE && !u->constant;
}

typedef struct gemp_changes {
	const gemp_rule *rule;
	gemp_edge_owners edge_owners; /* owners of the edges before the step */
	gemp_change *changes;         /* [rule->update_count]; empty for updates of created elements */
} gemp_changes;

/* Collective. Sends the updates to the owners of their elements. */
gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_new_vertices *created);
void gemp_changes_free(gemp_changes *changes);

#endif
