#ifndef GEMP_COUNT_WEDGES_DENSE_H
#define GEMP_COUNT_WEDGES_DENSE_H

#include "count/wedges_state.h"

/* Local, after the program is built: memory, tasks, and how many sums there will be. */
gemp_code gemp_wedges_dense_new(gemp_wedges *wedges);
gemp_code gemp_wedges_dense_launch(gemp_wedges *wedges);
void gemp_wedges_dense_free(gemp_wedges *wedges);
size_t gemp_wedges_dense_workers(const gemp_count_graph *graph);

#endif
