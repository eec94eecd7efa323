/* vertex_columns: results by local vertex as columns of the graph's vertices, for output. A value that stands for "none"
 * becomes NULL. Parents and predecessors are written as the keys of their vertices, which other ranks may own.
 */

#ifndef GEMP_ANALYTICS_VERTEX_COLUMNS_H
#define GEMP_ANALYTICS_VERTEX_COLUMNS_H

#include "analytics/layout/layout.h"

/* Each adds a column of graph->rows rows to `found`; values are [layout->own], by local vertex. */
gemp_code gemp_vertex_columns_u32(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint32_t *values, uint32_t none); /* which is NULL */
gemp_code gemp_vertex_columns_u64(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint64_t *values, uint64_t none);
gemp_code gemp_vertex_columns_double(gemp_table *found, const char *name, const gemp_layout *layout,
                                     const double *values);
/* Values that are not finite are NULL. */
/* Collective. Keys of vertices by id; GEMP_NO_VERTEX is NULL. Loads keys. */
gemp_code gemp_vertex_columns_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                   const gemp_vertex *values);

#endif
