/* pull: rows on a device fetch the values of their sources (kernels/analytics/gas_pull.clh).
 *
 * Rows are divided into classes by length. On a GPU a hub, which is a row with many edges, is cut into slices, each for
 * a work-group. The class of any other row decides how many lanes share the row. On a CPU device workers take slices of
 * hubs, and blocks of rows with about the same number of edges. A worker takes a ticket for each slice or block.
 * tickets_used counts the tickets of earlier launches, so no launch has to clear the counter. */

#ifndef GEMP_ANALYTICS_DENSE_PULL_H
#define GEMP_ANALYTICS_DENSE_PULL_H

#include "analytics/layout/device_layout.h"
#include "device/launch.h"

/* Launch geometry; 0: the device's default. "GPUs" and "CPUs" stand for the two forms of the kernels. */
typedef struct gemp_dense_pull_shape {
	uint32_t group;  /* GPUs: work-items of a work-group */
	uint32_t groups; /* GPUs: work-groups for each compute unit */
	uint32_t slice;  /* edges of a slice; longer rows are hubs */
	uint32_t middle; /* GPUs: edges; middle_lanes lanes share a longer row */
	uint32_t middle_lanes;
	uint32_t lanes; /* GPUs: lanes that share a shorter row */
	uint32_t block; /* CPUs: edges and rows of a block */
	uint32_t range; /* rows of a bin */
	uint32_t tile;  /* edges of a tile, a part of a bin that one group processes */
} gemp_dense_pull_shape;

typedef struct gemp_dense_pull {
	gemp_device *device;          /* borrowed */
	const gemp_device_rows *rows; /* borrowed */
	bool groups;                  /* the form of the kernels for GPUs */
	bool ordered;                 /* rows are not stored by class, so kernels read `order` */
	bool hubs_only;               /* only hubs are pulled; the other rows are binned */
	size_t items, group;          /* work-items of a launch, and of a work-group */
	cl_uint slice_edges;
	cl_uint classes[4];   /* numbers of slices, hubs, hubs and middle rows (CPUs: blocks), all pulled rows */
	cl_uint tickets_used; /* CPUs: number of tickets that were taken so far */
	gemp_buffer order;    /* [rows] rows by class; empty unless `ordered` */
	gemp_buffer slice;    /* [classes[0]] the slice's hub, and its number within the hub */
	gemp_buffer part;     /* [classes[0]] partial sums */
	gemp_buffer ended;    /* [hubs] number of slices of the hub that have ended */
	gemp_buffer block;    /* CPUs: [blocks + 1] first place of each block in the order */
	gemp_buffer ticket;
} gemp_dense_pull;

/* Local. Returns `wanted`, in which zeros are replaced by values that suit these rows and this device. wanted.group
 * counts only on NVIDIA GPUs; elsewhere the kernels need another size. */
gemp_dense_pull_shape gemp_dense_pull_shape_of(const gemp_device *device, bool groups, const gemp_layout_rows *rows,
                                               gemp_dense_pull_shape wanted);

/* True if the rows are stored by class. */
bool gemp_dense_pull_in_classes(const gemp_layout_rows *rows, bool groups, const gemp_dense_pull_shape *shape);

/* Selects the rows that are pulled, and the form of the kernels. */
typedef struct gemp_dense_pull_config {
	bool groups;    /* the form of the kernels for GPUs */
	bool ordered;   /* the kernel reads the order, perhaps because of other rows */
	bool hubs_only; /* only hubs are pulled; the other rows are binned */
	size_t real;    /* bytes of a sum */
	gemp_dense_pull_shape shape;
} gemp_dense_pull_config;

/* Local. host: the same rows in the host's memory. */
gemp_code gemp_dense_pull_new(gemp_dense_pull *out, gemp_device *device, const gemp_layout_rows *host,
                              const gemp_device_rows *rows, const gemp_dense_pull_config *how);
void gemp_dense_pull_free(gemp_dense_pull *pull);

/* The compiler options of programs that include gas_pull.clh. */
enum { GEMP_DENSE_PULL_OPTIONS_SIZE = 160 };
void gemp_dense_pull_options(char options[GEMP_DENSE_PULL_OPTIONS_SIZE], bool groups, bool ordered,
                             const gemp_dense_pull_shape *shape);

/* Clears the ticket counter. The caller must do this before the launches that follow a failed launch. */
gemp_code gemp_dense_pull_reset(gemp_dense_pull *pull);

/* Sets the arguments for PULL_PARAMETERS of a kernel. They point into the arguments of this function. how: flags
 * GAS_RESUME ... of kernels/analytics/gas_dense_abi.h. */
enum { GEMP_DENSE_PULL_ARGUMENTS = 15 };
void gemp_dense_pull_arguments(const gemp_dense_pull *pull, const gemp_buffer *value, const gemp_buffer *held,
                               const cl_uint *how, gemp_argument out[GEMP_DENSE_PULL_ARGUMENTS]);

/* Launches `kernel` with PULL_PARAMETERS, followed by the arguments `more`, without waiting. Does nothing if only hubs
 * are pulled and there are none. */
enum { GEMP_DENSE_MAX_EXTRA = 12 };
gemp_code gemp_dense_pull_launch(gemp_dense_pull *pull, cl_kernel kernel, const gemp_buffer *value,
                                 const gemp_buffer *held, cl_uint how, const gemp_argument *more, size_t count);

#endif
