/* sorted_values: the vertices that have an attribute, in the order of (value, id), for an index of values
 * (gemp_value_index). The entries are distributed: all values of rank r precede those of rank r + 1. */

#ifndef GEMP_PARTITION_BUILD_SORTED_VALUES_H
#define GEMP_PARTITION_BUILD_SORTED_VALUES_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_sorted_values {
	size_t count;          /* entries of this rank */
	gemp_vertex *vertices; /* [count] ids, ascending among equal values */
	gemp_column values;    /* [count] the values, ascending */
} gemp_sorted_values;

/* Collective. Loads the attribute, which is of strings, integers or floats, and orders its values other than NULL. */
gemp_code gemp_sorted_values_new(gemp_sorted_values *out, const gemp_comm *comm, gemp_shard *graph, size_t attribute);
void gemp_sorted_values_free(gemp_sorted_values *order);

#endif
