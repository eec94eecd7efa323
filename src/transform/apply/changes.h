/* changes: what the selected matches of a step change, listed before the graph changes.
 *
 * New vertices stay on the ranks that found their matches. Each gets a key above all keys of the graph, by the number
 * of its match, so keys are the same for every number of ranks. Updates of matched vertices and edges are sent to the
 * owners of these elements, one update after the other.
 */

#ifndef GEMP_TRANSFORM_APPLY_CHANGES_H
#define GEMP_TRANSFORM_APPLY_CHANGES_H

#include "partition/exchange/value_exchange.h"
#include "pattern/model/rule.h"
#include "query/rows/elements.h"

/* The selected matches of this rank, and the keys of the vertices that they create: integers above the largest key or,
 * in a graph whose keys are strings, "#1", "#2", ... above the largest key of this form. */
typedef struct gemp_new_vertices {
	const gemp_rule *rule;
	const gemp_frame *frame;
	const uint64_t *number; /* [frame->rows] of a selected match among those of all ranks */
	size_t count;
	uint64_t *rows;         /* [count] rows of the frame that are selected matches, ascending */
	gemp_type type;         /* of keys */
	int64_t first;          /* the smallest new key, if the rule creates vertices */
	gemp_elements elements; /* matched vertices, after gemp_new_vertices_fetch */
	char text[32];          /* the string that gemp_new_vertices_key made last */
} gemp_new_vertices;

/* Collective. selected[frame->rows]: nonzero for matches that are applied; applied: their number on all ranks. */
gemp_code gemp_new_vertices_new(gemp_new_vertices *out, const gemp_comm *comm, gemp_shard *graph, const gemp_rule *rule,
                                const gemp_frame *frame, const uint8_t *selected, const uint64_t *number,
                                uint64_t applied);
void gemp_new_vertices_free(gemp_new_vertices *created);
/* Collective. Fetches the keys of matched vertices, by which the change log names them. */
gemp_code gemp_new_vertices_fetch(gemp_new_vertices *created, gemp_runtime *context, gemp_shard *graph);
/* The key of a vertex of this row: of a created one, or of a matched one if keys were fetched. A string is valid until
 * the next call. NULL where the match lacks the vertex. */
gemp_value gemp_new_vertices_key(gemp_new_vertices *created, const gemp_rule_element *element, size_t row);

/* One update of the rule: the elements of this rank that it changes, each once, and their new values. */
typedef struct gemp_change {
	size_t count;
	uint64_t *elements; /* [count] */
	gemp_column values; /* [count] if gemp_update_has_column */
	uint64_t *into;     /* [count] of GEMP_MERGE: the vertex that receives the edges, as an end of gemp_patch_edges */
} gemp_change;

/* Does each match have a value of its own, in the update's column of the rows? */
static inline bool gemp_update_has_column(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE && !u->constant;
}

typedef struct gemp_changes {
	const gemp_rule *rule;
	gemp_edge_owners edge_owners; /* before the step */
	gemp_change *changes;         /* [rule->update_count]; empty for updates of created elements */
} gemp_changes;

/* Collective. */
gemp_code gemp_changes_send(gemp_changes *out, const gemp_comm *comm, const gemp_shard *graph,
                            const gemp_new_vertices *created);
void gemp_changes_free(gemp_changes *changes);

#endif
