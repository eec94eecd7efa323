/* replay: the edits of a change log applied to a graph.
 *
 * Edits and the elements that they touch are sent to the rank that the key of the vertex, or of the edge's source,
 * hashes to. All other elements go directly from their owners to the builder of the new graph.
 */

#ifndef GEMP_TRANSFORM_CHANGELOG_REPLAY_H
#define GEMP_TRANSFORM_CHANGELOG_REPLAY_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "transform/changelog/edit.h"

typedef struct gemp_replay_options {
	gemp_runtime *context;
	gemp_shard *graph;                             /* keys are loaded */
	const char *path;                              /* of the log, for messages */
	const gemp_table *vertex_schema, *edge_schema; /* of the new graph: columns without rows */
	bool string_keys;                              /* as gemp_builder_options has it */
} gemp_replay_options;

typedef struct gemp_replay gemp_replay;

/* Collective. The options are copied; the objects that they point to are borrowed. */
gemp_code gemp_replay_new(gemp_replay **out, const gemp_replay_options *options);
void gemp_replay_free(gemp_replay *replay); /* takes NULL */
/* Local. Edits are added in the order of lines, and the lines of lower ranks come first. The edit and its texts are
 * copied. */
gemp_code gemp_replay_add(gemp_replay *replay, const gemp_edit *edit);
/* Collective. *out becomes the new graph; the old one stays. */
gemp_code gemp_replay_finish(gemp_replay *replay, gemp_shard **out);

#endif
