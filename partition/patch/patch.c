/* Which vertices stay, and the ids of all. */

#include "partition/patch/patch.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"
#include "partition/build/rows_by_target.h"
#include "partition/patch/patch_keys.h"
#include "partition/patch/patch_relations.h"
#include "partition/patch/patch_vertices.h"

#include <string.h>

/* Collective. */
static gemp_code join_changed(gemp_patch_state *p)
{
	uint64_t *words = p->result->changed;
	if (!words)
		return GEMP_OK;
	gemp_patch_mark_vertices(p);
	GEMP_MPI(
		MPI_Allreduce(MPI_IN_PLACE, words, (int)(p->to->vertex_count / 64 + 1), MPI_UINT64_T, MPI_BOR, p->comm->world));
	return GEMP_OK;
}

/* Words of the bitmap are shared out, not rows, so that no two threads write to one word. */
static void mark_deleted_words(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	gemp_patch_state *p = context;
	const gemp_shard *g = p->from;
	uint64_t first = (g->first_vertex / 64 + begin) * 64, last = (g->first_vertex / 64 + end) * 64;
	uint64_t id = first > g->first_vertex ? first : g->first_vertex, own_end = g->first_vertex + g->rows;
	for (; id < last && id < own_end; id++)
		if (p->patch->deleted[id - g->first_vertex])
			gemp_bits64_set(p->id_map.deleted.words, id);
}

/* Collective. */
static gemp_code merge_deleted(gemp_patch_state *p)
{
	const gemp_shard *g = p->from;
	uint64_t some = 0;
	for (size_t row = 0; p->patch->deleted && !some && row < g->rows; row++)
		some = p->patch->deleted[row] != 0;
	gemp_comm_max(p->comm, &some, 1);
	p->id_map.some_deleted = some;
	if (!some)
		return GEMP_OK;
	GEMP_PROPAGATE(gemp_comm_agree(p->comm, gemp_rank_bitmap_new(&p->id_map.deleted, g->vertex_count)));
	if (p->patch->deleted && g->rows)
		gemp_for_ranges((g->first_vertex + g->rows - 1) / 64 - g->first_vertex / 64 + 1, mark_deleted_words, p);
	gemp_rank_bitmap_merge(&p->id_map.deleted, p->comm);
	return GEMP_OK;
}

/* Collective. Bounds, and how far each rank's ids shift. */
static gemp_code find_bounds(gemp_patch_state *p)
{
	gemp_id_map *m = &p->id_map;
	const uint64_t *old = p->from->bounds;
	size_t ranks = m->ranks = (size_t)p->comm->size;
	GEMP_PROPAGATE(
		gemp_comm_agree(p->comm, gemp_new_all(GEMP_ARRAY(m->old_bounds, ranks + 1),
	                                          GEMP_ARRAY(m->new_bounds, ranks + 1), GEMP_ARRAY(m->shift, ranks))));
	memcpy(m->old_bounds, old, (ranks + 1) * sizeof *old);
	m->new_bounds[p->comm->rank + 1] = p->patch->new_vertices;
	gemp_comm_sum(p->comm, m->new_bounds, (int)ranks + 1);
	m->identity = !m->some_deleted;
	for (size_t r = 0; r < ranks; r++) {
		uint64_t before = m->some_deleted ? gemp_rank_bitmap_rank(&m->deleted, old[r]) : 0;
		uint64_t after = m->some_deleted ? gemp_rank_bitmap_rank(&m->deleted, old[r + 1]) : 0;
		p->new_vertices += m->new_bounds[r + 1];
		m->shift[r] = m->new_bounds[r] - (old[r] - before);
		m->identity &= m->shift[r] == 0 || old[r] == old[r + 1];
		m->new_bounds[r + 1] += m->new_bounds[r] + (old[r + 1] - old[r]) - (after - before);
	}
	if (m->new_bounds[ranks] > GEMP_MAX_VERTICES)
		return gemp_fail(GEMP_EDATA, "the graph would have %" PRIu64 " vertices, but it may have at most %" PRIu64,
		                 m->new_bounds[ranks], GEMP_MAX_VERTICES);
	return GEMP_OK;
}

/* Where a range of rows begins among the survivors follows from the rank bitmap, so that ranges are independent. */
static void list_surviving_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const gemp_patch_state *p = context;
	const gemp_shard *g = p->from;
	bool some = p->id_map.some_deleted;
	size_t to = begin;
	if (some)
		to -= (size_t)(gemp_rank_bitmap_rank(&p->id_map.deleted, g->first_vertex + begin) -
		               gemp_rank_bitmap_rank(&p->id_map.deleted, g->first_vertex));
	for (size_t row = begin; row < end; row++)
		if (!some || !gemp_bits64_test(p->id_map.deleted.words, g->first_vertex + row))
			p->surviving[to++] = row;
}

/* Local. New vertices are rows behind the old ones; without deletions no list is needed. */
static gemp_code find_surviving(gemp_patch_state *p)
{
	if (!p->id_map.some_deleted)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(p->surviving, p->surviving_count));
	gemp_for_ranges(p->from->rows, list_surviving_range, p);
	for (size_t i = 0; i < p->patch->new_vertices; i++)
		p->surviving[p->survivors + i] = p->from->rows + i;
	return GEMP_OK;
}

