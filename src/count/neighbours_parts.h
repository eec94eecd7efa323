/* neighbours_parts: what the two forms of sums over neighbourhoods share. */
#ifndef GEMP_COUNT_NEIGHBOURS_PARTS_H
#define GEMP_COUNT_NEIGHBOURS_PARTS_H

#include "count/neighbours.h"
#include "count/partials.h"

#include "device/laps.h"

typedef struct gemp_around {
	const gemp_count_graph *graph;
	const gemp_sum *sum;
	gemp_device *device;
	gemp_sum_result *result;
	size_t items, group;         /* of a launch */
	gemp_program program;
	gemp_partials partials;
	gemp_laps laps;
	uint64_t most;               /* bytes that one buffer may take */
} gemp_around;

/* Does the sum's expression mention the symbol; the table at some place? */
bool gemp_around_mentions(const gemp_around *around, const char *symbol);
bool gemp_around_table(const gemp_around *around, int table);
/* Counts the last launch. */
gemp_code gemp_around_lap(gemp_around *around);

/* Local. The sum by bitmaps; by lists. The program is built. */
gemp_code gemp_around_bits(gemp_around *around);
gemp_code gemp_around_lists(gemp_around *around);

#endif
