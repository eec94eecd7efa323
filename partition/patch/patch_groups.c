/* An edge that changes its type or an end is moved: it is deleted from its relation and added again. This module finds
 * the moved edges in two passes. The first pass counts them, and the second pass lists them. The moved edges form
 * groups by old relation and new type, with their attributes. Groups of edges that the patch itself adds come first.
 * For each relation the edges of all groups of its type are joined and sent to the owners of their sources. */

#include "partition/patch/patch_groups.h"

#include "comm/exchange.h"
#include "core/bitset.h"
#include "core/memory.h"
#include "core/pages.h"
#include "core/search.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/exchange/value_exchange.h"

#include <string.h>

#define NOWHERE UINT64_MAX

/* Collective. All ranks get all merges, as an edge of any rank may end at a merged vertex. */
static gemp_code join_merged(gemp_edge_patch_state *e)
{
	const gemp_patch *patch = e->p->patch;
	void *all = NULL;
	GEMP_OWNED size_t *begin = NULL;
	if (!e->p->id_map.some_deleted)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_allgather(e->p->comm, GEMP_OK, patch->merges, patch->merge_count * sizeof *patch->merges, &all,
	                             &begin));
	e->merges = all;
	e->merge_count = begin[e->p->comm->size] / sizeof *patch->merges;
	return GEMP_OK;
}

/* Returns the end that replaces a vertex in its edges: the vertex itself, or the vertex that it is merged into. NOWHERE
 * means that the edges are deleted. */
static uint64_t merge_target(const gemp_edge_patch_state *e, gemp_vertex id)
{
	const gemp_id_map *m = &e->p->id_map;
	if (!m->some_deleted || !gemp_bits64_test(m->deleted.words, id))
		return id;
	size_t low;
	GEMP_PARTITION_POINT(low, 0, e->merge_count, e->merges[low].vertex < id);
	if (low == e->merge_count || e->merges[low].vertex != id)
		return NOWHERE;
	uint64_t into = e->merges[low].into;
	return into & GEMP_PATCH_NEW_VERTEX || !gemp_bits64_test(m->deleted.words, into) ? into : NOWHERE;
}

/* The search for the moved edges of one relation. The kind of a moved edge is the number of its new type, or type_count
 * if the edge keeps its type. */
typedef struct move_search {
	gemp_edge_patch_state *e;
	const gemp_relation *relation;
	const uint8_t *actions;
	size_t kinds;             /* type_count + 1 */
	uint64_t *counts;         /* [ranges][kinds] number of edges; then the place of a range's first edge in its group */
	gemp_patch_edges *groups; /* [kinds] the second pass fills the groups; NULL in the first pass */
	uint64_t **edges;         /* [kinds] index of each edge of the group in the relation */
} move_search;

/* Both passes: without groups the function counts the moved edges of each kind, with groups it lists them. */
static void find_range(void *context, size_t range, size_t begin, size_t end)
{
	const move_search *f = context;
	const gemp_shard *from = f->e->p->from;
	uint64_t *counts = f->counts + range * f->kinds;
	for (size_t v = begin; v < end; v++) {
		gemp_vertex id = (gemp_vertex)(from->first_vertex + v);
		uint64_t source = merge_target(f->e, id);
		for (uint64_t e = f->relation->out_offsets[v]; source != NOWHERE && e < f->relation->out_offsets[v + 1]; e++) {
			unsigned action = f->actions ? f->actions[e] : 0;
			uint64_t target = action == 1 ? NOWHERE : merge_target(f->e, f->relation->out_targets[e]);
			if (target == NOWHERE || (!action && source == id && target == f->relation->out_targets[e]))
				continue;
			size_t kind = action ? action - 2 : f->kinds - 1, at = (size_t)counts[kind]++;
			if (!f->groups)
				continue;
			f->groups[kind].source[at] = source;
			f->groups[kind].target[at] = target;
			f->edges[kind][at] = e;
		}
	}
}

