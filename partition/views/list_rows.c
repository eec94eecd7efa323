#include "partition/views/list_rows.h"

#include "core/search.h"
#include "core/threads.h"

/* The list of this rank, and the view into which it is copied. */
typedef struct list_copy {
	gemp_view *out;
	const gemp_view_list *list;
	uint64_t first, before; /* the first own row and the first own entry of the view */
} list_copy;

static void copy_offsets(void *context, size_t begin, size_t end)
{
	const list_copy *c = context;
	for (size_t v = begin; v < end; v++) {
		const uint64_t offset = c->before + c->list->offsets[v];
		c->out->begin[c->first + v] = offset;
		c->out->begin32[c->first + v] = (uint32_t)offset;
	}
}

static void number_entries(void *context, size_t begin, size_t end)
{
	const list_copy *c = context;
	for (size_t i = begin; i < end; i++)
		c->out->edges[c->before + i] = c->list->first + (c->list->numbers ? c->list->numbers[i] : i);
}

typedef struct loop_test {
	const gemp_view_list *list;
	uint64_t first;
} loop_test;

/* Rows ascend. */
static bool has_loop(const void *self, size_t v)
{
	const loop_test *t = self;
	const gemp_vertex *row = t->list->neighbours + t->list->offsets[v];
	const size_t size = (size_t)(t->list->offsets[v + 1] - t->list->offsets[v]);
	const size_t at = gemp_lower_bound_u32(row, size, t->first + v);
	return at < size && row[at] == t->first + v;
}

/* Each rank writes the offsets of its own rows, and the last rank the end. */
static void copy_list(const list_copy *c, const gemp_shard *graph)
{
	const uint64_t entries = c->list->offsets[graph->rows];
	const bool last = c->first + graph->rows == graph->vertex_count;
	gemp_for_elements(graph->rows + (last && graph->rank + 1 == graph->ranks), copy_offsets, (void *)c);
	gemp_parallel_copy(c->out->neighbours + c->before, c->list->neighbours, (size_t)entries * sizeof(gemp_vertex));
	if (c->out->edges)
		gemp_for_elements((size_t)entries, number_entries, (void *)c);
	c->out->loops = gemp_any(graph->rows, has_loop, &(loop_test){ c->list, c->first });
}

gemp_code gemp_list_rows_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_view_key *key)
{
	GEMP_OWNED_BY(gemp_view_lists_free) gemp_view_lists lists = { 0 };
	GEMP_TRY(gemp_comm_agree(comm, gemp_view_lists_new(&lists, graph, key)));
	if (comm->size == 1 || comm->node_size < comm->size || key->simple || lists.count != 1)
		return GEMP_OK;
	const uint64_t mine = lists.list[0].offsets[graph->rows], entries = gemp_comm_sum1(comm, mine);
	const list_copy copy = { out, &lists.list[0], graph->first_vertex, gemp_comm_exscan(comm, mine) };
	if (!gemp_view_share(out, comm, (size_t)graph->vertex_count, (size_t)entries, key->edges))
		return GEMP_OK;
	copy_list(&copy, graph);
	gemp_shared_fence(&out->shared);
	return GEMP_OK;
}
