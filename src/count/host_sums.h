/* host_sums: the sums of a count plan on the threads of the host. They serve small graphs, and check the kernels.
 *
 * gemp_host_sums_work tells beforehand how many row entries the sums read, so that the caller can choose between the
 * host and the device. PATH_PAIRS has no form for the host. */

#ifndef GEMP_COUNT_HOST_SUMS_H
#define GEMP_COUNT_HOST_SUMS_H

#include "count/host_graph.h"

/* Local. About the number of row entries that the plan's sums read on all ranks together; a value of an expression
 * counts as several entries. INFINITY if some sum has no form for the host. view: as in host_graph.h. */
double gemp_host_sums_work(const gemp_count_plan *plan, const gemp_view *view);

/* Do so many edges alone pass the limit? Asked before the rows are made. */
bool gemp_host_sums_too_large(uint64_t edges, double limit);

/* Local. totals[i] becomes sum i over this rank's vertices, without its factor. GEMP_EDATA if 128 bits do not suffice.
 * All sums of the plan must have a form for the host. */
gemp_code gemp_host_sums(const gemp_host_graph *graph, const gemp_count_plan *plan, __int128 totals[GEMP_MAX_SUMS]);

#endif