/* Turns the counts of the ranges into the places at which the ranges write. */
static gemp_code make_group(move_search *f, size_t kind)
{
	gemp_patch_edges *group = &f->groups[kind];
	size_t ranges = gemp_range_count(f->e->p->from->rows);
	const gemp_patch *patch = f->e->p->patch;
	group->type = kind < patch->type_count ? patch->types[kind] : f->relation->name;
	for (size_t range = 0; range < ranges; range++) {
		uint64_t *count = &f->counts[range * f->kinds + kind], here = *count;
		*count = group->count;
		group->count += here;
	}
	return gemp_new_all(GEMP_ARRAY(group->source, group->count), GEMP_ARRAY(group->target, group->count),
	                    GEMP_ARRAY(f->edges[kind], group->count));
}

/* Copies the attributes of the moved edges. */
static gemp_code take_values(const move_search *f, size_t kind)
{
	gemp_table *values = &f->groups[kind].values;
	const gemp_table *props = &f->relation->props;
	GEMP_TRY(GEMP_RESERVE(values->columns, values->capacity, props->count));
	for (; values->count < props->count; values->count++)
		GEMP_TRY(gemp_column_gather(&values->columns[values->count], &props->columns[values->count], NULL,
		                            f->edges[kind], f->groups[kind].count));
	values->rows = f->groups[kind].count;
	return GEMP_OK;
}

/* Local. Makes one group for each kind of moved edges of one relation. */
static gemp_code find_moves(gemp_edge_patch_state *e, size_t r, gemp_patch_edges *groups)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_state *p = e->p;
	move_search f = { .e = e,
		              .relation = &p->from->relations[r],
		              .actions = p->patch->edge_actions ? p->patch->edge_actions[r] : NULL,
		              .kinds = p->patch->type_count + 1 };
	GEMP_TRY_DONE(
		gemp_new_all(GEMP_ARRAY(f.counts, gemp_range_count(p->from->rows) * f.kinds), GEMP_ARRAY(f.edges, f.kinds)));
	gemp_for_ranges(p->from->rows, find_range, &f);
	f.groups = groups;
	for (size_t kind = 0; kind < f.kinds; kind++)
		GEMP_TRY_DONE(make_group(&f, kind));
	gemp_for_ranges(p->from->rows, find_range, &f);
	for (size_t kind = 0; kind < f.kinds; kind++)
		GEMP_TRY_DONE(take_values(&f, kind));
done:
	for (size_t kind = 0; f.edges && kind < f.kinds; kind++)
		gemp_free(f.edges[kind]);
	gemp_free_all(f.edges, f.counts);
	return code;
}

/* The array of groups has its final capacity before the first group is filled, so it never moves while pointers into it
 * exist. */
gemp_code gemp_patch_groups_new(gemp_edge_patch_state *e)
{
	const gemp_patch *patch = e->p->patch;
	size_t relations = e->p->from->relation_count, kinds = patch->type_count + 1;
	GEMP_TRY(join_merged(e));
	bool moves = e->merge_count || patch->type_count;
	gemp_code code = GEMP_RESERVE(e->groups, e->group_capacity,
	                              patch->added_edge_count + (moves ? relations * kinds : 0) + 1);
	GEMP_TRY(gemp_comm_agree(e->p->comm, code));
	memset(e->groups, 0, e->group_capacity * sizeof *e->groups);
	if (patch->added_edge_count)
		memcpy(e->groups, patch->added_edges, patch->added_edge_count * sizeof *e->groups);
	e->borrowed = e->group_count = patch->added_edge_count;
	for (size_t r = 0; r < relations && moves && code == GEMP_OK; r++) {
		code = find_moves(e, r, e->groups + e->group_count);
		e->group_count += kinds;
	}
	return gemp_comm_agree(e->p->comm, code);
}

/* Takes {0}. The groups of the patch are borrowed and not freed here. */
static void free_added(gemp_patch_edges *group)
{
	gemp_free_all(group->source, group->target);
	gemp_table_free(&group->values);
	*group = (gemp_patch_edges){ 0 };
}

void gemp_patch_groups_free(gemp_edge_patch_state *e)
{
	for (size_t i = e->borrowed; i < e->group_count; i++)
		free_added(&e->groups[i]);
	gemp_free_all(e->groups, e->merges);
}

