/* order_memory: the host's memory for the order, whose pages are mapped while devices work.
 *
 * The system clears and maps new memory when it is first touched (core/pages.h), and a download into new memory takes
 * twice as long. So threads in the background touch the pages while kernels run. While edges are copied to the device
 * these threads would delay the copy by as much. Local.
 *
 *   new -> edges are copied -> touch -> kernels run -> ready -> the order is written */

#ifndef GEMP_EULER_ORDER_MEMORY_H
#define GEMP_EULER_ORDER_MEMORY_H

#include "core/threads.h"
#include "euler/euler.h"

typedef struct gemp_euler_order_memory {
	gemp_background helper;
	gemp_euler_order *order;
} gemp_euler_order_memory;

/* Makes the arrays of this rank's part of the places, which are distributed evenly over the ranks. Call ready also
 * after a failure. */
gemp_code gemp_euler_order_new(gemp_euler_order_memory *out, gemp_euler_order *order, const gemp_euler_edges *edges,
                               bool sources);
/* Begins to map the pages. */
void gemp_euler_order_touch(gemp_euler_order_memory *memory);
/* Returns when the pages are mapped. Frees the arrays if there is no circuit. */
void gemp_euler_order_ready(gemp_euler_order_memory *memory, gemp_euler_result *result);

#endif
