/* Resident rows after a patch of their graph: they stay, are merged with the changes, or are freed. */

#include "core/limits.h"
#include "core/log.h"
#include "core/memory.h"
#include "partition/views/resident.h"
#include "partition/views/view_growth.h"

/* Local. The relations of the keys get their new indices. *possible becomes false if one of them no longer exists. */
static gemp_code follow_keys(gemp_resident *resident, const gemp_shard *graph, const gemp_patch_result *patched,
                             bool *possible)
{
	bool *relations;
	GEMP_TRY(GEMP_NEW(relations, resident->view_count * graph->relation_count));
	for (size_t v = 0; v < resident->view_count; v++) {
		for (size_t r = 0; r < patched->relation_count; r++) {
			size_t now = patched->relations[r];
			if (!resident->keys[v].relations[r])
				continue;
			*possible &= now != SIZE_MAX;
			if (now != SIZE_MAX)
				relations[v * graph->relation_count + now] = true;
		}
		resident->keys[v].relations = relations + v * graph->relation_count;
	}
	gemp_free(resident->relations);
	resident->relations = relations;
	return GEMP_OK;
}

/* True if none of the relations has changed on any rank. */
static bool all_same(const gemp_resident *resident, const gemp_patch_result *patched)
{
	for (size_t v = 0; v < resident->view_count; v++)
		for (size_t r = 0; r < patched->relation_count; r++)
			if (resident->keys[v].relations[r] && !patched->growth[r].same)
				return false;
	return true;
}

/* The number of relations up to the last one of a view with edge numbers; 0 if the view has none. */
static size_t last_relation(const gemp_resident *resident, size_t v, const gemp_patch_result *patched)
{
	size_t last = resident->keys[v].edges ? patched->relation_count : 0;
	while (last && !resident->keys[v].relations[last - 1])
		last--;
	return last;
}

/* True if no view has edge numbers, or if no number has changed: the numbers of a relation follow those of all
 * relations before it. */
static bool numbers_stay(const gemp_resident *resident, const gemp_patch_result *patched)
{
	bool stay = true;
	for (size_t v = 0; v < resident->view_count; v++)
		for (size_t r = 0, last = last_relation(resident, v, patched); r < last && stay; r++)
			stay = patched->growth[r].same && patched->relations[r] == r;
	return stay;
}

/* Local. New vertices get slots behind the others. */
static gemp_code grow_order(gemp_resident *resident, const gemp_shard *graph)
{
	if (resident->order.vertices == graph->vertex_count)
		return GEMP_OK;
	GEMP_TRY(gemp_slot_order_grow(&resident->order, graph->vertex_count));
	gemp_residency_free(&resident->residency);
	return gemp_residency_new(&resident->residency, graph, &resident->order, (gemp_vertex)graph->vertex_count);
}

/* Copies on other devices borrow arrays of the host, which grow. */
static void free_copies(gemp_resident *resident)
{
	for (size_t c = 0; c < resident->copy_count; c++) {
		for (size_t v = 0; v < resident->view_count; v++)
			gemp_view_unload(&resident->copies[c].views[v]);
		gemp_free(resident->copies[c].views);
	}
	resident->copy_count = 0;
}

/* Local, on a single rank. Merges new entries into all views. */
static gemp_code grow_views(gemp_resident *resident, const gemp_shard *graph, const gemp_patch_result *patched,
                            bool *possible)
{
	GEMP_TRY(grow_order(resident, graph));
	free_copies(resident);
	resident->bytes = resident->replica_bytes = 0;
	for (size_t v = 0; v < resident->view_count && *possible; v++) {
		GEMP_OWNED_BY(gemp_view_growth_free) gemp_view_growth growth = { 0 };
		gemp_view *view = &resident->views[v];
		GEMP_TRY(gemp_view_growth_new(&growth, possible, graph, patched, &resident->order, &resident->keys[v]));
		*possible &= resident->wide || view->begin[view->rows] + growth.count <= UINT32_MAX - 64;
		*possible &= !view->edges || view->rows == graph->rows;
		if (*possible && (growth.count || view->rows != graph->rows))
			GEMP_TRY(gemp_view_grow(view, graph->rows, &growth, resident->wide));
		resident->bytes += gemp_resident_view_bytes(view, view->rows);
		resident->replica_bytes += gemp_resident_view_bytes(view, view->rows);
	}
	return GEMP_OK;
}

/* Local, with the same result on all ranks. Shared arrays cannot grow. */
static bool may_grow(const gemp_resident *resident, const gemp_shard *graph)
{
	bool possible = graph->ranks == 1 && !resident->order.shared.bytes;
	for (size_t v = 0; v < resident->view_count; v++)
		possible &= !resident->views[v].shared.bytes;
	return possible;
}

/* Collective, for tests. Compares the rows of a single rank with those of the graph. */
static gemp_code check_views(const gemp_resident *resident, gemp_shard *graph)
{
	for (size_t v = 0; v < resident->view_count; v++) {
		GEMP_TRY(gemp_view_load(graph, &resident->keys[v]));
		GEMP_TRY(gemp_view_check(&resident->views[v], graph, &resident->order, &resident->keys[v]));
	}
	return GEMP_OK;
}

/* Collective. *stays becomes true if the rows have followed the patch. */
static gemp_code follow(gemp_resident *resident, gemp_shard *graph, const gemp_patch_result *patched, bool *stays)
{
	const bool same = all_same(resident, patched) && resident->order.vertices == graph->vertex_count;
	gemp_code code = GEMP_OK;
	*stays = patched->id_map.identity && numbers_stay(resident, patched) && (same || may_grow(resident, graph));
	if (!*stays)
		return GEMP_OK;
	code = follow_keys(resident, graph, patched, stays);
	resident->graph = graph;
	if (!same && *stays)
		GEMP_THEN(grow_views(resident, graph, patched, stays));
	GEMP_TRY(gemp_comm_agree(resident->context->comm, code));
	if (*stays && gemp_limits_now()->resident_check && graph->ranks == 1)
		return check_views(resident, graph);
	return GEMP_OK;
}

/* The list is taken apart and made again of the entries that stay. Rows of other graphs stay as they are. */
gemp_code gemp_resident_follow(gemp_runtime *context, const gemp_shard *before, gemp_shard *graph,
                               const gemp_patch_result *patched)
{
	gemp_code code = GEMP_OK;
	size_t kept = 0, freed = 0;
	for (gemp_resident *r = context->resident, *next; r; r = next) {
		bool stays = false;
		next = r->next;
		if (r->graph != before)
			continue;
		GEMP_CHECK(!r->users);
		if (code == GEMP_OK && patched->growth)
			code = follow(r, graph, patched, &stays);
		kept += code == GEMP_OK && stays;
		freed += code != GEMP_OK || !stays;
		if (code != GEMP_OK || !stays)
			gemp_resident_free(r);
	}
	if (kept + freed)
		gemp_log(GEMP_VERBOSE, "resident rows: %zu kept or merged with the changes, %zu freed", kept, freed);
	return code;
}
