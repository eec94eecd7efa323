/* parts: a rank's samples in parts that its device has room for, with keys of their best units.
 *
 * If all fit they stay on the device. Else two parts do, and the next one comes while kernels work on the last one:
 *
 *   for (size_t p = 0; p < parts->count; p++)
 *       gemp_som_parts_take(parts, p, &part) -> kernels are launched on it -> gemp_som_parts_leave(parts, part)
 */
#ifndef GEMP_SOM_PARTS_H
#define GEMP_SOM_PARTS_H

#include "som/room.h"
#include "som/samples.h"

typedef struct gemp_som_part {
	size_t number;         /* SIZE_MAX: none */
	size_t first;          /* its first sample, among those of the rank */
	gemp_som_samples samples;
	gemp_buffer best;      /* uint64_t[samples.count] keys */
	gemp_buffer second;    /* the same; none unless asked for */
	cl_event left;         /* kernels that were launched on it have ended; NULL: none were */
} gemp_som_part;

typedef struct gemp_som_parts {
	gemp_device *device;   /* borrowed, as is x */
	const float *x;        /* [samples][dims] */
	size_t samples;
	uint32_t dims;
	size_t each, count;    /* samples of a part, but for the last; parts, at least one */
	size_t held, last;     /* parts on the device, and the one that was last taken */
	gemp_som_part *part;   /* [held] */
	uint64_t *keys;        /* [samples], where parts come and go and keys are wanted again; else NULL */
} gemp_som_parts;

/* x, NAN where a value is missing, outlives the parts. two: second keys. again: keys of an epoch's first round are wanted in
 * later ones. */
gemp_code gemp_som_parts_new(gemp_som_parts *out, gemp_device *device, const float *x, const gemp_som_need *need,
                             const gemp_som_room *room, bool two, bool again);
void gemp_som_parts_free(gemp_som_parts *parts);
/* Part p is on the device, until it is left and another one taken. */
gemp_code gemp_som_parts_take(gemp_som_parts *parts, size_t p, gemp_som_part **out);
/* Nothing more is launched on it for now. */
gemp_code gemp_som_parts_leave(gemp_som_parts *parts, gemp_som_part *part);
/* What a search has found, before the part is left; the same, once it is taken again. */
gemp_code gemp_som_parts_keep_keys(gemp_som_parts *parts, const gemp_som_part *part);
gemp_code gemp_som_parts_recall_keys(gemp_som_parts *parts, const gemp_som_part *part);

#endif
