/* edge_list: edges as they were added, 16 bytes each, and 8 once ids are known; types and places take next to
 * nothing where they are alike and follow one another.
 */

#ifndef GEMP_PARTITION_BUILD_EDGE_LIST_H
#define GEMP_PARTITION_BUILD_EDGE_LIST_H

#include "core/status.h"
#include "core/types.h"

#include <stdbool.h>
#include <stddef.h>

/* The place of edge `first` + i, up to the next run, is place + i * step. */
typedef struct gemp_place_run {
	size_t first;
	uint64_t place, step; /* step: 0 or 1 */
} gemp_place_run;

typedef struct gemp_edge_list {
	size_t count, capacity;
	bool coded;          /* ends are indices in the part's dictionary; else they are integer keys */
	uint64_t *ends;      /* [2 * count] source, target, source, ...; NULL once ids are known */
	gemp_edge_pair *ids; /* [count] once they are known */
	uint32_t *types;     /* [count]; NULL: all are 0 */
	size_t type_capacity;
	gemp_place_run *runs;
	size_t run_count, run_capacity;
} gemp_edge_list;

void gemp_edge_list_free(gemp_edge_list *list);
gemp_code gemp_edge_list_add(gemp_edge_list *list, uint64_t source, uint64_t target, uint32_t type, uint64_t place);
gemp_code gemp_edge_list_reserve(gemp_edge_list *list, size_t count);
uint64_t gemp_edge_list_place(const gemp_edge_list *list, size_t edge);

/* ids have been written over the ends, from their front on: now they are what the list has. */
gemp_code gemp_edge_list_use_ids(gemp_edge_list *list);
/* Drops the edges from `count` on, and gives their memory back. */
gemp_code gemp_edge_list_truncate(gemp_edge_list *list, size_t count);

#endif
