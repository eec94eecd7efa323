/* samples: a rank's vectors on its device, column by column, so that neighbouring work-items read neighbouring samples.
 *
 * gemp_som_samples is one set of them: x[dims][count], with present[dims][count] where values may be missing. gemp_som_blocks
 * has all samples of a rank, in one block if the device has room. Else two blocks are on the device, and the next one is copied
 * while kernels work on the last one:
 *
 *   for (size_t p = 0; p < blocks->count; p++)
 *       gemp_som_blocks_acquire(blocks, p, &block) -> kernels are launched on it -> gemp_som_blocks_release(blocks, block)
 *
 * gemp_som_capacity_find plans what is on the device at the same time: samples, units of the codebook, and planes of values
 * (som/train/unit_update.h). Every plan gives the same result, a little later.
 */

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
/* No samples yet, and room for max_count. */
gemp_code gemp_som_samples_reserve(gemp_som_samples *out, gemp_device *device, size_t max_count, uint32_t dims,
                                   bool missing);
/* Replaces the samples. The copy is enqueued beside kernels, waits for the event `after` (NULL: for none), and has ended on
 * return. */
gemp_code gemp_som_samples_fill(gemp_som_samples *samples, const float *x, size_t count, cl_event after);
/* The same for samples from `begin` on; the count of all of them is set already. */
gemp_code gemp_som_samples_put(gemp_som_samples *samples, const float *x, size_t begin, size_t count, cl_event after);
/* Bytes on the device of a sample. */
size_t gemp_som_sample_bytes(uint32_t dims, bool missing);
void gemp_som_samples_free(gemp_som_samples *samples);

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
	gemp_som_block *block; /* [resident] */
	uint64_t *keys;        /* [samples], where parts come and go and keys are wanted again; else NULL */
} gemp_som_blocks;

/* x, NAN where a value is missing, outlives the parts. with_second: blocks have second keys. keep_keys: keys of an epoch's first
 * round are wanted in later ones. */
gemp_code gemp_som_blocks_new(gemp_som_blocks *out, gemp_device *device, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *capacity, bool with_second, bool keep_keys);
void gemp_som_blocks_free(gemp_som_blocks *blocks);
/* Block p is on the device, until it is released and another one acquired. */
gemp_code gemp_som_blocks_acquire(gemp_som_blocks *blocks, size_t p, gemp_som_block **out);
/* Kernels on the block are enqueued: the next block may be copied. */
gemp_code gemp_som_blocks_release(gemp_som_blocks *blocks, gemp_som_block *block);
/* The keys that a search has found, before the block is released; and the same, once it is acquired again. */
gemp_code gemp_som_blocks_save_keys(gemp_som_blocks *blocks, const gemp_som_block *block);
gemp_code gemp_som_blocks_restore_keys(gemp_som_blocks *blocks, const gemp_som_block *block);

#endif
