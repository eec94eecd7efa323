/* Makes the relations of the new graph. A relation is of one of three kinds. The arrays of an untouched relation
 * move to the new graph, and only the targets get new ids. The rows of a changed relation are merged with added
 * edges, and its attributes are permuted like the edges. A new relation has added edges only.
 *
 * A relation is changed if any rank deletes, moves or adds edges of the relation: a reduction tells all ranks, so
 * they take the same decision. If any vertex is deleted, all old relations are made like changed relations.
 * Relations without edges and columns without values are dropped. */

#include "core/bitset.h"
#include "core/memory.h"
#include "core/search.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/build/row_builder.h"
#include "partition/patch/patch_groups.h"
#include "partition/patch/patch_rows.h"
#include "partition/patch/patch_state.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the column, or the number of columns if no column has the name. A moved column has no name. */
static size_t column_index(const gemp_table *table, const char *name)
{
	size_t c = 0;
	while (c < table->count && (!table->columns[c].name || strcmp(table->columns[c].name, name) != 0))
		c++;
	return c;
}

/* Returns whether the patch has new values for edges of the relation in the column, or in any column if `column` is
 * SIZE_MAX. */
static bool has_puts(const gemp_patch_columns *all, size_t relation, size_t column)
{
	for (size_t i = 0; i < all->value_count; i++)
		if (all->values[i].relation == relation && (column == SIZE_MAX || all->values[i].column == column))
			return true;
	return false;
}

/* Moves or makes column c, if the relation has it or gets values in it. */
static gemp_code put_column(const gemp_patch_columns *all, size_t relation, size_t c, size_t edges, gemp_table *old,
                            gemp_table *out)
{
	size_t at = column_index(old, all->columns[c].name);
	if (at == old->count && !has_puts(all, relation, c))
		return GEMP_OK;
	gemp_column *column = &out->columns[out->count++];
	*column = (gemp_column){ 0 };
	if (at < old->count) {
		*column = old->columns[at];
		old->columns[at] = (gemp_column){ 0 };
	} else {
		GEMP_TRY(gemp_column_init(column, all->columns[c].name, all->columns[c].type));
	}
	GEMP_TRY(gemp_column_convert(column, all->columns[c].type));
	GEMP_TRY(gemp_column_pad(column, edges));
	for (size_t i = 0; i < all->value_count; i++)
		if (all->values[i].relation == relation && all->values[i].column == c)
			GEMP_TRY(gemp_column_scatter(column, all->values[i].rows, all->values[i].count, &all->values[i].values));
	return GEMP_OK;
}

/* Local. Writes the patch's values into the attributes of old edges. The columns get the order that they have in the
 * patch. */
static gemp_code put_edge_values(gemp_patch_state *p)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_columns *all = &p->patch->edges;
	for (size_t r = 0; r < p->from->relation_count && all->count; r++) {
		gemp_relation *relation = &p->from->relations[r];
		gemp_table made = { .rows = relation->props.rows };
		code = GEMP_RESERVE(made.columns, made.capacity, all->count);
		for (size_t c = 0; c < all->count && code == GEMP_OK; c++)
			code = put_column(all, r, c, (size_t)relation->out_offsets[p->from->rows], &relation->props, &made);
		gemp_table_free(&relation->props);
		relation->props = made;
		GEMP_TRY(code);
	}
	return GEMP_OK;
}

/* All relations of the old and the new graph by name, and whether some rank changes them. */
typedef struct relation_state {
	gemp_edge_patch_state edges;
	gemp_patch_state *p;
	size_t count;
	const char **names; /* [count] sorted */
	uint64_t *touched;  /* [from->relation_count] 1: some rank changes or deletes edges of the old relation */
	/* [count] 1: some rank adds edges to the relation with the name; in the memory behind `touched` */
	uint64_t *adds;
} relation_state;

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Local. Lists the names of the graph's relations and the types of added edges, each name once. */
static gemp_code list_names(relation_state *all)
{
	const gemp_shard *from = all->p->from;
	size_t count = 0;
	GEMP_TRY(GEMP_NEW(all->names, from->relation_count + all->edges.group_count + 1));
	for (size_t r = 0; r < from->relation_count; r++)
		all->names[count++] = from->relations[r].name;
	for (size_t i = 0; i < all->edges.group_count; i++)
		all->names[count++] = all->edges.groups[i].type;
	qsort(all->names, count, sizeof *all->names, compare_names);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(all->names[i], all->names[all->count - 1]) != 0)
			all->names[all->count++] = all->names[i];
	GEMP_TRY(GEMP_NEW(all->touched, from->relation_count + all->count));
	all->adds = all->touched + from->relation_count;
	return GEMP_OK;
}

