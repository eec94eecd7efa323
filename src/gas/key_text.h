/* key_text: a vertex as the user knows it, for messages of all ranks. */
#ifndef GEMP_GAS_KEY_TEXT_H
#define GEMP_GAS_KEY_TEXT_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. The key of an id that is the same on all ranks, of graphs whose keys are loaded; cut where there is no
 * room. */
gemp_code gemp_gas_key_text(const gemp_comm *comm, const gemp_graph *graph, uint64_t id, char *text, size_t room);

#endif
