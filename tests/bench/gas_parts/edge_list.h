/* edge_list: the edges of a graph in the order in which they were drawn, or as a graph file stores them. */
#ifndef BENCH_GAS_EDGE_LIST_H
#define BENCH_GAS_EDGE_LIST_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct edge_list {
	uint32_t vertices;
	size_t count;
	uint32_t (*ends)[2]; /* [count] */
} edge_list;

gemp_code edge_list_new(edge_list *out, const char *spec); /* spec: see graph_new in graph.h */
void edge_list_free(edge_list *list);

#endif