/* Collective. All ranks learn which relations change, since making a relation is collective. */
static void find_touched(relation_state *all)
{
	const gemp_shard *from = all->p->from;
	for (size_t r = 0; r < from->relation_count; r++)
		all->touched[r] = all->p->patch->edge_actions && all->p->patch->edge_actions[r];
	for (size_t n = 0; n < all->count; n++)
		for (size_t i = 0; i < all->edges.group_count; i++)
			if (all->edges.groups[i].count && strcmp(all->edges.groups[i].type, all->names[n]) == 0)
				all->adds[n] = 1;
	gemp_comm_max(all->p->comm, all->touched, (int)(from->relation_count + all->count));
}

/* One relation while the ends of its changed edges are marked. */
typedef struct change_marks {
	const gemp_patch_state *p;
	const gemp_relation *relation;
	const uint8_t *actions;
	const gemp_patch_values *put;
} change_marks;

/* Marks both ends of an old edge as changed. A deleted vertex has no bit. */
static void mark_ends(const change_marks *n, size_t row, uint64_t edge)
{
	gemp_patch_mark_changed(n->p, gemp_id_map_get(&n->p->id_map, (gemp_vertex)(n->p->from->first_vertex + row)));
	gemp_patch_mark_changed(n->p, gemp_id_map_get(&n->p->id_map, n->relation->out_targets[edge]));
}

/* An edge is deleted by its own action or with one of its ends. */
static void mark_deleted_ends(void *context, size_t begin, size_t end)
{
	const change_marks *n = context;
	const gemp_shard *from = n->p->from;
	const gemp_id_map *m = &n->p->id_map;
	for (size_t v = begin; v < end; v++) {
		bool gone = m->some_deleted && gemp_bits64_test(m->deleted.words, from->first_vertex + v);
		for (uint64_t e = n->relation->out_offsets[v]; e < n->relation->out_offsets[v + 1]; e++)
			if (gone || (n->actions && n->actions[e]) ||
			    (m->some_deleted && gemp_bits64_test(m->deleted.words, n->relation->out_targets[e])))
				mark_ends(n, v, e);
	}
}

/* Few edges get new values, so a binary search finds the row of each edge. */
static void mark_updated_ends(void *context, size_t begin, size_t end)
{
	const change_marks *n = context;
	for (size_t i = begin; i < end; i++) {
		uint64_t edge = n->put->rows[i];
		mark_ends(n, gemp_range_find(n->relation->out_offsets, n->p->from->rows, edge), edge);
	}
}

/* Called only if the caller wants the changed vertices. */
static void mark_changed_ends(const relation_state *all, size_t r)
{
	const gemp_patch_state *p = all->p;
	const gemp_patch_columns *columns = &p->patch->edges;
	change_marks n = { p, &p->from->relations[r], p->patch->edge_actions ? p->patch->edge_actions[r] : NULL, NULL };
	if (p->id_map.some_deleted || n.actions)
		gemp_for_elements(p->from->rows, mark_deleted_ends, &n);
	for (size_t i = 0; i < columns->value_count; i++) {
		n.put = &columns->values[i];
		if (n.put->relation == r)
			gemp_for_elements(n.put->count, mark_updated_ends, &n);
	}
}

/* One relation of the new graph while it is made. */
typedef struct relation_task {
	const relation_state *all;
	const char *name;
	size_t old_index;   /* SIZE_MAX if the relation is new */
	gemp_relation *old; /* NULL if the relation is new */
	gemp_relation *to;
	bool added, touched, put;
	uint64_t **origin;            /* result; NULL if origins are not wanted */
	gemp_relation_growth *growth; /* result; NULL if it is not wanted or the relation is new */
} relation_task;

