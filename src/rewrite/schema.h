/* schema: the attributes of a graph and those that the updates of a rule give it. */
#ifndef GEMP_REWRITE_SCHEMA_H
#define GEMP_REWRITE_SCHEMA_H

#include "partition/patch.h"
#include "pattern/rule.h"
#include "query/frame.h"

/* Attributes of vertices, or of edges in whatever relation; those of the graph first. An integer attribute that is
 * set to a float becomes one of floats; other changes of type are refused with their place. */
gemp_code gemp_schema_find(gemp_patch_columns *out, const gemp_graph *graph, const gemp_rules *rules,
                           const gemp_rule *rule, const gemp_frame *frame, bool edges);
/* Its place; columns->count if there is none. */
size_t gemp_schema_place(const gemp_patch_columns *columns, const char *name);

#endif
