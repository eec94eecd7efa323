#include "count/sweep.h"

#include "count/sweep_bound.h"

#include <stdio.h>
#include <string.h>

static double bound_of(void *self, const char *symbol)
{
	const gemp_count_graph *graph = self;
	if (strcmp(symbol, "c") == 0 || symbol[0] == 't')
		return graph->longest;
	if (strcmp(symbol, "a") == 0)
		return 1;
	unsigned table = GEMP_MAX_VERTEX_TABLES, place;
	if (sscanf(symbol, "V%u_%u", &table, &place) != 2 || table >= GEMP_MAX_VERTEX_TABLES)
		return -1;
	return graph->table_bound[table];
}

/* Paths r-x-w with slot w > slot r, and with slot x > slot r unless the middle may be anything: at most. */
static double most_paths(const gemp_count_graph *graph, bool any_middle, uint32_t ends)
{
	double paths = 0;
	for (uint32_t x = 0; x < ends; x++) {
		double row = (double)(graph->host_begin[x + 1] - graph->host_begin[x]);
		paths += any_middle ? row * row / 2 : row * (double)(graph->host_mid[x] - graph->host_begin[x]);
	}
	return paths;
}

gemp_code gemp_sweep_watch(gemp_sweep *sweep)
{
	gemp_code code = GEMP_OK;
	const gemp_count_graph *graph = sweep->graph;
	const gemp_sum *sum = sweep->sum;
	double bound = (double)graph->longest * graph->longest; /* JOINED: of the ends that a path's end is joined to */
	if (sum->kind == GEMP_SUM_PATH_PAIRS) /* of the paths beside each that goes on from a path's end */
		bound *= graph->longest;
	else if (sum->kind != GEMP_SUM_JOINED)
		GEMP_TRY(gemp_expression_bound(sum->expression ? sum->expression : "1", bound_of, (void *)(uintptr_t)graph, &bound));
	if (bound * (double)graph->entries * graph->longest >= 0x1p62)
		sweep->watched = bound * most_paths(graph, sum->kind == GEMP_SUM_PAIRS, sweep->ends) >= 0x1p62;
done:
	return code;
}
