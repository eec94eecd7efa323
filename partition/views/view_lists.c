#include "partition/views/view_lists.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"

#include <string.h>

/* An either-way view reads both rows of each relation. */
unsigned gemp_view_parts(gemp_view_direction direction)
{
	static const unsigned parts[] = { GEMP_LOAD_OUT, GEMP_LOAD_IN, GEMP_LOAD_OUT | GEMP_LOAD_IN };
	return parts[direction];
}

/* Rows that the loader has merged are loaded alone, unless the view has edge numbers. */
static unsigned parts_of(const gemp_relation *relation, const gemp_view_key *key)
{
	if (relation->merged && key->direction == GEMP_VIEW_EITHER && !key->edges)
		return GEMP_LOAD_EITHER;
	unsigned parts = gemp_view_parts(key->direction);
	return key->edges && (parts & GEMP_LOAD_IN) ? parts | GEMP_LOAD_IN_EDGES : parts;
}

/* Does the view take the merged rows of the relation, which are loaded? */
static bool takes_merged(const gemp_relation *relation, const gemp_view_key *key)
{
	return relation->loaded & GEMP_LOAD_EITHER && key->direction == GEMP_VIEW_EITHER && !key->edges;
}

gemp_row_index *gemp_view_index(const gemp_shard *graph, const gemp_view_key *key)
{
	static const unsigned part[] = { GEMP_LOAD_OUT, GEMP_LOAD_IN, GEMP_LOAD_EITHER };
	if (key->edges || !gemp_limits_now()->indexes)
		return NULL;
	for (size_t i = 0; i < graph->row_index_count; i++) {
		gemp_row_index *index = &graph->row_indexes[i];
		if (index->part == part[key->direction] &&
		    memcmp(index->relations, key->relations, graph->relation_count * sizeof *key->relations) == 0)
			return index;
	}
	return NULL;
}

void gemp_view_index_print(const gemp_shard *graph, const gemp_view_key *key, gemp_text *out)
{
	const gemp_row_index *index = gemp_view_index(graph, key);
	if (!index)
		return;
	gemp_text_print(out, "  index of rows: ");
	gemp_row_index_print(index, graph, out);
	gemp_text_print(out, "\n");
}

gemp_code gemp_view_load(gemp_shard *graph, const gemp_view_key *key)
{
	gemp_row_index *index = gemp_view_index(graph, key);
	if (index)
		return gemp_shard_load_row_index(graph, index);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (key->relations[r])
			GEMP_TRY(gemp_shard_load_relation(graph, r, parts_of(&graph->relations[r], key)));
	return GEMP_OK;
}

bool gemp_view_is_loaded(const gemp_shard *graph, const gemp_view_key *key)
{
	const gemp_row_index *index = gemp_view_index(graph, key);
	const unsigned parts = gemp_view_parts(key->direction);
	if (index && index->offsets)
		return true;
	for (size_t r = 0; r < graph->relation_count; r++)
		if (key->relations[r] && !takes_merged(&graph->relations[r], key) &&
		    (graph->relations[r].loaded & parts) != parts)
			return false;
	return true;
}

/* Appends the rows of one relation. first: the number of its first edge through all relations. */
static void list_relation(gemp_view_lists *out, const gemp_relation *relation, const gemp_view_key *key,
                          gemp_edge first)
{
	bool out_rows = key->direction != GEMP_VIEW_IN, in_rows = key->direction != GEMP_VIEW_OUT;
	if (takes_merged(relation, key)) {
		out->list[out->count++] = (gemp_view_list){ relation->either_offsets, relation->either_neighbours, NULL, 0,
			                                        key->simple };
		return;
	}
	if (out_rows)
		out->list[out->count++] = (gemp_view_list){ relation->out_offsets, relation->out_targets, NULL,
			                                        first + relation->first_edge, key->simple };
	if (in_rows)
		out->list[out->count++] = (gemp_view_list){ relation->in_offsets, relation->in_sources, relation->in_edges,
			                                        first, key->simple || out_rows };
}

/* An index that is not loaded is passed over, since a caller may have loaded the relations for other reasons. */
gemp_code gemp_view_lists_new(gemp_view_lists *out, const gemp_shard *graph, const gemp_view_key *key)
{
	const gemp_row_index *index = gemp_view_index(graph, key);
	gemp_edge first = 0;
	*out = (gemp_view_lists){ 0 };
	GEMP_TRY(GEMP_NEW(out->list, 2 * graph->relation_count + 1));
	if (index && index->offsets) {
		out->list[out->count++] = (gemp_view_list){ index->offsets, index->neighbours, NULL, 0, key->simple };
		return GEMP_OK;
	}
	for (size_t r = 0; r < graph->relation_count; r++) {
		if (key->relations[r])
			list_relation(out, &graph->relations[r], key, first);
		first += graph->relations[r].edge_count;
	}
	return GEMP_OK;
}

void gemp_view_lists_free(gemp_view_lists *lists)
{
	gemp_free(lists->list);
	*lists = (gemp_view_lists){ 0 };
}

/* DEGREES */

uint64_t gemp_view_entries(const gemp_view_lists *lists, size_t begin, size_t end)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < lists->count; k++)
		sum += lists->list[k].offsets[end] - lists->list[k].offsets[begin];
	return sum;
}

/* Degrees that all threads add up. */
typedef struct degree_sum {
	const gemp_view_lists *lists;
	uint64_t *degree;
} degree_sum;

