/* device_engine: computes the whole circuit on one device (kernels/euler). Edges have numbers of 32 bits. The engine on
 * the hosts (--on host) takes larger graphs. Local. */

#ifndef GEMP_EULER_DEVICE_ENGINE_H
#define GEMP_EULER_DEVICE_ENGINE_H

#include "device/device.h"
#include "euler/euler.h"
#include "primitive/toolbox.h"

/* The maximum number of edges of one device. */
static inline uint64_t gemp_euler_device_edges(void)
{
	return gemp_min(0xf0000000, gemp_device_max());
}

/* A single rank has all edges. More than gemp_euler_device_edges() edges are GEMP_EUSAGE. */
gemp_code gemp_euler_on_device(gemp_euler_result *out, gemp_device *device, const gemp_euler_edges *edges,
                               const gemp_euler_options *options);

/* ITS STEPS, for edges that reach the device in another way than from the memory of one rank (devices/gathered.h):
 *
 *   new -> the caller fills begin[] and target[] -> run -> order[] and source[] are there -> free */
typedef struct gemp_euler_solver gemp_euler_solver;

/* Builds the kernels and makes all arrays. Of the edges only sizes and the closing slot are read. The caller frees
 * after a failure. */
gemp_code gemp_euler_solver_new(gemp_euler_solver **out, gemp_device *device, const gemp_euler_edges *edges,
                                const gemp_euler_options *options);
/* NULL is allowed. */
void gemp_euler_solver_free(gemp_euler_solver *solver);

typedef struct gemp_euler_solver_arrays {
	const gemp_buffer *begin, *target; /* u32 [rows + 1], [edges] */
	/* u32 [edges]. The walk begins at index `cut`, and continues at index 0 behind the end. */
	const gemp_buffer *order, *source;
	size_t cut;
} gemp_euler_solver_arrays;
gemp_euler_solver_arrays gemp_euler_solver_see(const gemp_euler_solver *solver);

/* Sets everything in *out except order. Without a circuit, as *out says, there is no order on the device either. All
 * kernels have ended on return. */
gemp_code gemp_euler_solver_run(gemp_euler_solver *solver, gemp_euler_result *out);
/* Copies the first order->count places to the host. order->source may be NULL. Returns when they are there. */
gemp_code gemp_euler_solver_download(const gemp_euler_solver *solver, const gemp_euler_order *order);

#endif