/* Collective. Survivors keep their order within a rank, and new vertices follow them. */
static gemp_code assign_ids(gemp_patch_state *p)
{
	const gemp_shard *from = p->from;
	gemp_shard *to = p->to;
	GEMP_PROPAGATE(merge_deleted(p));
	GEMP_PROPAGATE(find_bounds(p));
	GEMP_PROPAGATE(gemp_comm_agree(p->comm, GEMP_NEW(to->bounds, p->id_map.ranks + 1)));
	memcpy(to->bounds, p->id_map.new_bounds, (p->id_map.ranks + 1) * sizeof *to->bounds);
	to->rank = from->rank;
	to->ranks = from->ranks;
	to->seed = from->seed;
	to->vertex_count = to->bounds[to->ranks];
	to->first_vertex = to->bounds[to->rank];
	to->rows = p->surviving_count = (size_t)(to->bounds[to->rank + 1] - to->first_vertex);
	p->survivors = to->rows - p->patch->new_vertices;
	return gemp_comm_agree(p->comm, find_surviving(p));
}

/* Collective. */
static gemp_code patch_all(gemp_patch_state *p)
{
	gemp_code code = GEMP_OK;
	GEMP_PROPAGATE(gemp_comm_agree(p->comm, GEMP_NEW(p->to, 1)));
	p->to->loader = gemp_rows_by_target_source(p->comm);
	GEMP_PROPAGATE(assign_ids(p));
	if (p->patch->want_changed)
		code = GEMP_NEW(p->result->changed, p->to->vertex_count / 64 + 1);
	GEMP_PROPAGATE(gemp_comm_agree(p->comm, code));
	GEMP_PROPAGATE(gemp_patch_keys(p));
	GEMP_PROPAGATE(gemp_patch_labels(p));
	GEMP_PROPAGATE(gemp_patch_attributes(p));
	GEMP_PROPAGATE(gemp_patch_relations(p));
	return join_changed(p);
}

/* Collective. *out: NULL after an error. */
static gemp_code apply(gemp_shard **out, gemp_patch_state *p)
{
	gemp_code code = patch_all(p);
	*out = p->to;
	if (code != GEMP_OK) {
		gemp_shard_free(p->to);
		*out = NULL;
	}
	gemp_free(p->surviving);
	p->result->id_map = p->id_map;
	return code;
}

gemp_code gemp_shard_patch(gemp_shard **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patch_result *done)
{
	gemp_shard *new = NULL;
	GEMP_OWNED_BY(gemp_patch_result_free) gemp_patch_result local = { 0 };
	gemp_patch_state p = { .comm = comm, .from = *graph, .patch = patch, .result = &local };
	GEMP_PROPAGATE(gemp_shard_load_outgoing(*graph));
	GEMP_PROPAGATE(apply(&new, &p));
	gemp_shard_free(*graph);
	*graph = new;
	if (done) {
		*done = local;
		local = (gemp_patch_result){ 0 };
	}
	return GEMP_OK;
}

/* FREEING */

/* Values and names are owned by the patch. */
static void free_columns(gemp_patch_columns *all)
{
	for (size_t i = 0; i < all->value_count; i++) {
		gemp_free(all->values[i].rows);
		gemp_column_free(&all->values[i].values);
	}
	for (size_t c = 0; c < all->count; c++)
		gemp_free(all->columns[c].name);
	gemp_free_all(all->values, all->columns);
}

void gemp_patch_free(gemp_patch *patch)
{
	gemp_free_all(patch->deleted, patch->merges, patch->numbers);
	gemp_dictionary_free(&patch->sets);
	gemp_free_all(patch->label_set, patch->added_sets);
	free_columns(&patch->vertices);
	free_columns(&patch->edges);
	for (size_t r = 0; patch->edge_actions && r < patch->relation_count; r++)
		gemp_free(patch->edge_actions[r]);
	gemp_free_all(patch->edge_actions, patch->types);
	for (size_t i = 0; i < patch->added_edge_count; i++) {
		gemp_free_all(patch->added_edges[i].source, patch->added_edges[i].target);
		gemp_table_free(&patch->added_edges[i].values);
	}
	gemp_free(patch->added_edges);
	*patch = (gemp_patch){ 0 };
}

/* Takes {0}. */
static void free_id_map(gemp_id_map *moved)
{
	gemp_free_all(moved->old_bounds, moved->new_bounds, moved->shift);
	gemp_rank_bitmap_free(&moved->deleted);
	*moved = (gemp_id_map){ 0 };
}

void gemp_patch_result_free(gemp_patch_result *done)
{
	free_id_map(&done->id_map);
	gemp_free(done->relations);
	for (size_t i = 0; done->origins && i < done->origin_count; i++)
		gemp_free(done->origins[i]);
	gemp_free_all(done->origins, done->changed);
	*done = (gemp_patch_result){ 0 };
}
