/* new_schema: the attributes and label sets of the graph after a step.
 *
 * An integer attribute that is set to a float becomes a float attribute; other changes of type are refused with
 * their place in the rules.
 */

#ifndef GEMP_TRANSFORM_APPLY_NEW_SCHEMA_H
#define GEMP_TRANSFORM_APPLY_NEW_SCHEMA_H

#include "partition/patch/patch.h"
#include "transform/apply/changes.h"

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
