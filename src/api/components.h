/* components: the step that gemp_graph_components and the procedure gemp.components() share. */

#ifndef GEMP_API_COMPONENTS_H
#define GEMP_API_COMPONENTS_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "topology/components.h"

/* Collective. Renames each component from the vertex with the smallest id to the vertex with the smallest key. The keys
 * of the graph must be loaded. */
gemp_code gemp_components_name_by_keys(gemp_components *found, const gemp_comm *comm, const gemp_shard *shard);

#endif