/* Loops and parallel edges count too, so the degrees are upper bounds of the lengths of rows. */
static void add_degrees(void *context, size_t begin, size_t end)
{
	const degree_sum *a = context;
	for (size_t k = 0; k < a->lists->count; k++) {
		const uint64_t *offsets = a->lists->list[k].offsets;
		for (size_t v = begin; v < end; v++)
			a->degree[v] += offsets[v + 1] - offsets[v];
	}
}

gemp_code gemp_view_degrees(const gemp_shard *graph, const gemp_view_key *key, uint64_t *degree)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_TRY(gemp_view_lists_new(&lists, graph, key));
	gemp_for_elements(graph->rows, add_degrees, &(degree_sum){ &lists, degree });
	return GEMP_OK;
}

/* PARALLEL EDGES */

/* The search for a pair of vertices that a view joins twice, or for a loop. */
typedef struct row_test {
	const gemp_shard *graph;
	const gemp_view_lists *lists;
	const gemp_relation *relation; /* the relation of an either-way view over one relation */
} row_test;

/* The relation has no parallel edges, and both rows of a vertex ascend. A neighbour that is in both rows is joined in
 * both directions. A loop is in both rows, but it is one edge. */
static bool has_reciprocal(const void *test, size_t v)
{
	const gemp_relation *relation = ((const row_test *)test)->relation;
	gemp_vertex self = (gemp_vertex)(((const row_test *)test)->graph->first_vertex + v);
	const gemp_vertex *out = relation->out_targets + relation->out_offsets[v],
					  *in = relation->in_sources + relation->in_offsets[v];
	const gemp_vertex *out_end = relation->out_targets + relation->out_offsets[v + 1];
	const gemp_vertex *in_end = relation->in_sources + relation->in_offsets[v + 1];
	bool found = false;
	while (out < out_end && in < in_end) {
		gemp_vertex a = *out, b = *in;
		found |= a == b && a != self;
		out += a <= b;
		in += b <= a;
	}
	return found;
}

/* Returns whether one row, over all lists, has a neighbour twice. last[u]: 1 + the last row that has neighbour u. */
static bool names_twice(const row_test *a, size_t v, gemp_vertex *last)
{
	gemp_vertex self = (gemp_vertex)(a->graph->first_vertex + v), mark = (gemp_vertex)(v + 1);
	bool twice = false;
	for (size_t k = 0; k < a->lists->count; k++) {
		const gemp_view_list *list = &a->lists->list[k];
		for (uint64_t i = list->offsets[v]; i < list->offsets[v + 1]; i++) {
			if (list->drops_loops && list->neighbours[i] == self)
				continue;
			twice |= last[list->neighbours[i]] == mark;
			last[list->neighbours[i]] = mark;
		}
	}
	return twice;
}

/* Collective. The marks take one element for each vertex of the graph, so a single thread works. Views of several
 * relations are rare. */
static gemp_code test_marks(const gemp_comm *comm, row_test *a, const gemp_view_key *key, bool *found)
{
	GEMP_OWNED gemp_vertex *last = NULL;
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	gemp_code code = gemp_view_lists_new(&lists, a->graph, key);
	GEMP_THEN(GEMP_NEW(last, a->graph->vertex_count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	a->lists = &lists;
	for (size_t v = 0; v < a->graph->rows && !*found; v++)
		*found = names_twice(a, v, last);
	return GEMP_OK;
}

/* For a single relation the answer is stored in the relation, as every query over the relation needs the answer. */
gemp_code gemp_view_parallel(const gemp_comm *comm, gemp_shard *graph, const gemp_view_key *key, bool *parallel)
{
	const gemp_row_index *index = gemp_view_index(graph, key);
	row_test a = { .graph = graph };
	gemp_relation *one = NULL;
	size_t named = 0, multi = 0;
	for (size_t r = 0; r < graph->relation_count; r++) {
		named += key->relations[r];
		multi += key->relations[r] && graph->relations[r].multigraph;
		if (key->relations[r])
			a.relation = one = &graph->relations[r];
	}
	*parallel = !key->simple && multi > 0;
	if (key->simple || multi || (named <= 1 && key->direction != GEMP_VIEW_EITHER))
		return GEMP_OK;
	if (index || (named == 1 && one->reciprocal)) {
		*parallel = index ? index->multigraph : one->reciprocal > 0;
		return GEMP_OK;
	}
	bool found = named == 1 && gemp_any(graph->rows, has_reciprocal, &a);
	if (named > 1)
		GEMP_TRY(test_marks(comm, &a, key, &found));
	*parallel = gemp_comm_sum1(comm, found) > 0;
	if (named == 1)
		one->reciprocal = *parallel ? 1 : -1;
	return GEMP_OK;
}

/* LOOPS */

/* Rows ascend, so a search finds the vertex in its own row. A loop is in the lists by source and in those by target. */
static bool has_loop(const void *context, size_t v)
{
	const row_test *a = context;
	const uint64_t self = a->graph->first_vertex + v;
	for (size_t k = 0; k < a->lists->count; k++) {
		const gemp_view_list *list = &a->lists->list[k];
		const size_t degree = (size_t)(list->offsets[v + 1] - list->offsets[v]);
		const gemp_vertex *row = list->neighbours + list->offsets[v];
		const size_t at = gemp_lower_bound_u32(row, degree, self);
		if (at < degree && row[at] == self)
			return true;
	}
	return false;
}

gemp_code gemp_view_loops(const gemp_comm *comm, gemp_shard *graph, const gemp_view_key *key, bool *loops)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, gemp_view_lists_new(&lists, graph, key)));
	const row_test a = { .graph = graph, .lists = &lists };
	*loops = gemp_comm_sum1(comm, gemp_any(graph->rows, has_loop, &a)) > 0;
	return GEMP_OK;
}
