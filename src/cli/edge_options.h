/* edge_options: what --relation, --direction and --weight select, for the functions of the library. */

#ifndef GEMP_CLI_EDGE_OPTIONS_H
#define GEMP_CLI_EDGE_OPTIONS_H

#include "cli/options/options.h"
#include "gemp/analytics.h"

static inline gemp_edge_selection gemp_edge_options(const gemp_options *options)
{
	return (gemp_edge_selection){ .size = sizeof(gemp_edge_selection),
		                          .edge_types = options->only_relations.items,
		                          .edge_type_count = options->only_relations.count,
		                          .direction = (gemp_edge_direction)options->direction,
		                          .weight = options->weight };
}

#endif
