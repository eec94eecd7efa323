/* apply: the changes that selected matches make to a graph, applied at once.
 *
 * The updates of a rule become a patch (partition/patch): deletions and merges, new values, new vertices and
 * edges, and label sets. The patch is local to each rank; only gemp_changes_send and gemp_shard_patch communicate.
 */

#ifndef GEMP_TRANSFORM_APPLY_APPLY_H
#define GEMP_TRANSFORM_APPLY_APPLY_H

#include "partition/patch/patch.h"
#include "transform/apply/new_vertices.h"

typedef struct gemp_apply_options {
	const gemp_rule_set *rules; /* for messages */
	bool string_keys;           /* as gemp_builder_options has it */
} gemp_apply_options;

/* Collective. *graph becomes the new graph; after an error it is good for gemp_shard_free only. What the context has
 * kept of it is forgotten. done: NULL, or filled, with what has changed; gemp_patch_result_free. */
gemp_code gemp_apply_matches(gemp_shard **graph, gemp_runtime *context, const gemp_new_vertices *created,
                             const gemp_apply_options *options, gemp_patch_result *done);

#endif
