/* apply: the changes that selected matches make to a graph, applied at once.
 *
 * The updates of a rule become a patch (partition/patch): deletions and merges, new values, new vertices and
 * edges, and label sets. The patch is local to each rank; only gemp_changes_send and gemp_shard_patch communicate.
 */

#ifndef GEMP_TRANSFORM_APPLY_APPLY_H
#define GEMP_TRANSFORM_APPLY_APPLY_H

#include "partition/patch/patch.h"
#include "transform/apply/changes.h"

/* Collective. *graph becomes the new graph; after an error it is good for gemp_shard_free only. Resident copies of the
 * old graph are dropped from the context. rules: for messages. string_keys: as gemp_builder_options has it. changed:
 * NULL, or filled with the changes; gemp_patch_result_free. */
gemp_code gemp_apply_matches(gemp_shard **graph, gemp_runtime *context, const gemp_new_vertices *created,
                             const gemp_rule_set *rules, bool string_keys, gemp_patch_result *changed);

#endif
