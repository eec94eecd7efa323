/* binned: edges send values to bins of rows, where they are added up (kernels/analytics/gas_binned.clh; propagation
 * blocking, Beamer, Asanovic and Patterson 2017).
 *
 * The edges are put once into an order by bins of rows and within each bin by source, so only values move in each
 * round. source[edges], bin[edges] and weight[edges] lie by tile, a part of a bin; sums[tiles][range] are added per row
 * in a second launch. Rows with many edges (hubs) are left out and pulled (pull.h).
 */

#ifndef GEMP_ANALYTICS_DENSE_BINNED_H
#define GEMP_ANALYTICS_DENSE_BINNED_H

#include "analytics/dense/pull.h"

typedef struct gemp_dense_binned {
	gemp_device *device;  /* borrowed */
	bool groups;          /* the form for GPUs */
	uint32_t range, rows; /* rows of a bin, and of all bins */
	size_t group;
	cl_uint tiles, tickets_used; /* tickets_used: CPUs: tickets that were taken so far */
	uint32_t *host_source;       /* a CPU device reads these arrays in place; NULL on a GPU */
	uint16_t *host_bin;
	void *host_weight;
	gemp_buffer source; /* [edges] local vertices */
	gemp_buffer bin;    /* [edges] rows within their bin */
	gemp_buffer weight; /* [edges] */
	gemp_buffer tile;   /* [tiles] first edge, and the edge after the last */
	gemp_buffer first;  /* [ranges + 1] first tile of each bin */
	gemp_buffer sums;   /* [tiles][range] */
	gemp_buffer ticket;
} gemp_dense_binned;

/* Local. Rows whose edges are numbered in 64 bits are GEMP_EUSAGE. weight_size: bytes; 0: unweighted. */
gemp_code gemp_dense_binned_new(gemp_dense_binned *out, gemp_device *device, const gemp_layout_rows *rows,
                                uint32_t known, size_t weight_size, const gemp_dense_pull_config *how);
void gemp_dense_binned_free(gemp_dense_binned *binned);

gemp_code gemp_dense_binned_reset(gemp_dense_binned *binned);

/* Two launches, which do not wait: over the edges, by a kernel with BINNED_PARAMETERS, `how` and `more`; and over the
 * rows, by a kernel with PULL_PARAMETERS of `pull`, sums, first, rows and `more`. */
gemp_code gemp_dense_binned_gather(gemp_dense_binned *binned, cl_kernel kernel, const gemp_buffer *value, cl_uint how,
                                   const gemp_argument *more, size_t count);
gemp_code gemp_dense_binned_finish(gemp_dense_binned *binned, const gemp_dense_pull *pull, cl_kernel kernel,
                                   const gemp_buffer *value, const gemp_buffer *held, cl_uint how,
                                   const gemp_argument *more, size_t count);

#endif
