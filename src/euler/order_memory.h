/* order_memory: the host's memory for the order, whose pages are mapped while devices work.
 *
 * The system clears and maps new memory when it is first touched. A download into such memory waits for that, and
 * threads that touch one huge page at the same time clear it several times. So a thread in the background touches the
 * pages while edges are copied and kernels run. Local.
 *
 *   new -> edges are copied, kernels run -> ready -> the order is written */

#ifndef GEMP_EULER_ORDER_MEMORY_H
#define GEMP_EULER_ORDER_MEMORY_H

#include "core/threads.h"
#include "euler/euler.h"

typedef struct gemp_euler_order_memory {
	gemp_background helper;
	const gemp_euler_order *order;
	size_t chunks; /* of the edges; as many are of the sources, if they are wanted */
} gemp_euler_order_memory;

/* Makes the arrays of this rank's part of the places, which are distributed evenly over the ranks. Call ready also
 * after a failure. */
gemp_code gemp_euler_order_new(gemp_euler_order_memory *out, gemp_euler_order *order, const gemp_euler_edges *edges,
                               bool sources);
/* Returns when the pages are mapped. Frees the arrays if there is no circuit. */
void gemp_euler_order_ready(gemp_euler_order_memory *memory, gemp_euler_result *result);

#endif
