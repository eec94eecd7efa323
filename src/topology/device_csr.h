/* device_csr: rows on a device, and the kernels that go over them. */
#ifndef GEMP_TOPOLOGY_DEVICE_CSR_H
#define GEMP_TOPOLOGY_DEVICE_CSR_H

#include "device/device.h"
#include "primitive/place.h"
#include "topology/csr.h"

/* Items (rows and edges) that a worker takes at a time: TOPOLOGY_SHARE of kernels/topology.clh. */
enum { GEMP_DEVICE_SHARE = 512 };

typedef struct gemp_device_csr {
	gemp_device *device;   /* borrowed */
	uint32_t rows, first;
	cl_ulong edges;
	bool wide;             /* begin[] in 64 bits, else 32 */
	gemp_buffer begin, target;
	uint32_t *narrow;      /* begin[] on the host, for a CPU device; else NULL */
	double seconds;        /* of copying */
} gemp_device_csr;

/* A CPU device reads csr->target where it is. */
gemp_code gemp_device_csr_new(gemp_device_csr *out, gemp_device *device, const gemp_csr *csr);
void gemp_device_csr_free(gemp_device_csr *csr);

/* Targets alone; a CPU device reads them where they are. To be freed also after a failure. */
gemp_code gemp_device_targets_new(gemp_buffer *out, gemp_device *device, const gemp_vertex *target, size_t count);

/* The program of a kernel file that includes topology.clh; defines: more options, or NULL. */
gemp_code gemp_device_csr_program(gemp_program *out, const gemp_device_csr *csr, const char *file, const char *defines);

/* How to launch a kernel that goes over shares, and the local memory that its last argument has; or one that goes over
 * `count` elements with no local memory. */
typedef struct gemp_device_grid {
	size_t items, group, local;
} gemp_device_grid;
gemp_device_grid gemp_device_csr_grid(const gemp_device_csr *csr);
gemp_device_grid gemp_device_grid_over(const gemp_device *device, size_t count);

/* Lanes of a worker; 0: 32 on a GPU, else 1; for tests. */
extern unsigned gemp_device_csr_lanes;

#endif
