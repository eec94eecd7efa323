#include "match/degrees.h"

#include "partition/view.h"

#include <string.h>

static const gemp_view_direction direction_of[] = { GEMP_VIEW_OUT, GEMP_VIEW_IN, GEMP_VIEW_EITHER };

static gemp_code load(gemp_graph *graph, const bool *relations, int direction)
{
	gemp_code code = GEMP_OK;
	for (size_t r = 0; r < graph->relation_count; r++)
		if (relations[r])
			GEMP_TRY(gemp_graph_need_relation(graph, r, gemp_view_parts(direction_of[direction])));
done:
	return code;
}

/* First of the ascending ids[begin, end) that is not below id. */
static uint64_t lower(const gemp_vertex *ids, uint64_t begin, uint64_t end, uint64_t id)
{
	while (begin < end) {
		uint64_t middle = begin + (end - begin) / 2;
		if (ids[middle] < id)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

static uint64_t degree(const uint64_t *begin, const gemp_vertex *ids, size_t row, uint64_t id, bool loops)
{
	uint64_t first = begin[row], end = begin[row + 1];
	return end - first - (loops ? 0 : lower(ids, first, end, id + 1) - lower(ids, first, end, id));
}

gemp_code gemp_degrees(gemp_context *context, gemp_graph *graph, const bool *relations, int direction, bool count_loops,
                       gemp_column *out)
{
	gemp_code code = GEMP_OK;
	memset(out, 0, sizeof *out);
	double began = gemp_now();
	GEMP_TRY(load(graph, relations, direction));
	gemp_timers_add(&context->timers, GEMP_READ, began);
	code = gemp_column_init(out, "", GEMP_INTEGER);
	if (code == GEMP_OK)
		code = gemp_column_reserve(out, graph->rows, 0);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	for (size_t v = 0; v < graph->rows; v++) {
		uint64_t found = 0;
		for (size_t r = 0; r < graph->relation_count; r++) {
			const gemp_relation *relation = &graph->relations[r];
			if (relations[r] && direction != 1)
				found += degree(relation->out_begin, relation->out, v, graph->first + v, count_loops);
			if (relations[r] && direction != 0) /* an out row has had its loops */
				found += degree(relation->in_begin, relation->in, v, graph->first + v, count_loops && direction == 1);
		}
		out->integers[v] = (int64_t)found;
	}
	out->rows = graph->rows;
done:
	if (code != GEMP_OK)
		gemp_column_free(out);
	return code;
}
