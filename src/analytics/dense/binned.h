/* binned: edges send values to bins of rows, where the values are added up (kernels/analytics/gas_binned.clh;
 * propagation blocking, Beamer, Asanovic and Patterson 2017).
 *
 * The host orders the edges once, by bins of rows and within each bin by source, so only values move in each round. A
 * tile is a part of a bin. source[edges], bin[edges] and weight[edges] lie by tile. A second launch adds up
 * sums[tiles][range] for each row. Hubs, the rows with many edges, are not binned but pulled (pull.h). */

#ifndef GEMP_ANALYTICS_DENSE_BINNED_H
#define GEMP_ANALYTICS_DENSE_BINNED_H

#include "analytics/dense/pull.h"

typedef struct gemp_dense_binned {
	gemp_device *device;  /* borrowed */
	bool groups;          /* the form of the kernels for GPUs */
	uint32_t range, rows; /* rows of a bin; rows of all bins */
	size_t group;
	cl_uint tiles, tickets_used; /* tickets_used: on a CPU device, the number of tickets that were taken so far */
	uint32_t *host_source;       /* arrays that a CPU device reads in place; NULL on a GPU */
	uint16_t *host_bin;
	void *host_weight;
	gemp_buffer source; /* [edges] local vertices */
	gemp_buffer bin;    /* [edges] number of the row within its bin */
	gemp_buffer weight; /* [edges] */
	gemp_buffer tile;   /* [tiles] the first edge of each tile, and the edge behind its last */
	gemp_buffer first;  /* [ranges + 1] first tile of each bin */
	gemp_buffer sums;   /* [tiles][range] */
	gemp_buffer ticket;
} gemp_dense_binned;

/* Local. Returns GEMP_EUSAGE if the edges need numbers of 64 bits. weight_size: bytes of a weight; 0: unweighted. */
gemp_code gemp_dense_binned_new(gemp_dense_binned *out, gemp_device *device, const gemp_layout_rows *rows,
                                uint32_t known, size_t weight_size, const gemp_dense_pull_config *how);
void gemp_dense_binned_free(gemp_dense_binned *binned);

gemp_code gemp_dense_binned_reset(gemp_dense_binned *binned);

/* Two launches, which do not wait. gemp_dense_binned_gather launches over the edges a kernel with BINNED_PARAMETERS,
 * `how` and `more`. gemp_dense_binned_finish launches over the rows a kernel with PULL_PARAMETERS of `pull`, sums,
 * first, rows and `more`. */
gemp_code gemp_dense_binned_gather(gemp_dense_binned *binned, cl_kernel kernel, const gemp_buffer *value, cl_uint how,
                                   const gemp_argument *more, size_t count);
gemp_code gemp_dense_binned_finish(gemp_dense_binned *binned, const gemp_dense_pull *pull, cl_kernel kernel,
                                   const gemp_buffer *value, const gemp_buffer *held, cl_uint how,
                                   const gemp_argument *more, size_t count);

#endif
