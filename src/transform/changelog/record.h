/* record: the changes of a step as lines of JSON, written before the step is applied.
 *
 * The lines of a step are ordered by match. Each match lists its updates of attributes, labels, types and single
 * edges and its creations in the order of the rule; then the edges that vanish with its deleted or merged
 * vertices; then these vertices. Values and names of edges are those before the step. The log is the same for
 * every number of ranks.
 */

#ifndef GEMP_TRANSFORM_CHANGELOG_RECORD_H
#define GEMP_TRANSFORM_CHANGELOG_RECORD_H

#include "transform/apply/new_vertices.h"

/* Where lines go, and what they were so far. */
typedef struct gemp_recorder {
	void *self;
	/* Collective. Blocks of whole lines, one a rank, in the order of ranks. */
	gemp_code (*write)(void *self, const char *bytes, size_t size);
	uint64_t lines;  /* of changes, on all ranks */
	gemp_table seen; /* attributes that edges have had, without rows: the graph forgets those that no edge has left */
} gemp_recorder;

/* Local. An attribute is seen; of integers and floats it has floats. */
gemp_code gemp_recorder_add_attribute(gemp_recorder *recorder, const char *name, gemp_type type);
void gemp_recorder_free(gemp_recorder *recorder);

/* Collective, before the step is applied. selected[fresh->frame->rows]: nonzero for matches that are applied, `applied`
 * of all ranks; step: its number, from 0. */
gemp_code gemp_record_step(gemp_recorder *recorder, gemp_runtime *context, gemp_shard *graph,
                           gemp_new_vertices *created, const uint8_t *selected, uint64_t applied, uint64_t step);

#endif
