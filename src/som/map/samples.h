/* samples: keeps a rank's vectors on its device, column by column, so adjacent work-items read adjacent addresses.
 *
 * gemp_som_samples is one set of samples: x[dims][count], and present[dims][count] if values may be missing.
 * gemp_som_blocks has all samples of a rank, in one block if they fit on the device. Otherwise two blocks are on the
 * device, and while kernels work on one block, the next block is copied:
 *
 *   for (size_t p = 0; p < blocks->count; p++)
 *       gemp_som_blocks_acquire(blocks, p, &block) -> launch kernels on it -> gemp_som_blocks_release(blocks, block)
 *
 * gemp_som_capacity_find plans how many samples, units of the codebook, and planes of values (som/train/unit_update.h)
 * are on the device at the same time. The result of a search or a training does not depend on the plan, but its time
 * does. */

#ifndef GEMP_SOM_MAP_SAMPLES_H
#define GEMP_SOM_MAP_SAMPLES_H

#include "device/device.h"

typedef struct gemp_som_samples {
	gemp_device *device;
	size_t count;
	uint32_t dims;
	bool missing;        /* values may be missing */
	gemp_buffer x;       /* float[dims][count]: 0 for a missing value, but NaN in samples without any value */
	gemp_buffer present; /* uint8_t[dims][count]: 1 if the value exists; empty unless `missing` */
} gemp_som_samples;

/* Returns whether any value of x[count][dims] is NaN. */
bool gemp_som_any_missing(const float *x, size_t count, uint32_t dims);

/* x: [count][dims], NaN for a missing value. */
gemp_code gemp_som_samples_new(gemp_som_samples *out, gemp_device *device, const float *x, size_t count, uint32_t dims);
/* Allocates buffers for max_count samples. */
gemp_code gemp_som_samples_reserve(gemp_som_samples *out, gemp_device *device, size_t max_count, uint32_t dims,
                                   bool missing);
/* Replaces all samples. The copy runs concurrently with kernels, after the event `after` (NULL: at once), and has ended
 * on return. */
gemp_code gemp_som_samples_fill(gemp_som_samples *samples, const float *x, size_t count, cl_event after);
/* Replaces `count` samples from number `begin` on. The caller sets samples->count before the call. */
gemp_code gemp_som_samples_put(gemp_som_samples *samples, const float *x, size_t begin, size_t count, cl_event after);
/* Returns the bytes of a sample on the device. */
size_t gemp_som_sample_bytes(uint32_t dims, bool missing);
void gemp_som_samples_free(gemp_som_samples *samples);

/* The numbers from which memory is planned. */
typedef struct gemp_som_need {
	size_t samples; /* number of this rank's samples */
	uint32_t dims, units;
	bool missing;      /* some rank's samples have missing values, so each value has a count */
	size_t keys;       /* bytes of a sample beside its values */
	size_t plane;      /* bytes of a unit in all planes of one value; 0 if there are no planes */
	size_t max_buffer; /* the part of `plane` that lies in one buffer */
	size_t other;      /* bytes that every plan needs */
} gemp_som_need;

typedef struct gemp_som_capacity {
	size_t samples;   /* samples of a block */
	bool all_samples; /* all blocks stay on the device */
	uint32_t units;   /* units of the codebook that are on the device at a time */
	uint32_t values;  /* values whose planes are on the device at a time */
} gemp_som_capacity;

/* Local. Plans by the device's free memory. Returns GEMP_ENOMEM if two samples, a unit, and the planes of one value do
 * not fit. */
gemp_code gemp_som_capacity_find(gemp_som_capacity *out, const gemp_device *device, const gemp_som_need *need);

typedef struct gemp_som_block {
	size_t number; /* number of the block; SIZE_MAX if the slot is empty */
	size_t first;  /* number of the block's first sample among the rank's samples */
	gemp_som_samples samples;
	gemp_buffer best;   /* uint64_t[samples.count] keys */
	gemp_buffer second; /* uint64_t[samples.count] keys of second-best units, if they are wanted */
	cl_event done;      /* end of the kernels that were launched on the block; NULL if there were none */
} gemp_som_block;

typedef struct gemp_som_blocks {
	gemp_device *device; /* borrowed, like x */
	const float *x;      /* [samples][dims] */
	size_t samples;
	uint32_t dims;
	size_t each, count;    /* samples of each block except the last; number of blocks, at least one */
	size_t resident, last; /* number of slots on the device; the slot that was acquired last */
	gemp_som_block *block; /* [resident] */
	/* [samples] keys on the host, if blocks are copied repeatedly and their keys are needed again; otherwise NULL */
	uint64_t *keys;
} gemp_som_blocks;

/* x[samples][dims], NAN for a missing value, must outlive the blocks. with_second: blocks have second keys. keep_keys:
 * later values of an epoch need the keys that the search has found with the first values. */
gemp_code gemp_som_blocks_new(gemp_som_blocks *out, gemp_device *device, const float *x, const gemp_som_need *need,
                              const gemp_som_capacity *capacity, bool with_second, bool keep_keys);
void gemp_som_blocks_free(gemp_som_blocks *blocks);
/* Makes sure that block p is on the device. The block stays there until it is released and another block is
 * acquired. */
gemp_code gemp_som_blocks_acquire(gemp_som_blocks *blocks, size_t p, gemp_som_block **out);
/* Called when all kernels on the block are enqueued. Starts to copy the next block. */
gemp_code gemp_som_blocks_release(gemp_som_blocks *blocks, gemp_som_block *block);
/* gemp_som_blocks_save_keys copies the keys that a search has found to the host, before the block is released. The
 * second function copies them back after the block is acquired again. Both do nothing if blocks->keys is NULL. */
gemp_code gemp_som_blocks_save_keys(gemp_som_blocks *blocks, const gemp_som_block *block);
gemp_code gemp_som_blocks_restore_keys(gemp_som_blocks *blocks, const gemp_som_block *block);

#endif
