/* pull: rows on a device fetch the values of their sources (kernels/analytics/gas_pull.clh).
 *
 * Rows lie in classes by their length. On a GPU a row with many edges (a hub) is cut into slices, each for a
 * work-group; the number of lanes that share another row depends on its class. On a CPU device workers take slices of
 * hubs, and blocks of rows that have about as many edges. Workers take tickets; tickets_used counts the tickets of
 * earlier launches, so no launch has to clear the counter.
 */

#ifndef GEMP_ANALYTICS_DENSE_PULL_H
#define GEMP_ANALYTICS_DENSE_PULL_H

#include "analytics/layout/device_layout.h"
#include "device/launch.h"

/* Launch geometry; 0: the device's default. "GPUs" and "CPUs" are the two forms of the kernels. */
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
	bool hubs_only;               /* the other rows are binned */
	size_t items, group;          /* work-items of a launch, and of a work-group */
	cl_uint slice_edges;
	cl_uint classes[4];   /* slices of hubs, hubs, hubs and middle rows (CPUs: blocks), all rows that are pulled */
	cl_uint tickets_used; /* CPUs: tickets that were taken so far */
	gemp_buffer order;    /* [rows] by class; empty unless `ordered` */
	gemp_buffer slice;    /* [classes[0]] hub and number of the slice */
	gemp_buffer part;     /* [classes[0]] partial sums */
	gemp_buffer ended;    /* [hubs] slices of the hub that have ended */
	gemp_buffer block;    /* CPUs: [blocks + 1] places in the order */
	gemp_buffer ticket;
} gemp_dense_pull;

/* Local. `wanted`, with values for these rows and this device where it has 0. */
gemp_dense_pull_shape gemp_dense_pull_shape_of(const gemp_device *device, bool groups, const gemp_layout_rows *rows,
                                               gemp_dense_pull_shape wanted);

/* True if the rows are stored by class. */
bool gemp_dense_pull_in_classes(const gemp_layout_rows *rows, bool groups, const gemp_dense_pull_shape *shape);

/* Which rows are pulled, and how. */
typedef struct gemp_dense_pull_config {
	bool groups;    /* the form for GPUs */
	bool ordered;   /* the kernel needs the order, perhaps because of other rows */
	bool hubs_only; /* the other rows are left out: they are binned */
	size_t real;    /* bytes of a sum */
	gemp_dense_pull_shape shape;
} gemp_dense_pull_config;

/* Local. host: the same rows in the memory of the host. */
gemp_code gemp_dense_pull_new(gemp_dense_pull *out, gemp_device *device, const gemp_layout_rows *host,
                              const gemp_device_rows *rows, const gemp_dense_pull_config *how);
void gemp_dense_pull_free(gemp_dense_pull *pull);

/* Options of programs that include gas_pull.clh. */
enum { GEMP_DENSE_PULL_OPTIONS_SIZE = 160 };
void gemp_dense_pull_options(char options[GEMP_DENSE_PULL_OPTIONS_SIZE], bool groups, bool ordered,
                             const gemp_dense_pull_shape *shape);

/* Zeroes the ticket counter; called before launches that follow one that may have failed. */
gemp_code gemp_dense_pull_reset(gemp_dense_pull *pull);

/* PULL_PARAMETERS of a kernel, which point into the arguments of this function. how: GAS_RESUME ... of
 * kernels/analytics/gas_dense_abi.h. */
enum { GEMP_DENSE_PULL_ARGUMENTS = 15 };
void gemp_dense_pull_arguments(const gemp_dense_pull *pull, const gemp_buffer *value, const gemp_buffer *held,
                               const cl_uint *how, gemp_argument out[GEMP_DENSE_PULL_ARGUMENTS]);

/* Launches `kernel` with PULL_PARAMETERS, followed by the arguments `more`; does nothing if no row is pulled. Does not
 * wait. */
enum { GEMP_DENSE_MAX_EXTRA = 12 };
gemp_code gemp_dense_pull_launch(gemp_dense_pull *pull, cl_kernel kernel, const gemp_buffer *value,
                                 const gemp_buffer *held, cl_uint how, const gemp_argument *more, size_t count);

#endif
