/* record: writes the changes of a step as lines of JSON, before the step is applied.
 *
 * The lines of a step are ordered by match. Each match first lists its creations and its updates of attributes, labels,
 * types and single edges, in the order of the rule. The edges that vanish with its deleted or merged vertices follow,
 * and then these vertices. Values and names of edges are those before the step. The log does not depend on the number
 * of ranks. */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_H

#include "transform/apply/changes.h"

typedef struct gemp_recorder {
	void *self;
	/* Collective. Each rank writes a block of whole lines. The blocks follow one another in rank order. */
	gemp_code (*write)(void *self, const char *bytes, size_t size);
	uint64_t lines; /* number of changes of all ranks so far */
	/* columns without rows: all attributes that edges have had, since the graph drops unused columns */
	gemp_table seen;
} gemp_recorder;

/* Local. Adds an attribute of edges. If both integers and floats occur, its type becomes float. */
gemp_code gemp_recorder_add_attribute(gemp_recorder *recorder, const char *name, gemp_type type);
void gemp_recorder_free(gemp_recorder *recorder);

/* Collective. Must be called before the step is applied. selected[created->frame->rows] is nonzero for matches that are
 * applied, `applied` is their number on all ranks, and `step` is the number of the step from 0. */
gemp_code gemp_record_step(gemp_recorder *recorder, gemp_runtime *context, gemp_shard *graph,
                           gemp_new_vertices *created, const uint8_t *selected, uint64_t applied, uint64_t step);

#endif
