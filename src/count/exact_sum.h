/* exact_sum: sums without rounding or overflow. Groups of work-items leave two words each on the device (count_leave
 * in kernels/count/count.clh), beside the control words of the kernels; the host adds them in 128 bits. Nothing is
 * to be zeroed between launches, and one read gets all.
 */

#ifndef GEMP_COUNT_EXACT_SUM_H
#define GEMP_COUNT_EXACT_SUM_H

#include "count/device_graph.h"

typedef struct gemp_partials {
	gemp_buffer out;     /* [2 * capacity] long: lower and upper half */
	gemp_buffer control; /* [GEMP_COUNT_CONTROL_WORDS] uint, see kernels/count/count_abi.h */
	int64_t *words;      /* [2 * capacity] what was read */
	size_t capacity;     /* groups */
	bool checked;        /* true: kernels may report a value beyond 64 bits; false saves a read */
} gemp_partials;

gemp_code gemp_partials_new(gemp_partials *out, gemp_device *device, size_t capacity);
void gemp_partials_free(gemp_partials *partials, gemp_device *device);

/* Waits for the launches and reads the partial sums of groups [0, groups). GEMP_EDATA if a kernel reported a value that may
 * not fit into 64 bits. */
gemp_code gemp_partials_read(gemp_partials *partials, gemp_device *device, size_t groups);

/* The total of groups [first, first + groups) of the last read. */
__int128 gemp_partials_total(const gemp_partials *partials, size_t first, size_t groups);

/* Sums over vertices on the host, in 128 bits: for powers that do not fit into 64 bits (stars round a hub) and for stars with
 * any number of leaves. */

/* Can the sum's value pass 64 bits at some vertex of this graph? */
gemp_code gemp_vertex_sum_overflows(const gemp_count_graph *graph, const gemp_sum *sum, bool *passes);

/* Local. This rank's share. GEMP_EDATA where even 128 bits are too few. */
gemp_code gemp_vertex_sum(const gemp_count_graph *graph, const gemp_sum *sum, __int128 *total);

#endif