static void number_in_order(void *context, size_t begin, size_t end)
{
	uint64_t *order = context;
	for (size_t e = begin; e < end; e++)
		order[e] = e;
}

/* Local. New values may change the order of parallel edges. */
static gemp_code sort_kept(const relation_task *m, uint64_t edges)
{
	if (m->origin) {
		GEMP_TRY(GEMP_NEW(*m->origin, edges));
		gemp_for_elements((size_t)edges, number_in_order, *m->origin);
	}
	return gemp_rows_sort_parallel(m->to->out_offsets, m->to->out_targets, m->all->p->to->rows, &m->to->props,
	                               m->origin ? *m->origin : NULL);
}

/* Local. Moves offsets, which new vertices make longer. */
static gemp_code keep_offsets(uint64_t **to, uint64_t **from, size_t before, size_t rows)
{
	uint64_t *offsets = gemp_realloc(*from, rows + 1, sizeof *offsets);
	GEMP_TRY(offsets ? GEMP_OK : GEMP_ENOMEM);
	*from = NULL;
	*to = offsets;
	for (size_t row = before; row < rows; row++)
		offsets[row + 1] = offsets[before];
	return GEMP_OK;
}

/* Local. If no id changes, the rows by target stay, too, since the next search would make them again. */
static gemp_code keep_rows_by_target(const relation_task *m)
{
	const gemp_patch_state *p = m->all->p;
	gemp_relation *old = m->old, *to = m->to;
	if (!(old->loaded & GEMP_LOAD_IN))
		return GEMP_OK;
	GEMP_TRY(keep_offsets(&to->in_offsets, &old->in_offsets, p->from->rows, p->to->rows));
	to->in_sources = old->in_sources;
	to->in_edges = old->in_edges;
	old->in_sources = NULL;
	old->in_edges = NULL;
	to->loaded = old->loaded & (GEMP_LOAD_IN | GEMP_LOAD_IN_EDGES);
	return GEMP_OK;
}

/* Local. Moves the arrays. Targets get new ids, and new vertices get empty rows. */
static gemp_code keep_rows(relation_task *m)
{
	const gemp_patch_state *p = m->all->p;
	size_t before = p->from->rows, rows = p->to->rows;
	uint64_t edges = m->old->out_offsets[before];
	GEMP_TRY(keep_offsets(&m->to->out_offsets, &m->old->out_offsets, before, rows));
	m->to->out_targets = m->old->out_targets;
	m->old->out_targets = NULL;
	gemp_patch_targets(p, m->to->out_targets, edges);
	m->to->multigraph = m->old->multigraph;
	m->to->reciprocal = m->old->reciprocal;
	m->to->props = m->old->props;
	m->old->props = (gemp_table){ 0 };
	if (p->id_map.identity)
		GEMP_TRY(keep_rows_by_target(m));
	return m->put && m->to->multigraph && m->to->props.count ? sort_kept(m, edges) : GEMP_OK;
}

/* Local. Puts the attributes of old and added edges into the order of the new rows. Then parallel edges are sorted by
 * their attributes. */
static gemp_code permute_props(relation_task *m, const gemp_row_patch *r, const gemp_edge_group *group)
{
	gemp_table *old = m->old ? &m->old->props : NULL, *out = &m->to->props;
	size_t edges = (size_t)r->begin[m->all->p->to->rows];
	GEMP_TRY(GEMP_RESERVE(out->columns, out->capacity, group->values.count));
	for (size_t c = 0; c < group->values.count; c++) {
		const gemp_column *added = &group->values.columns[c];
		GEMP_TRY(old ? gemp_column_gather(&out->columns[c], &old->columns[c], added, r->order, edges)
		             : gemp_column_gather(&out->columns[c], added, NULL, r->order, edges));
		out->count++;
		if (old)
			gemp_column_free(&old->columns[c]);
	}
	out->rows = edges;
	if (r->parallel && out->count)
		return gemp_rows_sort_parallel(r->begin, r->out, m->all->p->to->rows, out, r->order);
	return GEMP_OK;
}

