/* new_schema: the attributes and label sets of the graph after a step.
 *
 * An integer attribute that is set to a float becomes a float attribute. Other changes of type are refused, with their
 * place in the rules. The label sets of the patch are numbered after the sets of the graph. */

#ifndef GEMP_TRANSFORM_APPLY_NEW_SCHEMA_H
#define GEMP_TRANSFORM_APPLY_NEW_SCHEMA_H

#include "partition/patch/patch.h"
#include "transform/apply/changes.h"

/* Local. Lists the attributes of vertices, or the attributes of the edges of all relations. The attributes of the graph
 * come first. */
gemp_code gemp_new_schema_columns(gemp_patch_columns *out, const gemp_shard *graph, const gemp_rule_set *rules,
                                  const gemp_rule *rule, const gemp_frame *frame, bool edges);
/* Returns the index of the attribute, or columns->count if there is no attribute of this name. */
size_t gemp_new_schema_column(const gemp_patch_columns *columns, const char *name);

/* Local. Fills label_set, added_sets and sets of the patch; its new_vertices must be set. The new vertices are in the
 * order of created->rows. The vertices of one match are in the order in which the rule creates them. */
gemp_code gemp_new_schema_labels(gemp_patch *patch, const gemp_shard *graph, const gemp_new_vertices *created,
                                 const gemp_changes *changes);

#endif
