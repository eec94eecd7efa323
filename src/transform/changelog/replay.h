/* replay: applies the edits of a change log to a graph.
 *
 * An edit, together with the element that it touches, is sent to the rank to which the key of the vertex hashes. For an
 * edge this is the key of its source. All other elements go directly from their owners to the builder of the new
 * graph. */

#ifndef GEMP_TRANSFORM_CHANGELOG_REPLAY_H
#define GEMP_TRANSFORM_CHANGELOG_REPLAY_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "transform/changelog/edit.h"

typedef struct gemp_replay_options {
	gemp_runtime *context;
	gemp_shard *graph;                             /* its keys must be loaded */
	const char *path;                              /* path of the log, for messages */
	const gemp_table *vertex_schema, *edge_schema; /* attributes of the new graph: columns without rows */
	bool string_keys;                              /* the same as in gemp_builder_options */
} gemp_replay_options;

typedef struct gemp_replay gemp_replay;

/* Collective. The options are copied. The objects to which they point are borrowed. */
gemp_code gemp_replay_new(gemp_replay **out, const gemp_replay_options *options);
void gemp_replay_free(gemp_replay *replay); /* does nothing for NULL */
/* Local. Adds an edit. Edits must be added in the order of lines, and lower ranks must have the earlier lines. The edit
 * and its texts are copied. */
gemp_code gemp_replay_add(gemp_replay *replay, const gemp_edit *edit);
/* Collective. *out becomes the new graph. The old graph is not changed. */
gemp_code gemp_replay_finish(gemp_replay *replay, gemp_shard **out);

#endif