/* The order of one relation's edges while it becomes their origins. */
typedef struct origin_state {
	uint64_t *order;
	uint64_t old; /* number of old edges; numbers from `old` on are added edges */
	bool number_added;
} origin_state;

/* An added edge has no origin, but it may have a number. */
static void clear_new_origins(void *context, size_t begin, size_t end)
{
	const origin_state *o = context;
	for (size_t e = begin; e < end; e++)
		if (o->order[e] >= o->old)
			o->order[e] = o->number_added ? GEMP_PATCH_ADDED | (o->order[e] - o->old) : GEMP_NO_EDGE;
}

/* Local. Old targets are freed as soon as the new rows exist. */
static gemp_code make_rows(relation_task *m, const gemp_edge_group *group)
{
	gemp_code code = GEMP_OK;
	const gemp_patch_state *p = m->all->p;
	gemp_row_patch r = { .p = p,
		                 .old = m->old,
		                 .added = group->count,
		                 .edges = group->edges,
		                 .ordered = group->values.count || m->origin,
		                 .wants_keys = m->growth != NULL };
	uint64_t old = m->old ? m->old->out_offsets[p->from->rows] : 0;
	if (m->old && p->patch->edge_actions)
		r.edge_actions = p->patch->edge_actions[m->old_index];
	GEMP_TRY_DONE(gemp_patch_rows(&r));
	if (m->old) {
		gemp_free(m->old->out_targets);
		m->old->out_targets = NULL;
	}
	GEMP_TRY_DONE(permute_props(m, &r, group));
	if (m->growth) {
		*m->growth = (gemp_relation_growth){ .grown = r.merged, .count = r.merged ? r.added : 0, .added = r.keys };
		r.keys = NULL;
	}
	m->to->multigraph = r.parallel;
	m->to->props.rows = (size_t)r.begin[p->to->rows];
	m->to->out_offsets = r.begin;
	m->to->out_targets = r.out;
	r.begin = NULL;
	r.out = NULL;
	if (!m->origin)
		goto done;
	gemp_for_elements(m->to->props.rows, clear_new_origins, &(origin_state){ r.order, old, p->patch->number_added });
	*m->origin = r.order;
	r.order = NULL;
done:
	gemp_free_all(r.begin, r.out, r.order, r.keys);
	return code;
}

/* Collective. Numbers the edges over all ranks, and drops columns in which no rank has a value. */
static gemp_code commit_relation(relation_task *m)
{
	const gemp_patch_state *p = m->all->p;
	gemp_table *props = &m->to->props;
	uint64_t mine = m->to->out_offsets[p->to->rows];
	GEMP_OWNED uint64_t *facts = NULL;
	bool drops = m->put || m->added || m->touched || p->id_map.some_deleted;
	size_t kept = 0, columns = drops ? props->count : 0;
	GEMP_TRY(gemp_comm_agree(p->comm, GEMP_NEW(facts, 2 + columns)));
	facts[0] = mine;
	facts[1] = m->to->multigraph;
	for (size_t c = 0; c < columns; c++)
		facts[2 + c] = gemp_column_has_value(&props->columns[c]);
	gemp_comm_sum(p->comm, facts, (int)(2 + columns));
	m->to->first_edge = gemp_comm_exscan(p->comm, mine);
	m->to->edge_count = facts[0];
	m->to->multigraph = facts[1] > 0;
	for (size_t c = 0; c < columns; c++) {
		gemp_column column = props->columns[c];
		props->columns[c] = (gemp_column){ 0 };
		if (facts[2 + c])
			props->columns[kept++] = column;
		else
			gemp_column_free(&column);
	}
	props->count = drops ? kept : props->count;
	m->to->loaded |= GEMP_LOAD_OUT | GEMP_LOAD_PROPS;
	return GEMP_OK;
}

/* Collective. The rows are moved if no rank changes them and no vertex is deleted. Otherwise they are merged with the
 * added edges. */
