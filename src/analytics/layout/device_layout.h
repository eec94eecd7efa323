/* device_layout: a layout's rows on a device: begin[rows + 1], end[edges], weight[edges] for each kind of rows.
 *
 * A CPU device reads the host's arrays in place, so the layout must outlive the device rows; a GPU has copies. Offsets
 * have 32 bits unless a rank has nearly 2^32 edges.
 */

#ifndef GEMP_ANALYTICS_LAYOUT_DEVICE_LAYOUT_H
#define GEMP_ANALYTICS_LAYOUT_DEVICE_LAYOUT_H

#include "analytics/layout/layout.h"
#include "device/device.h"

typedef struct gemp_device_rows {
	uint32_t rows;
	uint64_t edges;
	gemp_buffer begin;  /* [rows + 1] u32, or u64 if the layout is wide */
	gemp_buffer end;    /* [edges] u32 */
	gemp_buffer weight; /* [edges] gas_weight; unused bytes if unweighted */
	uint32_t *narrow;   /* begin on the host, for a CPU device; else NULL */
} gemp_device_rows;

typedef struct gemp_device_layout {
	gemp_device *device;                                   /* borrowed */
	const gemp_layout *layout;                             /* borrowed */
	bool wide;                                             /* begin[] has 64 bits (gemp_layout_wide) */
	gemp_device_rows in, in_ghost, in_other, in_sums, out; /* the parts that were loaded */
	bool shared_out;                                       /* the buffers of `out` are those of `in` */
	double seconds;                                        /* of copying */
} gemp_device_layout;

/* Are edges numbered in 64 bits? Kernels count beyond the last edge by less than 2^16: by a slice, or by four times the
 * work-items of a group, which must not overflow 32 bits. */
static inline bool gemp_layout_wide(uint64_t edges)
{
	return edges > UINT32_MAX - UINT16_MAX;
}

/* Local. parts: which of the layout's rows to load, GEMP_LAYOUT_IN, GEMP_LAYOUT_OUT or both. */
gemp_code gemp_device_layout_new(gemp_device_layout *out, gemp_device *device, const gemp_layout *layout,
                                 unsigned parts);
void gemp_device_layout_free(gemp_device_layout *layout);

/* Compiler options of programs that include gas.clh: how rows and weights are kept, as in " -DGAS_WIDE
 * -DGAS_WEIGHTS=1". */
enum { GEMP_LAYOUT_OPTIONS_SIZE = 64 };
void gemp_device_layout_options(const gemp_device_layout *layout, char options[GEMP_LAYOUT_OPTIONS_SIZE]);

#endif
