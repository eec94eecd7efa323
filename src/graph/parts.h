/* parts: a cut of a graph's ids into contiguous ranges that a partitioner made and the graph file keeps. Without one any
 * equal ranges are random parts, since ids are. */
#ifndef GEMP_GRAPH_PARTS_H
#define GEMP_GRAPH_PARTS_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_parts {
	size_t count;     /* 0: none */
	uint64_t *bounds; /* [count + 1]: part p has ids [bounds[p], bounds[p + 1]) */
	char *method;     /* that made them: "random", "block", "ptscotch" */
} gemp_parts;

gemp_code gemp_parts_init(gemp_parts *parts, const uint64_t *bounds, size_t count, const char *method); /* copies */
void gemp_parts_free(gemp_parts *parts);

/* The range, of those that begin at bounds[0..count), in which the id lies; ranges may be empty. */
size_t gemp_range_of(const uint64_t *bounds, size_t count, uint64_t id);

/* What each of `ranks` ranks owns, bounds[ranks + 1]: as many whole parts each where the ranks divide the parts; an equal
 * piece of a part where the parts divide the ranks; else equal ranges of ids, and false: parts are then not together. (Equal
 * ranges of random parts are random parts, so for these it is true.) */
bool gemp_parts_share(const gemp_parts *parts, uint64_t vertices, size_t ranks, uint64_t *bounds);

#endif
