/* frontier_rows: rows of a layout cut into slices and pieces, as kernels/gas_frontier.clh wants them. */
#ifndef GEMP_GAS_FRONTIER_ROWS_H
#define GEMP_GAS_FRONTIER_ROWS_H

#include "gas/frontier.h"

/* sources: also pieces and the mask of light rows, for frontiers of the rows' vertices; else heads. `out` is to be freed with the
 * frontier also after a failure. */
gemp_code gemp_frontier_rows_new(gemp_frontier *frontier, gemp_frontier_rows *out, const gemp_gas_rows *rows,
                                 const gemp_gas_device_rows *held, bool sources);

#endif
