/* stage: a step that rows take from the first clause to the output. Stages are chained, each pushes into the next. */
#ifndef GEMP_QUERY_STAGE_H
#define GEMP_QUERY_STAGE_H

#include "query/frame.h"

typedef struct gemp_stage {
	void *self;
	/* Collective. This rank's next rows, which the stage may change or take away; the caller clears what is left of them.
	 * last: no more come after these. *enough is set, alike on all ranks, when no more are wanted: then whatever stands
	 * behind has had its last rows. All ranks return the same code. */
	gemp_code (*push)(void *self, gemp_frame *frame, bool last, bool *enough);
	void (*free)(void *self);
} gemp_stage; /* {0}: none */

static inline void gemp_stage_free(gemp_stage *stage)
{
	if (stage->free)
		stage->free(stage->self);
	*stage = (gemp_stage){ 0 };
}

#endif
