/* samples: some of a rank's vectors on its device, value by value, so that neighbouring work-items read neighbouring samples. */

#ifndef GEMP_SOM_MAP_SAMPLES_H
#define GEMP_SOM_MAP_SAMPLES_H

#include "device/device.h"

typedef struct gemp_som_samples {
	gemp_device *device;
	size_t count;
	uint32_t dims;
	bool missing;        /* some values may be */
	gemp_buffer x;       /* float[dims][count]: 0 where a value is missing, NaN in samples that have none at all */
	gemp_buffer present; /* uint8_t[dims][count]: 1 where there is a value; one byte unless `missing` */
} gemp_som_samples;

/* On the host. */
bool gemp_som_any_missing(const float *x, size_t count, uint32_t dims);

/* x: [count][dims], NaN where a value is missing. Buffers of no samples have room for one value. */
gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims);
/* None yet, and room for `most`. */
gemp_code gemp_som_samples_reserve(gemp_som_samples *out, gemp_device *device, size_t most, uint32_t dims,
                                   bool missing);
/* These in place of those that were there. The copy is on a queue beside kernels, once `after` has come to pass (NULL: at once),
 * and has ended on return. */
gemp_code gemp_som_samples_fill(gemp_som_samples *samples, const float *x, size_t count, cl_event after);
/* The same into the places from `begin` on; the count of all of them is set already. */
gemp_code gemp_som_samples_put(gemp_som_samples *samples, const float *x, size_t begin, size_t count, cl_event after);
/* Bytes on the device of a sample. */
size_t gemp_som_sample_bytes(uint32_t dims, bool missing);
void gemp_som_samples_free(gemp_som_samples *samples);

/* room: what of a training, or of a search, is on a device at the same time.
 *
 * All, if there is room. Else vectors come and go in parts, then planes of some values at a time are made, and some units at a
 * time are searched (som/map/samples.h, som/train/unit_update.h, som/map/codebook.h). Each finds the same, a little later.
 */

typedef struct gemp_som_need {
	size_t samples; /* of this rank */
	uint32_t dims, units;
	bool missing;      /* values of any rank's samples: there is a count for each value */
	size_t keys;       /* bytes of a sample beside its values */
	size_t plane;      /* bytes of a unit in all planes of one value; 0: there are no planes */
	size_t max_buffer; /* those of them in one buffer */
	size_t other;      /* bytes in any case */
} gemp_som_need;

typedef struct gemp_som_capacity {
	size_t samples;   /* of a part */
	bool all_samples; /* all parts stay on the device */
	uint32_t units;   /* of the codebook at a time */
	uint32_t values;  /* whose planes are there at a time */
} gemp_som_capacity;

/* By what the device has left. GEMP_ENOMEM if it has not room for two samples, a unit, and a value's planes. */
gemp_code gemp_som_capacity_find(gemp_som_capacity *out, const gemp_device *device, const gemp_som_need *need);

/* parts: a rank's samples in parts that its device has room for, with keys of their best units.
 *
 * If all fit they stay on the device. Else two parts do, and the next one comes while kernels work on the last one:
 *
 *   for (size_t p = 0; p < parts->count; p++)
 *       gemp_som_blocks_acquire(parts, p, &part) -> kernels are launched on it -> gemp_som_blocks_release(parts, part)
 */

typedef struct gemp_som_block {
	size_t number; /* SIZE_MAX: none */
	size_t first;  /* its first sample, among those of the rank */
	gemp_som_samples samples;
	gemp_buffer best;   /* uint64_t[samples.count] keys */
	gemp_buffer second; /* the same; none unless asked for */
	cl_event done;      /* kernels that were launched on it have ended; NULL: none were */
} gemp_som_block;

typedef struct gemp_som_blocks {
	gemp_device *device; /* borrowed, as is x */
	const float *x;      /* [samples][dims] */
	size_t samples;
	uint32_t dims;
	size_t each, count;    /* samples of a part, but for the last; parts, at least one */
	size_t resident, last; /* parts on the device, and the one that was last taken */
	gemp_som_block *part;  /* [held] */
	uint64_t *keys;        /* [samples], where parts come and go and keys are wanted again; else NULL */
} gemp_som_blocks;

/* x, NAN where a value is missing, outlives the parts. two: second keys. again: keys of an epoch's first round are wanted in
 * later ones. */
gemp_code gemp_som_blocks_new(gemp_som_blocks *out, gemp_device *device, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *room, bool two, bool again);
void gemp_som_blocks_free(gemp_som_blocks *parts);
/* Part p is on the device, until it is left and another one taken. */
gemp_code gemp_som_blocks_acquire(gemp_som_blocks *parts, size_t p, gemp_som_block **out);
/* Nothing more is launched on it for now. */
gemp_code gemp_som_blocks_release(gemp_som_blocks *parts, gemp_som_block *part);
/* What a search has found, before the part is left; the same, once it is taken again. */
gemp_code gemp_som_blocks_save_keys(gemp_som_blocks *parts, const gemp_som_block *part);
gemp_code gemp_som_blocks_restore_keys(gemp_som_blocks *parts, const gemp_som_block *part);

#endif
