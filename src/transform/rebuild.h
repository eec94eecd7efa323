/* rebuild: the graph with the changes of a step, as a new one. */
#ifndef GEMP_TRANSFORM_REBUILD_H
#define GEMP_TRANSFORM_REBUILD_H

#include "transform/changes.h"

typedef struct gemp_rebuild_options {
	const gemp_rules *rules;  /* for messages */
	const uint8_t *chosen;    /* [frame->rows] */
	bool string_keys;         /* as gemp_builder_options has it */
} gemp_rebuild_options;

/* Collective. What is not loaded of `graph` is loaded; it stays as it is. Keys stay. */
gemp_code gemp_rebuild(gemp_graph **out, gemp_context *context, gemp_graph *graph, gemp_fresh *fresh,
                       const gemp_changes *changes, const gemp_rebuild_options *options);

#endif
