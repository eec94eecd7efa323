/* bag: of each group, which values were seen and how often: for DISTINCT within an aggregate, and for collect. */
#ifndef GEMP_QUERY_BAG_H
#define GEMP_QUERY_BAG_H

#include "query/frame.h"
#include "query/key_table.h"

typedef struct gemp_bag {
	gemp_key_table keys;      /* a group's number, then a cell's bytes */
	size_t capacity, times_capacity, head_capacity;
	uint64_t *next;           /* [keys.count] 1 + index of another value of the same group; 0: none */
	uint64_t *times;          /* [keys.count] */
	uint64_t *head;           /* [head_capacity] 1 + index of a group's last value; 0: none */
} gemp_bag; /* {0} is empty */

void gemp_bag_free(gemp_bag *bag);
size_t gemp_bag_memory(const gemp_bag *bag); /* bytes */

/* cell: as gemp_cell_pack writes it. */
gemp_code gemp_bag_add(gemp_bag *bag, size_t group, const char *cell, size_t size, uint64_t times);

/* Over the values of a group: begin, then on from one to the next; 0 ends. */
uint64_t gemp_bag_first(const gemp_bag *bag, size_t group);
uint64_t gemp_bag_next(const gemp_bag *bag, uint64_t at);
const char *gemp_bag_cell(const gemp_bag *bag, uint64_t at, size_t *size);
uint64_t gemp_bag_times(const gemp_bag *bag, uint64_t at);

#endif
