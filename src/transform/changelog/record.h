/* record: the changes of a step as lines of JSON, written before the step is applied.
 *
 * The lines of a step are ordered by match. Each match lists its updates of attributes, labels, types and single
 * edges and its creations in the order of the rule; then the edges that vanish with its deleted or merged
 * vertices; then these vertices. Values and names of edges are those before the step. The log is the same for
 * every number of ranks.
 */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_H

#include "transform/apply/changes.h"

typedef struct gemp_recorder {
	void *self;
	/* Collective. Each rank writes a block of whole lines; blocks follow one another in the order of ranks. */
	gemp_code (*write)(void *self, const char *bytes, size_t size);
	uint64_t lines;  /* changes so far, of all ranks */
	gemp_table seen; /* columns without rows: all attributes that edges have had; the graph drops unused columns */
} gemp_recorder;

/* Local. Adds an attribute of edges; integers become floats if both types occur. */
gemp_code gemp_recorder_add_attribute(gemp_recorder *recorder, const char *name, gemp_type type);
void gemp_recorder_free(gemp_recorder *recorder);

/* Collective, before the step is applied. selected[created->frame->rows]: nonzero for matches that are applied;
 * applied: their number on all ranks; step: its number, from 0. */
gemp_code gemp_record_step(gemp_recorder *recorder, gemp_runtime *context, gemp_shard *graph,
                           gemp_new_vertices *created, const uint8_t *selected, uint64_t applied, uint64_t step);

#endif
