/* apply: applies the selected matches of a step to a graph, all at the same time.
 *
 * The updates of a rule become a patch (partition/patch) of deletions and merges, new values, new vertices and edges,
 * and label sets. Each rank makes its own patch. Only gemp_changes_send and gemp_shard_patch communicate. */

#ifndef GEMP_TRANSFORM_APPLY_APPLY_H
#define GEMP_TRANSFORM_APPLY_APPLY_H

#include "partition/patch/patch.h"
#include "transform/apply/changes.h"

/* Collective. *graph becomes the new graph. After an error it can only be freed (gemp_shard_free). Rows of the old
 * graph that searches have kept in `context` follow the patch or are freed (gemp_resident_follow). `rules` is for
 * messages. `string_keys` is the same as in gemp_builder_options. If `changed` is not NULL, it gets the changes,
 * which gemp_patch_result_free frees; `origins`: with gemp_patch_result.origins. */
gemp_code gemp_apply_matches(gemp_shard **graph, gemp_runtime *context, const gemp_new_vertices *created,
                             const gemp_rule_set *rules, bool string_keys, bool origins, gemp_patch_result *changed);

#endif
