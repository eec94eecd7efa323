#include "count/sweep.h"

#include "count/sweep_bound.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bounds {
	const gemp_count_graph *graph;
	double table[GEMP_MAX_VERTEX_TABLES];
} bounds;

static double bound_of(void *self, const char *symbol)
{
	const bounds *b = self;
	if (strcmp(symbol, "c") == 0 || symbol[0] == 't')
		return b->graph->longest;
	if (strcmp(symbol, "a") == 0)
		return 1;
	unsigned table = GEMP_MAX_VERTEX_TABLES, place;
	if (sscanf(symbol, "V%u_%u", &table, &place) != 2 || table >= GEMP_MAX_VERTEX_TABLES)
		return -1;
	return b->table[table];
}

static gemp_code greatest(const gemp_count_graph *graph, const gemp_buffer *table, double *out)
{
	gemp_code code = GEMP_OK;
	cl_ulong *values = NULL, most = 0;
	GEMP_TRY(GEMP_NEW(values, graph->vertices));
	GEMP_TRY(gemp_buffer_read(graph->context->device, table, 0, graph->vertices * sizeof *values, values));
	for (uint32_t v = 0; v < graph->vertices; v++)
		most = values[v] > most ? values[v] : most;
	*out = (double)most;
done:
	gemp_free(values);
	return code;
}

static gemp_code bound_tables(bounds *b, const gemp_sum *sum)
{
	gemp_code code = GEMP_OK;
	char symbol[16];
	b->table[0] = b->graph->longest;
	for (int k = 1; k < GEMP_MAX_VERTEX_TABLES; k++)
		for (int place = 0, done = 0; place < 3 && !done; place++) {
			snprintf(symbol, sizeof symbol, "V%d_%d", k, place);
			done = gemp_sum_mentions(sum->expression, symbol);
			if (done)
				GEMP_TRY(greatest(b->graph, &b->graph->tables[k], &b->table[k]));
		}
done:
	return code;
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

gemp_code gemp_sweep_watch(const gemp_count_graph *graph, const gemp_sum *sum, uint32_t ends, bool *watched)
{
	gemp_code code = GEMP_OK;
	bounds b = { .graph = graph };
	double bound = (double)graph->longest * graph->longest; /* JOINED: of the ends that a path's end is joined to */
	*watched = false;
	if (sum->kind != GEMP_SUM_JOINED) {
		GEMP_TRY(bound_tables(&b, sum));
		GEMP_TRY(gemp_expression_bound(sum->expression ? sum->expression : "1", bound_of, &b, &bound));
	}
	if (bound * (double)graph->entries * graph->longest >= 0x1p62)
		*watched = bound * most_paths(graph, sum->kind == GEMP_SUM_PAIRS, ends) >= 0x1p62;
done:
	return code;
}