static gemp_code make(relation_task *m)
{
	const gemp_patch_state *p = m->all->p;
	GEMP_OWNED_BY(gemp_edge_group_free) gemp_edge_group group = { 0 };
	GEMP_OWNED_BY(gemp_table_free) gemp_table none = { 0 };
	bool stays = m->old && !m->added && !m->touched && !p->id_map.some_deleted;
	m->to->name = gemp_strdup(m->name);
	GEMP_TRY(gemp_comm_agree(p->comm, m->to->name ? GEMP_OK : GEMP_ENOMEM));
	if (stays && m->growth)
		m->growth->same = true;
	if (stays) {
		GEMP_TRY(gemp_comm_agree(p->comm, keep_rows(m)));
	} else {
		size_t edges = m->old ? (size_t)m->old->out_offsets[p->from->rows] : 0;
		GEMP_TRY(gemp_patch_gather_group(&group, &m->all->edges, m->name, edges, m->old ? &m->old->props : &none));
		GEMP_TRY(gemp_comm_agree(p->comm, make_rows(m, &group)));
	}
	return commit_relation(m);
}

/* Collective. Makes the relation of the n-th name. A relation without edges is dropped. */
static gemp_code make_named(relation_state *all, size_t n, bool directed)
{
	gemp_patch_state *p = all->p;
	gemp_relation *old = gemp_shard_relation(p->from, all->names[n]);
	size_t index = old ? (size_t)(old - p->from->relations) : SIZE_MAX, to = p->to->relation_count;
	if (!old && !all->adds[n])
		return GEMP_OK;
	relation_task m = { .all = all,
		                .name = all->names[n],
		                .old_index = index,
		                .old = old,
		                .to = &p->to->relations[to],
		                .added = all->adds[n],
		                .touched = old && all->touched[index],
		                .put = old && has_puts(&p->patch->edges, index, SIZE_MAX),
		                .origin = p->result->origins ? &p->result->origins[to] : NULL,
		                .growth = old && p->result->growth ? &p->result->growth[index] : NULL };
	m.to->directed = directed;
	p->to->relation_count++;
	GEMP_TRY(make(&m));
	if (m.to->edge_count == 0) {
		gemp_relation_free(m.to);
		p->to->relation_count--;
		if (m.origin) {
			gemp_free(*m.origin);
			*m.origin = NULL;
		}
	} else if (old) {
		p->result->relations[index] = to;
	}
	return GEMP_OK;
}

/* Local. Allocates the relations of the new graph and the results that the caller wants. */
static gemp_code allocate_relations(relation_state *all)
{
	gemp_patch_result *done = all->p->result;
	GEMP_TRY(list_names(all));
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(all->p->to->relations, all->count),
	                      GEMP_ARRAY(done->relations, all->p->from->relation_count)));
	for (size_t r = 0; r < all->p->from->relation_count; r++)
		done->relations[r] = SIZE_MAX;
	done->relation_count = all->p->from->relation_count;
	if (all->p->patch->want_growth)
		GEMP_TRY(GEMP_NEW(done->growth, done->relation_count));
	if (all->p->patch->want_origins) {
		GEMP_TRY(GEMP_NEW(done->origins, all->count));
		done->origin_count = all->count;
	}
	return GEMP_OK;
}

static void free_relation_state(relation_state *all)
{
	gemp_patch_groups_free(&all->edges);
	gemp_free_all(all->names, all->touched);
}

/* The names are sorted, so the relations of the new graph are sorted by name. */
gemp_code gemp_patch_relations(gemp_patch_state *p)
{
	GEMP_OWNED_BY(free_relation_state) relation_state all = { .p = p, .edges = { .p = p } };
	bool directed = true;
	GEMP_TRY(gemp_comm_agree(p->comm, put_edge_values(p)));
	GEMP_TRY(gemp_patch_groups_new(&all.edges));
	GEMP_TRY(gemp_comm_agree(p->comm, allocate_relations(&all)));
	find_touched(&all);
	for (size_t r = 0; r < p->from->relation_count; r++) {
		directed &= p->from->relations[r].directed;
		if (p->result->changed)
			mark_changed_ends(&all, r);
	}
	for (size_t n = 0; n < all.count; n++)
		GEMP_TRY(make_named(&all, n, directed));
	return GEMP_OK;
}
