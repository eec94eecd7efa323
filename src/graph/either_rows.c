/* Merges the rows by source and by target of a relation. Both rows of a vertex ascend, so one pass over them is enough.
 * All threads work on different rows, in two passes: the first one counts the loops, which both rows have and the
 * merged row has once; the second one writes the rows to their places. */

#include "graph/either_rows.h"

#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

typedef struct rows_merge {
	const gemp_shard *graph;
	gemp_relation *relation;
} rows_merge;

/* The number of loops of a vertex: how often its row by target names the vertex itself. */
static uint64_t count_loops(const rows_merge *m, size_t row)
{
	const gemp_relation *relation = m->relation;
	gemp_vertex self = (gemp_vertex)(m->graph->first_vertex + row);
	const gemp_vertex *sources = relation->in_sources + relation->in_offsets[row];
	size_t count = (size_t)(relation->in_offsets[row + 1] - relation->in_offsets[row]), loops = 0;
	size_t at = gemp_lower_bound_u32(sources, count, self);
	while (at + loops < count && sources[at + loops] == self)
		loops++;
	return loops;
}

static void count_rows(void *context, size_t begin, size_t end)
{
	const rows_merge *m = context;
	const gemp_relation *relation = m->relation;
	for (size_t v = begin; v < end; v++)
		relation->either_offsets[v + 1] = relation->out_offsets[v + 1] - relation->out_offsets[v] +
		                                  relation->in_offsets[v + 1] - relation->in_offsets[v] - count_loops(m, v);
}

/* If two neighbours are equal, the target comes first; the order does not show, since the rows have no edge numbers. */
static void merge_rows(void *context, size_t begin, size_t end)
{
	const rows_merge *m = context;
	const gemp_relation *relation = m->relation;
	for (size_t v = begin; v < end; v++) {
		const gemp_vertex self = (gemp_vertex)(m->graph->first_vertex + v);
		const gemp_vertex *out = relation->out_targets + relation->out_offsets[v];
		const gemp_vertex *in = relation->in_sources + relation->in_offsets[v];
		const gemp_vertex *out_end = relation->out_targets + relation->out_offsets[v + 1];
		const gemp_vertex *in_end = relation->in_sources + relation->in_offsets[v + 1];
		gemp_vertex *to = relation->either_neighbours + relation->either_offsets[v];
		while (in < in_end) {
			while (out < out_end && *out <= *in)
				*to++ = *out++;
			if (*in != self)
				*to++ = *in;
			in++;
		}
		while (out < out_end)
			*to++ = *out++;
	}
}

gemp_code gemp_relation_merge_rows(const gemp_shard *graph, gemp_relation *relation)
{
	rows_merge m = { graph, relation };
	GEMP_CHECK((relation->loaded & GEMP_LOAD_OUT) && (relation->loaded & GEMP_LOAD_IN));
	GEMP_TRY(GEMP_NEW(relation->either_offsets, graph->rows + 1));
	gemp_for_elements(graph->rows, count_rows, &m);
	gemp_prefix_inclusive(relation->either_offsets, graph->rows + 1);
	GEMP_TRY(GEMP_NEW(relation->either_neighbours, relation->either_offsets[graph->rows]));
	gemp_for_elements(graph->rows, merge_rows, &m);
	relation->loaded |= GEMP_LOAD_EITHER;
	return GEMP_OK;
}
