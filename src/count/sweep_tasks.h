/* sweep_tasks: made on the device before a grouped sweep: rows of middles, and roots by descending number of paths. */
#ifndef GEMP_COUNT_SWEEP_TASKS_H
#define GEMP_COUNT_SWEEP_TASKS_H

#include "count/count_graph.h"

enum { GEMP_SWEEP_BUCKETS = 512 };

typedef struct gemp_sweep_tasks {
	gemp_buffer rows;  /* [entries] ROW: behind the root and end, of each middle's row */
	gemp_buffer paths; /* [ends] PATHS */
	gemp_buffer list;  /* [roots] own roots, by descending bucket of their paths */
	uint32_t sizes[GEMP_SWEEP_BUCKETS]; /* roots in each bucket */
} gemp_sweep_tasks;

/* sweep->tasks_program is built. Launches are added to sweep->laps. */
gemp_code gemp_sweep_tasks_new(gemp_sweep_tasks *tasks, gemp_sweep *sweep);
void gemp_sweep_tasks_free(gemp_sweep_tasks *tasks, gemp_device *device);

/* Roots at the front of the list until only such are left that have at most so many paths; bucket by bucket, so that some
 * with fewer paths may be among them. */
uint32_t gemp_sweep_roots_above(const gemp_sweep_tasks *tasks, uint64_t paths);

#endif
