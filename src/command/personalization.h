/* personalization: where the jumps of PageRank lead. */
#ifndef GEMP_COMMAND_PERSONALIZATION_H
#define GEMP_COMMAND_PERSONALIZATION_H

#include "command/options.h"
#include "gas/layout.h"

/* Collective. (*out)[layout->own] by local vertex, as --source or --personalization say; NULL if neither is given. The caller
 * frees. */
gemp_code gemp_personalization(double **out, const gemp_gas_layout *layout, gemp_graph *graph, const gemp_options *options);

#endif
