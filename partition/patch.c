#include "partition/patch.h"

#include "core/memory.h"
#include "core/threads.h"
#include "partition/on_demand.h"
#include "partition/patch_parts.h"

/* Collective. */
static gemp_code join_changed(gemp_patching *p)
{
	uint64_t *words = p->done->changed;
	if (!words)
		return GEMP_OK;
	gemp_patch_note_vertices(p);
	GEMP_MPI(MPI_Allreduce(MPI_IN_PLACE, words, (int)(p->to->vertices / 64 + 1), MPI_UINT64_T, MPI_BOR,
	                       p->comm->world));
	return GEMP_OK;
}

/* Collective. */
static gemp_code patch_all(gemp_patching *p)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(p->to, 1)));
	p->to->source = gemp_rows_on_demand(p->comm);
	GEMP_TRY(gemp_patch_ids(p));
	if (p->patch->want_changed)
		code = GEMP_NEW(p->done->changed, p->to->vertices / 64 + 1);
	GEMP_TRY(gemp_comm_agree(p->comm, code));
	GEMP_TRY(gemp_patch_keys(p));
	GEMP_TRY(gemp_patch_labels(p));
	GEMP_TRY(gemp_patch_attributes(p));
	GEMP_TRY(gemp_patch_relations(p));
	code = join_changed(p);
done:
	return code;
}

/* Collective. *out: NULL after an error. */
static gemp_code apply(gemp_graph **out, gemp_patching *p)
{
	gemp_code code = patch_all(p);
	*out = p->to;
	if (code != GEMP_OK) {
		gemp_graph_free(p->to);
		*out = NULL;
	}
	gemp_free(p->kept);
	p->done->moved = p->moved;
	return code;
}

gemp_code gemp_graph_patch(gemp_graph **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patched *done)
{
	gemp_code code = GEMP_OK;
	gemp_graph *new = NULL;
	gemp_patched local = { 0 };
	gemp_patching p = { .comm = comm, .from = *graph, .patch = patch, .done = &local };
	GEMP_TRY(gemp_graph_need_all_once(*graph));
	GEMP_TRY(apply(&new, &p));
	gemp_graph_free(*graph);
	*graph = new;
	if (done) {
		*done = local;
		local = (gemp_patched){ 0 };
	}
done:
	gemp_patched_free(&local);
	return code;
}

/* FREEING */

static void free_columns(gemp_patch_columns *all)
{
	for (size_t i = 0; i < all->put_count; i++) {
		gemp_free(all->puts[i].rows);
		gemp_column_free(&all->puts[i].values);
	}
	for (size_t c = 0; c < all->count; c++)
		gemp_free(all->columns[c].name);
	gemp_free(all->puts);
	gemp_free(all->columns);
}

void gemp_patch_free(gemp_patch *patch)
{
	gemp_free(patch->gone);
	gemp_free(patch->merged);
	gemp_free(patch->numbers);
	gemp_dictionary_free(&patch->sets);
	gemp_free(patch->label_set);
	gemp_free(patch->added_sets);
	free_columns(&patch->vertices);
	free_columns(&patch->edges);
	for (size_t r = 0; patch->fates && r < patch->relation_count; r++)
		gemp_free(patch->fates[r]);
	gemp_free(patch->fates);
	gemp_free(patch->types);
	for (size_t i = 0; i < patch->added_edge_count; i++) {
		gemp_free(patch->added_edges[i].source);
		gemp_free(patch->added_edges[i].target);
		gemp_table_free(&patch->added_edges[i].values);
	}
	gemp_free(patch->added_edges);
	*patch = (gemp_patch){ 0 };
}

void gemp_moved_free(gemp_moved *moved)
{
	gemp_free(moved->old_bounds);
	gemp_free(moved->new_bounds);
	gemp_free(moved->shift);
	gemp_bit_ranks_free(&moved->gone);
	*moved = (gemp_moved){ 0 };
}

void gemp_patched_free(gemp_patched *done)
{
	gemp_moved_free(&done->moved);
	gemp_free(done->relations);
	for (size_t i = 0; done->origins && i < done->origin_count; i++)
		gemp_free(done->origins[i]);
	gemp_free(done->origins);
	gemp_free(done->changed);
	*done = (gemp_patched){ 0 };
}
