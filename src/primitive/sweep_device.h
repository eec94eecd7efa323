/* sweep_device: radix sort on a device with one sweep over the keys for each digit (kernels/sweep.cl), in the form in groups.
 * Digits of the first sweep are counted together with those of all others, so that keys are read once less for each digit
 * than by passes of radix_device; but work-groups wait for what those that began before them have counted.
 */
#ifndef GEMP_PRIMITIVE_SWEEP_DEVICE_H
#define GEMP_PRIMITIVE_SWEEP_DEVICE_H

#include "primitive/toolbox_parts.h"

enum { GEMP_SWEEP_BITS = 8, GEMP_SWEEP_DIGITS = 8 };

/* Longer arrays are sorted by passes. */
#define GEMP_SWEEP_MOST ((size_t)1 << 30)

typedef struct gemp_sweep {
	gemp_toolbox *box;
	gemp_key_map map;
	unsigned value_size;
	unsigned digits; /* at most GEMP_SWEEP_DIGITS */
	unsigned char shift[GEMP_SWEEP_DIGITS]; /* where each begins, in bits */
	/* its own */
	size_t group, tiles;
	cl_uint count;
	gemp_buffer *status, *bins;
	cl_kernel move;
} gemp_sweep;

/* Counts all digits. Fewer than GEMP_SWEEP_MOST keys. Neither waits. */
gemp_code gemp_sweep_begin(gemp_sweep *sweep, const gemp_buffer *keys, size_t count);
/* Sweep after sweep, from 0 on. Buffers of values are only looked at if there are values. */
gemp_code gemp_sweep_move(const gemp_sweep *sweep, unsigned digit, const gemp_buffer *keys, const gemp_buffer *values,
                          const gemp_buffer *out_keys, const gemp_buffer *out_values);

#endif