/* An end of an added edge is an old id or a new vertex. New vertices follow the survivors of their rank. */
static gemp_vertex new_id(const gemp_patch_state *p, uint64_t end)
{
	if (!(end & GEMP_PATCH_NEW_VERTEX))
		return gemp_id_map_get(&p->id_map, (gemp_vertex)end);
	size_t rank = (size_t)((end ^ GEMP_PATCH_NEW_VERTEX) >> 32);
	const gemp_id_map *m = &p->id_map;
	uint64_t old_end = m->old_bounds[rank + 1],
			 gone = m->some_deleted ? gemp_rank_bitmap_rank(&m->deleted, old_end) : 0;
	return (gemp_vertex)(old_end - gone + m->shift[rank] + (end & UINT32_MAX));
}

/* The new ids of one end of the edges of a group. Those of new vertices are a sequence. */
typedef struct end_ids {
	const gemp_patch_state *p;
	const uint64_t *list, *rows; /* end i is list[i], or list[rows[i]] if there are rows; NULL: a sequence */
	uint64_t first, step;        /* the sequence */
} end_ids;

static end_ids ids_of(const gemp_patch_state *p, const uint64_t *list, const gemp_patch_ends *ends)
{
	if (list)
		return (end_ids){ p, list, NULL, 0, 0 };
	if (ends->elements)
		return (end_ids){ p, ends->elements, ends->rows, 0, 0 };
	return (end_ids){ p, NULL, NULL, new_id(p, ends->first), ends->step };
}

static inline gemp_vertex id_at(const end_ids *ids, size_t i)
{
	if (!ids->list)
		return (gemp_vertex)(ids->first + i * ids->step);
	const uint64_t end = ids->list[ids->rows ? ids->rows[i] : i];
	return ids->p->id_map.identity && end <= UINT32_MAX ? (gemp_vertex)end : new_id(ids->p, end);
}

/* The edges of one group while new ids replace their ends. */
typedef struct end_map {
	const gemp_patch_state *p;
	end_ids source, target;
	gemp_edge_pair *edges;
} end_map;

/* Both ends of an added edge are marked as changed. */
static void name_range(void *context, size_t begin, size_t end)
{
	const end_map *n = context;
	for (size_t i = begin; i < end; i++)
		n->edges[i] = (gemp_edge_pair){ id_at(&n->source, i), id_at(&n->target, i) };
	for (size_t i = begin; i < end && n->p->result->changed; i++) {
		gemp_patch_mark_changed(n->p, n->edges[i].source);
		gemp_patch_mark_changed(n->p, n->edges[i].target);
	}
}

/* Returns whether the group adds edges to the relation of that type. */
static bool adds(const gemp_patch_edges *group, const char *type)
{
	return group->type && strcmp(group->type, type) == 0;
}

/* Local. Joins the edges of all groups of the type, with new ids as ends. */
static gemp_code join_edges(gemp_edge_group *out, const gemp_edge_patch_state *e, const char *type)
{
	size_t at = 0;
	for (size_t i = 0; i < e->group_count; i++)
		out->count += adds(&e->groups[i], type) ? e->groups[i].count : 0;
	GEMP_TRY(GEMP_NEW_UNSET(out->edges, out->count));
	for (size_t i = 0; i < e->group_count; i++) {
		const gemp_patch_edges *group = &e->groups[i];
		if (!adds(group, type) || !group->count)
			continue;
		end_map n = { e->p, ids_of(e->p, group->source, &group->sources), ids_of(e->p, group->target, &group->targets),
			          out->edges + at };
		gemp_for_elements(group->count, name_range, &n);
		at += group->count;
	}
	return GEMP_OK;
}

/* Local. Joins one column over the edges of all groups of the type. The values are NULL if a group lacks the column. */
static gemp_code join_column(gemp_column *out, const gemp_edge_patch_state *e, const char *type)
{
	size_t rows = 0;
	GEMP_TRY(gemp_column_reserve(out, 0, 0));
	for (size_t i = 0; i < e->group_count; i++) {
		gemp_patch_edges *group = &e->groups[i];
		if (!adds(group, type))
			continue;
		gemp_column *column = gemp_table_find(&group->values, out->name);
		rows += group->count;
		if (column)
			GEMP_TRY(gemp_column_convert(column, out->type));
		GEMP_TRY(column ? gemp_column_append(out, column) : gemp_column_pad(out, rows));
	}
	return GEMP_OK;
}

