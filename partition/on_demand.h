/* on_demand: rows by target of a graph in memory, made of its rows by source when they are needed. */
#ifndef GEMP_PARTITION_ON_DEMAND_H
#define GEMP_PARTITION_ON_DEMAND_H

#include "comm/comm.h"
#include "graph/graph.h"

/* The source of a graph that has all else. comm is borrowed until the graph is freed. */
gemp_graph_source gemp_rows_on_demand(const gemp_comm *comm);

#endif
