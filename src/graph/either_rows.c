/* Merges and splits rows. A merge takes the rows by source and by target of a relation. Both rows of a vertex ascend,
 * so one pass over them is enough. A split takes those entries of a merged row that have the wanted direction. All
 * threads work on different rows, in two passes: the first one counts, the second one writes the rows to their
 * places. */

#include "graph/either_rows.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <stdatomic.h>

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

bool gemp_relation_is_symmetric(const gemp_relation *relation)
{
	return !relation->directed && !relation->fixed && relation->props.count == 0 && gemp_limits_now()->file_version > 1;
}

/* The rows that a split makes: those by source if `out`, otherwise those by target. */
typedef struct rows_split {
	const gemp_shard *graph;
	const gemp_relation *relation;
	bool out;
	uint64_t *offsets;
	gemp_vertex *neighbours;
	_Atomic uint64_t count;
} rows_split;

/* The loop has no branch: an entry is always written, but only a taken entry advances the place. `to` may be NULL. */
static size_t split_row(const rows_split *s, size_t v, gemp_vertex *to)
{
	const gemp_vertex self = (gemp_vertex)(s->graph->first_vertex + v);
	const gemp_vertex *neighbours = s->relation->either_neighbours;
	size_t count = 0, wanted = to ? (size_t)(s->offsets[v + 1] - s->offsets[v]) : SIZE_MAX;
	for (uint64_t e = s->relation->either_offsets[v]; e < s->relation->either_offsets[v + 1] && count < wanted; e++) {
		if (to)
			to[count] = neighbours[e];
		count += s->out ? gemp_edge_leads(self, neighbours[e]) : gemp_edge_leads(neighbours[e], self);
	}
	return count;
}

static void count_split(void *context, size_t begin, size_t end)
{
	rows_split *s = context;
	uint64_t sum = 0;
	for (size_t v = begin; v < end; v++) {
		size_t count = split_row(s, v, NULL);
		sum += count;
		if (s->offsets)
			s->offsets[v + 1] = count;
	}
	atomic_fetch_add_explicit(&s->count, sum, memory_order_relaxed);
}

static void copy_split(void *context, size_t begin, size_t end)
{
	rows_split *s = context;
	for (size_t v = begin; v < end; v++)
		split_row(s, v, s->neighbours + s->offsets[v]);
}

/* After a failure the arrays are NULL. */
static gemp_code split_rows(rows_split *s)
{
	const size_t rows = s->graph->rows;
	GEMP_OWNED uint64_t *offsets = NULL;
	GEMP_TRY(GEMP_NEW(offsets, rows + 1));
	s->offsets = offsets;
	gemp_for_elements(rows, count_split, s);
	gemp_prefix_inclusive(offsets, rows + 1);
	GEMP_TRY(GEMP_NEW(s->neighbours, offsets[rows]));
	gemp_for_elements(rows, copy_split, s);
	offsets = NULL;
	return GEMP_OK;
}

gemp_code gemp_relation_split_rows(const gemp_shard *graph, gemp_relation *relation, unsigned parts)
{
	GEMP_CHECK(relation->loaded & GEMP_LOAD_EITHER && gemp_relation_is_symmetric(relation));
	if (parts & GEMP_LOAD_OUT) {
		rows_split s = { .graph = graph, .relation = relation, .out = true };
		GEMP_TRY(split_rows(&s));
		gemp_free_all(relation->out_offsets, relation->out_targets);
		relation->out_offsets = s.offsets;
		relation->out_targets = s.neighbours;
		relation->loaded |= GEMP_LOAD_OUT;
	}
	if (parts & GEMP_LOAD_IN) {
		rows_split s = { .graph = graph, .relation = relation };
		GEMP_TRY(split_rows(&s));
		gemp_free_all(relation->in_offsets, relation->in_sources);
		relation->in_offsets = s.offsets;
		relation->in_sources = s.neighbours;
		relation->loaded |= GEMP_LOAD_IN;
	}
	return GEMP_OK;
}

gemp_count gemp_relation_own_edges(const gemp_shard *graph, const gemp_relation *relation)
{
	rows_split s = { .graph = graph, .relation = relation, .out = true };
	gemp_for_elements(graph->rows, count_split, &s);
	return s.count;
}