/* Returns whether some group of the type has the column. */
static bool has_column(const gemp_edge_patch_state *e, const char *type, const char *name)
{
	for (size_t i = 0; i < e->group_count; i++)
		if (adds(&e->groups[i], type) && gemp_table_find(&e->groups[i].values, name))
			return true;
	return false;
}

/* Local. Adds the columns of the groups to the columns of the relation. The columns get the order that they have in the
 * patch. */
static gemp_code add_columns(const gemp_edge_patch_state *e, const char *type, size_t edges, gemp_table *props)
{
	const gemp_patch_columns *all = &e->p->patch->edges;
	GEMP_OWNED_BY(gemp_table_free) gemp_table made = { .rows = edges };
	size_t old = 0;
	GEMP_TRY(GEMP_RESERVE(made.columns, made.capacity, all->count));
	for (size_t c = 0; c < all->count; c++) {
		gemp_column *column = &made.columns[made.count];
		if (old < props->count && strcmp(props->columns[old].name, all->columns[c].name) == 0) {
			*column = props->columns[old];
			props->columns[old++] = (gemp_column){ 0 };
			made.count++;
		} else if (has_column(e, type, all->columns[c].name)) {
			GEMP_TRY(gemp_column_init(column, all->columns[c].name, all->columns[c].type));
			made.count++;
			GEMP_TRY(gemp_column_pad(column, edges));
		}
	}
	gemp_table_free(props);
	*props = made;
	made = (gemp_table){ 0 };
	return GEMP_OK;
}

/* Local. Joins the edges and attributes of all groups of one relation, in the order of the groups. */
static gemp_code join(gemp_edge_group *out, const gemp_edge_patch_state *e, const char *type, size_t edges,
                      gemp_table *props)
{
	if (e->p->patch->edges.count)
		GEMP_TRY(add_columns(e, type, edges, props));
	GEMP_TRY(join_edges(out, e, type));
	for (size_t c = 0; c < props->count; c++) {
		gemp_column *column;
		GEMP_TRY(gemp_table_add(&out->values, props->columns[c].name, props->columns[c].type, &column));
		GEMP_TRY(join_column(column, e, type));
	}
	return GEMP_OK;
}

/* The owners of the sources of edges. */
typedef struct source_owners {
	const gemp_shard *graph;
	const gemp_edge_pair *edges;
	int *owner;
} source_owners;

static void find_owners(void *context, size_t begin, size_t end)
{
	const source_owners *o = context;
	for (size_t i = begin; i < end; i++)
		o->owner[i] = gemp_shard_owner(o->graph, o->edges[i].source);
}

/* Collective. Sends the edges, and then their columns, to the owners of the new sources. */
static gemp_code send(gemp_edge_group *group, const gemp_patch_state *p)
{
	GEMP_OWNED int *owner = NULL;
	gemp_code code = GEMP_NEW_UNSET(owner, group->count);
	if (code == GEMP_OK)
		gemp_for_elements(group->count, find_owners, &(source_owners){ p->to, group->edges, owner });
	GEMP_TRY(gemp_records_move(p->comm, code, (void **)&group->edges, group->count, sizeof *group->edges, owner,
	                           &group->count));
	for (size_t c = 0; c < group->values.count; c++) {
		gemp_column *column = &group->values.columns[c], received = { 0 };
		GEMP_TRY(gemp_column_exchange(&received, p->comm, column, owner));
		gemp_column_free(column);
		*column = received;
	}
	return GEMP_OK;
}

/* A single rank has all edges already and skips the exchange. */
gemp_code gemp_patch_gather_group(gemp_edge_group *out, const gemp_edge_patch_state *e, const char *type, size_t edges,
                                  gemp_table *props)
{
	GEMP_TRY(gemp_comm_agree(e->p->comm, join(out, e, type, edges, props)));
	if (e->p->comm->size > 1)
		return send(out, e->p);
	return GEMP_OK;
}

void gemp_edge_group_free(gemp_edge_group *group)
{
	gemp_free(group->edges);
	gemp_table_free(&group->values);
	*group = (gemp_edge_group){ 0 };
}
