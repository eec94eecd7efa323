/* device_layout: a layout's rows on a device. Each kind of rows has the arrays begin[rows + 1], end[edges] and
 * weight[edges].
 *
 * A CPU device reads the host's arrays in place, so the layout must outlive the device rows. A GPU has copies. Offsets
 * have 32 bits unless a rank has nearly 2^32 edges. */

#ifndef GEMP_ANALYTICS_LAYOUT_DEVICE_LAYOUT_H
#define GEMP_ANALYTICS_LAYOUT_DEVICE_LAYOUT_H

#include "analytics/layout/layout.h"
#include "device/device.h"

typedef struct gemp_device_rows {
	uint32_t rows;
	uint64_t edges;
	gemp_buffer begin;  /* [rows + 1] u32, or u64 if the layout is wide */
	gemp_buffer end;    /* [edges] u32 */
	gemp_buffer weight; /* [edges] gas_weight; not read if unweighted */
	uint32_t *narrow;   /* begin[] in 32 bits on the host, which a CPU device reads; otherwise NULL */
} gemp_device_rows;

/* Rows that a device has made while the layout was made (list_device.h). The layout owns them. */
struct gemp_made_rows {
	gemp_device *device;                /* borrowed */
	gemp_device_rows in, in_ghost, out; /* `out` may have the same buffers as `in` */
	double build;                       /* seconds of building kernels */
};
/* NULL is allowed. */
void gemp_made_rows_free(gemp_made_rows *made);

typedef struct gemp_device_layout {
	gemp_device *device;                                   /* borrowed */
	const gemp_layout *layout;                             /* borrowed */
	bool wide;                                             /* begin[] has 64 bits (gemp_layout_wide) */
	gemp_device_rows in, in_ghost, in_other, in_sums, out; /* empty unless loaded */
	bool shared_out;                                       /* `out` has the same buffers as `in` */
	bool borrowed;                                         /* the buffers belong to layout->made */
	double seconds;                                        /* seconds of copying, with those of building kernels */
	double build;                                          /* seconds of building kernels */
} gemp_device_layout;

/* Must edges be numbered in 64 bits? Kernels count beyond the last edge by less than 2^16 (a slice, or four times the
 * work-items of a group), and this must not overflow 32 bits. */
static inline bool gemp_layout_wide(uint64_t edges)
{
	return edges > UINT32_MAX - UINT16_MAX;
}

/* Local. parts: the rows to load, GEMP_LAYOUT_IN, GEMP_LAYOUT_OUT or both. If the layout has made rows, the device is
 * the one that has made them. */
gemp_code gemp_device_layout_new(gemp_device_layout *out, gemp_device *device, const gemp_layout *layout,
                                 unsigned parts);
void gemp_device_layout_free(gemp_device_layout *layout);

/* The compiler options of programs that include gas.clh, such as " -DGAS_WIDE -DGAS_WEIGHTS=1". They state the width of
 * offsets and the type of weights. */
enum { GEMP_LAYOUT_OPTIONS_SIZE = 64 };
void gemp_device_layout_options(const gemp_device_layout *layout, char options[GEMP_LAYOUT_OPTIONS_SIZE]);

#endif
