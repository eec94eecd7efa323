/* gather: two ways in which rows on a device gather values from their sources.
 *
 * Pull (kernels/analytics/gas_pull.clh): rows fetch the values. Rows lie in classes by their length. On a GPU a row with many edges (a
 * hub) is cut into slices, each for a work-group; the number of lanes that share another row depends on its class. On a CPU device
 * workers take slices of hubs, and blocks of rows that have about as many edges. Workers take tickets; tickets_used counts the tickets
 * of earlier launches, so no launch has to clear the counter.
 *
 * Binned (kernels/analytics/gas_binned.clh; propagation blocking, Beamer, Asanovic and Patterson 2017): the edges are put once into an
 * order by bins of rows and within each bin by source, so only values move in each round. source[edges], bin[edges] and
 * weight[edges] are by tile; sums[tiles][range] are added per row in a second launch. Hubs are pulled.
 */

#ifndef GEMP_ANALYTICS_DENSE_GATHER_H
#define GEMP_ANALYTICS_DENSE_GATHER_H

#include "analytics/layout/device_layout.h"
#include "device/launch.h"

/* Launch geometry; 0: chosen for the device. "GPUs" and "CPUs" are the two forms of the kernels. */
typedef struct gemp_dense_pull_shape {
	uint32_t group;  /* GPUs: work-items of a work-group */
	uint32_t groups; /* GPUs: work-groups for each compute unit */
	uint32_t slice;  /* edges of a slice; rows with more are hubs */
	uint32_t middle; /* GPUs: edges; longer rows are shared by middle_lanes */
	uint32_t middle_lanes;
	uint32_t lanes; /* GPUs: lanes that share any other row */
	uint32_t block; /* CPUs: edges and rows of a block */
	uint32_t range; /* rows of a bin */
	uint32_t tile;  /* edges of a bin that one group processes */
} gemp_dense_pull_shape;

typedef struct gemp_dense_pull {
	gemp_device *device;          /* borrowed */
	const gemp_device_rows *rows; /* borrowed */
	bool groups;                  /* the form for GPUs */
	bool ordered;                 /* `order` lists the rows by class, because they are not stored in that order */
	bool hubs_only;
	size_t items, group;             /* of a launch */
	cl_uint slice_edges, classes[4]; /* as the kernel has them */
	cl_uint tickets_used;            /* CPUs: tickets that were taken so far */
	gemp_buffer order, slice, block, part, ended, ticket;
} gemp_dense_pull;

/* `wanted`, with values chosen for these rows where it has 0. */
gemp_dense_pull_shape gemp_dense_pull_shape_of(const gemp_device *device, bool groups, const gemp_layout_rows *rows,
                                               gemp_dense_pull_shape wanted);

/* True if the rows are stored by class. */
bool gemp_dense_pull_in_classes(const gemp_layout_rows *rows, bool groups, const gemp_dense_pull_shape *shape);

/* Which rows are pulled, and how. */
typedef struct gemp_dense_pull_config {
	bool groups;    /* the form */
	bool ordered;   /* make the order even if they lie in classes */
	bool hubs_only; /* the others are left out: their values are binned */
	size_t real;    /* bytes of a sum */
	gemp_dense_pull_shape shape;
} gemp_dense_pull_config;

/* Local. `host` are the same rows. */
gemp_code gemp_dense_pull_new(gemp_dense_pull *out, gemp_device *device, const gemp_layout_rows *host,
                              const gemp_device_rows *rows, const gemp_dense_pull_config *how);
void gemp_dense_pull_free(gemp_dense_pull *pull);

/* Options of programs that include gas_pull.clh. */
enum { GEMP_DENSE_PULL_OPTIONS_SIZE = 160 };
void gemp_dense_pull_options(char options[GEMP_DENSE_PULL_OPTIONS_SIZE], bool groups, bool ordered,
                             const gemp_dense_pull_shape *shape);

/* Zeroes the ticket counter; called before launches that follow one that may have failed. */
gemp_code gemp_dense_pull_reset(gemp_dense_pull *pull);

/* PULL_PARAMETERS of a kernel. how: GAS_RESUME ... of kernels/analytics/gas_dense_abi.h. */
enum { GEMP_DENSE_PULL_ARGUMENTS = 15 };

/* Launches `kernel` with PULL_PARAMETERS, followed by the arguments `more`; does nothing if no row is pulled. Does not wait. */
enum { GEMP_DENSE_MAX_EXTRA = 12 };
gemp_code gemp_dense_pull_launch(gemp_dense_pull *pull, cl_kernel kernel, const gemp_buffer *value,
                                 const gemp_buffer *held, cl_uint how, const gemp_argument *more, size_t count);

typedef struct gemp_dense_binned {
	gemp_device *device;  /* borrowed */
	bool groups;          /* the form */
	uint32_t range, rows; /* rows of a bin, and of all */
	size_t group;
	cl_uint tiles, tickets_used; /* tickets_used: CPUs, tickets that were taken so far */
	uint32_t *host_source;       /* a CPU device reads these arrays in place; NULL otherwise */
	uint16_t *host_bin;
	void *host_weight;
	gemp_buffer source; /* [edges] local vertices */
	gemp_buffer bin;    /* [edges] rows, within their range */
	gemp_buffer weight; /* [edges] */
	gemp_buffer tile;   /* [tiles] first edge, and the edge after the last */
	gemp_buffer first;  /* [ranges + 1] tile of each range */
	gemp_buffer sums;   /* [tiles][range] */
	gemp_buffer ticket;
} gemp_dense_binned;

/* Local. Rows whose edges are numbered in 64 bits are GEMP_EUSAGE. weight_size: bytes; 0: unweighted. */
gemp_code gemp_dense_binned_new(gemp_dense_binned *out, gemp_device *device, const gemp_layout_rows *rows,
                                uint32_t known, size_t weight_size, const gemp_dense_pull_config *how);
void gemp_dense_binned_free(gemp_dense_binned *binned);

gemp_code gemp_dense_binned_reset(gemp_dense_binned *binned);

/* Two launches: over the edges, by a kernel with BINNED_PARAMETERS, `how` and `more`; and over the rows, by one with
 * PULL_PARAMETERS of `pull`, sums, first, rows and `more`. */
gemp_code gemp_dense_binned_gather(gemp_dense_binned *binned, cl_kernel kernel, const gemp_buffer *value, cl_uint how,
                                   const gemp_argument *more, size_t count);
gemp_code gemp_dense_binned_finish(gemp_dense_binned *binned, const gemp_dense_pull *pull, cl_kernel kernel,
                                   const gemp_buffer *value, const gemp_buffer *held, cl_uint how,
                                   const gemp_argument *more, size_t count);

#endif
