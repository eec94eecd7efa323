/* Turns the updates of a rule into a patch of this rank's part of the graph. The order is deletions, values, creations,
 * labels. */

#include "transform/apply/apply.h"

#include "core/memory.h"
#include "core/pages.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/views/resident.h"
#include "transform/apply/new_schema.h"

#include <string.h>

typedef struct patch_builder {
	const gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_new_vertices *created;
	gemp_changes *changes; /* columns of values move from the changes into the patch */
	gemp_patch *patch;     /* the columns of the patch are already complete */
} patch_builder;

/* DELETIONS, MERGES AND NEW TYPES */

/* The action of an edge is one byte: 0 keeps the edge, 1 deletes it, t + 2 gives it type t. */
enum { MAX_TYPES = 253 };

/* One update that deletes, merges or retypes elements. */
typedef struct deletion_context {
	const patch_builder *a;
	const gemp_change *change;
	/* [rows] 1 + the vertex that receives the edges, or 0 if the vertex is not merged; NULL: no rule merges */
	uint64_t *merged_into;
	uint8_t *relation_change; /* [relation_count] nonzero if the update changes edges of the relation */
	uint8_t action;           /* action of the edges; 0: this is the first pass, which only fills relation_change[] */
} deletion_context;

/* All updates of a vertex have the same outcome, since a match that gives a vertex two outcomes violates the
 * identification condition and has been rejected. An update may therefore overwrite an earlier one. */
static void mark_vertex_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const deletion_context *m = self;
	for (size_t i = begin; i < end; i++) {
		size_t row = (size_t)(m->change->elements[i] - m->a->graph->first_vertex);
		m->a->patch->deleted[row] = 1;
		if (m->merged_into)
			m->merged_into[row] = m->change->into ? m->change->into[i] + 1 : 0;
	}
}

/* An array by row is made only if the rule deletes or merges a vertex of this rank, since NULL means to the patch that
 * nothing changes. */
static gemp_code mark_vertices(deletion_context *m)
{
	if (m->change->count == 0)
		return GEMP_OK;
	if (!m->a->patch->deleted)
		GEMP_TRY(GEMP_NEW(m->a->patch->deleted, m->a->graph->rows));
	if (m->change->into && !m->merged_into)
		GEMP_TRY(GEMP_NEW(m->merged_into, m->a->graph->rows));
	gemp_for_ranges(m->change->count, mark_vertex_range, m);
	return GEMP_OK;
}

static bool is_merged(const void *self, size_t row)
{
	return ((const uint64_t *)self)[row] != 0;
}

/* The patch needs the merged vertices in ascending order. */
static gemp_code list_merged(const patch_builder *a, const uint64_t *merged_into)
{
	gemp_patch *patch = a->patch;
	GEMP_OWNED uint64_t *rows = NULL;
	GEMP_TRY(gemp_pick(&rows, &patch->merge_count, a->graph->rows, is_merged, merged_into));
	GEMP_TRY(GEMP_NEW(patch->merges, patch->merge_count));
	for (size_t i = 0; i < patch->merge_count; i++)
		patch->merges[i] = (gemp_vertex_merge){ a->graph->first_vertex + rows[i], merged_into[rows[i]] - 1 };
	return GEMP_OK;
}

/* There are two passes over the edges of the change. The first pass finds the relations, so that action arrays are
 * allocated only for these. The second pass sets the actions. Most edges of a change are of one relation, which is
 * found once: a store for each edge made all threads write to one cache line. */
static void mark_edge_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const deletion_context *m = self;
	const gemp_shard *graph = m->a->graph;
	const gemp_edge_owners *owners = &m->a->changes->edge_owners;
	uint64_t first = 0, last = 0, own = 0; /* the numbers of the relation's edges, and of its first own edge */
	uint8_t *actions = NULL;
	for (size_t i = begin; i < end; i++) {
		uint64_t edge = m->change->elements[i];
		if (edge < first || edge >= last) {
			size_t r = gemp_edge_relation(owners, edge);
			first = owners->relation_offset[r];
			last = owners->relation_offset[r + 1];
			own = first + graph->relations[r].first_edge;
			actions = m->a->patch->edge_actions[r];
			if (!m->action)
				__atomic_store_n(&m->relation_change[r], 1, __ATOMIC_RELAXED);
		}
		if (m->action)
			actions[edge - own] = m->action;
	}
}

/* *action becomes the action of an edge that gets the new type. A byte holds the type and the actions "keep" and
 * "delete", so the number of types is limited. */
static gemp_code find_type_action(gemp_patch *patch, const gemp_update *u, uint8_t *action)
{
	size_t t = 0;
	while (t < patch->type_count && strcmp(patch->types[t], u->names[0]) != 0)
		t++;
	if (t == MAX_TYPES)
		return gemp_fail(GEMP_EUSAGE, "a rule sets edges to more than %d types; write two rules", MAX_TYPES);
	if (t == patch->type_count)
		patch->types[patch->type_count++] = u->names[0];
	*action = (uint8_t)(t + 2);
	return GEMP_OK;
}

static gemp_code mark_edges(deletion_context *m, const gemp_update *u)
{
	gemp_patch *patch = m->a->patch;
	const gemp_shard *graph = m->a->graph;
	GEMP_OWNED uint8_t *relation_change = NULL;
	uint8_t action = 1;
	if (u->kind == GEMP_SET_TYPE)
		GEMP_TRY(find_type_action(patch, u, &action));
	GEMP_TRY(GEMP_NEW(relation_change, graph->relation_count));
	m->relation_change = relation_change;
	m->action = 0;
	gemp_for_ranges(m->change->count, mark_edge_range, m);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (relation_change[r] && !patch->edge_actions[r])
			GEMP_TRY(GEMP_NEW(patch->edge_actions[r], graph->relations[r].out_offsets[graph->rows]));
	m->action = action;
	gemp_for_ranges(m->change->count, mark_edge_range, m);
	return GEMP_OK;
}

/* Local. A later update of an edge or a vertex replaces an earlier one. */
static gemp_code mark_deletions(const patch_builder *a)
{
	GEMP_OWNED uint64_t *merged_into = NULL;
	a->patch->relation_count = a->graph->relation_count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(a->patch->edge_actions, a->graph->relation_count),
	                      GEMP_ARRAY(a->patch->types, a->rule->update_count)));
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		deletion_context m = { .a = a, .change = &a->changes->changes[i], .merged_into = merged_into };
		gemp_code code = GEMP_OK;
		if (u->kind == GEMP_SET_TYPE || (u->kind == GEMP_DELETE && u->element.edge))
			code = mark_edges(&m, u);
		else if (u->kind == GEMP_DELETE || u->kind == GEMP_MERGE)
			code = mark_vertices(&m);
		merged_into = m.merged_into;
		GEMP_TRY(code);
	}
	return merged_into ? list_merged(a, merged_into) : GEMP_OK;
}

/* NEW VALUES OF MATCHED VERTICES AND EDGES */

/* Local. Appends an empty assignment of values. */
static gemp_code add_values(gemp_patch_columns *all, size_t relation, size_t column, gemp_patch_values **out)
{
	GEMP_TRY(GEMP_RESERVE(all->values, all->value_capacity, all->value_count + 1));
	*out = &all->values[all->value_count++];
	**out = (gemp_patch_values){ .relation = relation, .column = column };
	return GEMP_OK;
}

/* Local. Makes a column of the update's constant, or of NULL in a type that the attribute accepts. */
static gemp_code constant_column(gemp_column *out, const gemp_update *u, gemp_type type)
{
	gemp_value value = { .type = type, .null = true };
	if (u->kind == GEMP_SET_ATTRIBUTE && !u->literal.null)
		value = u->literal;
	GEMP_TRY(gemp_column_init(out, "", value.type));
	return gemp_column_add(out, &value);
}

/* A row of a patch is a position in this rank's arrays, which is the number of the element minus `first`. `picked`
 * selects some of the elements; NULL selects all. */
typedef struct row_fill {
	uint64_t *rows;
	const uint64_t *elements, *picked;
	uint64_t first;
} row_fill;

static void fill_row_range(void *context, size_t begin, size_t end)
{
	const row_fill *f = context;
	for (size_t i = begin; i < end; i++)
		f->rows[i] = f->elements[f->picked ? f->picked[i] : i] - f->first;
}

static gemp_code fill_rows(gemp_patch_values *assigned, const gemp_change *change, const uint64_t *picked, size_t count,
                           uint64_t first)
{
	GEMP_TRY(GEMP_NEW_UNSET(assigned->rows, count));
	assigned->count = count;
	gemp_for_elements(count, fill_row_range, &(row_fill){ assigned->rows, change->elements, picked, first });
	return GEMP_OK;
}

/* If the values differ between matches, they are moved into the patch without a copy. */
static gemp_code set_vertex_values(patch_builder *a, const gemp_update *u, gemp_change *change, size_t column)
{
	gemp_patch_values *assigned;
	GEMP_TRY(add_values(&a->patch->vertices, 0, column, &assigned));
	GEMP_TRY(fill_rows(assigned, change, NULL, change->count, a->graph->first_vertex));
	if (!gemp_update_has_column(u))
		return constant_column(&assigned->values, u, a->patch->vertices.columns[column].type);
	assigned->values = change->values;
	change->values = (gemp_column){ 0 };
	return GEMP_OK;
}

typedef struct edge_filter {
	const uint64_t *elements;
	uint64_t first, end;
} edge_filter;

static bool is_within(const void *self, size_t i)
{
	const edge_filter *c = self;
	return c->elements[i] >= c->first && c->elements[i] < c->end;
}

/* An update may change edges of several relations. Each relation gets the values of its own edges. */
static gemp_code set_relation_values(patch_builder *a, const gemp_update *u, const gemp_change *change, size_t column,
                                     size_t r)
{
	gemp_patch_values *assigned;
	GEMP_OWNED uint64_t *picked = NULL;
	uint64_t first = a->changes->edge_owners.relation_offset[r] + a->graph->relations[r].first_edge;
	size_t count = 0;
	const edge_filter c = { change->elements, first, first + a->graph->relations[r].out_offsets[a->graph->rows] };
	GEMP_TRY(add_values(&a->patch->edges, r, column, &assigned));
	GEMP_TRY(gemp_pick(&picked, &count, change->count, is_within, &c));
	GEMP_TRY(fill_rows(assigned, change, picked, count, first));
	return gemp_update_has_column(u) ? gemp_column_gather(&assigned->values, &change->values, NULL, picked, count)
	                                 : constant_column(&assigned->values, u, a->patch->edges.columns[column].type);
}

/* Sets new values of matched vertices and edges. */
static gemp_code set_values(patch_builder *a)
{
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		const gemp_patch_columns *all = u->element.edge ? &a->patch->edges : &a->patch->vertices;
		if (u->element.created || (u->kind != GEMP_SET_ATTRIBUTE && u->kind != GEMP_REMOVE_ATTRIBUTE))
			continue;
		size_t column = gemp_new_schema_column(all, u->names[0]);
		if (column == all->count)
			continue; /* REMOVE of an attribute that no element has does nothing */
		if (!u->element.edge)
			GEMP_TRY(set_vertex_values(a, u, &a->changes->changes[i], column));
		for (size_t r = 0; r < a->graph->relation_count && u->element.edge; r++)
			GEMP_TRY(set_relation_values(a, u, &a->changes->changes[i], column, r));
	}
	return GEMP_OK;
}

/* CREATED VERTICES AND EDGES */

static void number_range(void *context, size_t begin, size_t end)
{
	const patch_builder *a = context;
	const gemp_new_vertices *created = a->created;
	size_t width = a->rule->created_vertices;
	for (size_t i = begin; i < end; i++)
		for (size_t k = 0; k < width; k++)
			a->patch->numbers[i * width + k] = created->number[created->rows[i]] * width + k;
}

/* New vertices are numbered by match and by position in the rule, so their keys do not depend on the number of
 * ranks. */
static gemp_code number_vertices(patch_builder *a)
{
	const gemp_new_vertices *created = a->created;
	a->patch->new_vertices = created->count * a->rule->created_vertices;
	a->patch->first_key = created->first;
	GEMP_TRY(GEMP_NEW_UNSET(a->patch->numbers, a->patch->new_vertices));
	gemp_for_elements(created->count, number_range, a);
	return GEMP_OK;
}

/* Makes the values that an update gives to the elements which its matches create. */
static gemp_code make_values(const patch_builder *a, const gemp_update *u, gemp_type type, gemp_column *out)
{
	const gemp_new_vertices *created = a->created;
	if (gemp_update_has_column(u))
		return gemp_column_gather(out, &created->frame->columns[u->column].values, NULL, created->rows, created->count);
	return constant_column(out, u, type);
}

/* rows[i] = first + i * step: the rows of an element of a CREATE in the patch. */
typedef struct row_sequence {
	uint64_t *rows;
	uint64_t first, step;
} row_sequence;

static void count_row_range(void *context, size_t begin, size_t end)
{
	const row_sequence *s = context;
	for (size_t i = begin; i < end; i++)
		s->rows[i] = s->first + i * s->step;
}

/* The new vertices are rows after the rows of the graph. An attribute that no vertex has or gets needs no value. */
static gemp_code set_new_vertex_values(patch_builder *a, const gemp_update *u)
{
	gemp_patch_values *assigned;
	size_t column = gemp_new_schema_column(&a->patch->vertices, u->names[0]);
	if (column == a->patch->vertices.count)
		return GEMP_OK;
	GEMP_TRY(add_values(&a->patch->vertices, 0, column, &assigned));
	GEMP_TRY(GEMP_NEW_UNSET(assigned->rows, a->created->count));
	assigned->count = a->created->count;
	gemp_for_elements(assigned->count, count_row_range,
	                  &(row_sequence){ assigned->rows, a->graph->rows + u->element.index, a->rule->created_vertices });
	return make_values(a, u, a->patch->vertices.columns[column].type, &assigned->values);
}

/* One end of each new edge. A matched vertex is given by its id, and a created vertex by rank and local number. */
static gemp_patch_ends ends_of(const patch_builder *a, const gemp_rule_element *element)
{
	const gemp_new_vertices *created = a->created;
	if (element->created)
		return (gemp_patch_ends){ .first = gemp_patch_new_vertex(a->graph->rank, element->index),
			                      .step = a->rule->created_vertices };
	return (gemp_patch_ends){ created->frame->columns[element->index].elements, created->rows, 0, 0 };
}

/* Returns the array of the patch with the edges of one CREATE clause. The arrays have the order of the clauses. */
static gemp_patch_edges *added_edges_of(patch_builder *a, const gemp_rule_element *element)
{
	size_t at = 0;
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		if (u->kind != GEMP_CREATE_EDGE)
			continue;
		if (u->element.index == element->index)
			return &a->patch->added_edges[at];
		at++;
	}
	return NULL;
}

/* Creates one edge for each selected match of this rank. */
static gemp_code create_edges(patch_builder *a, const gemp_update *u)
{
	gemp_patch *patch = a->patch;
	GEMP_TRY(GEMP_RESERVE(patch->added_edges, patch->added_edge_capacity, patch->added_edge_count + 1));
	gemp_patch_edges *edges = &patch->added_edges[patch->added_edge_count++];
	*edges = (gemp_patch_edges){
		.type = u->names[0], .count = a->created->count, .sources = ends_of(a, &u->from), .targets = ends_of(a, &u->to)
	};
	return GEMP_OK;
}

/* The values of created edges are stored with these edges in the patch, apart from the values of matched edges. */
static gemp_code set_edge_values(patch_builder *a, const gemp_update *u)
{
	gemp_patch_edges *edges = added_edges_of(a, &u->element);
	size_t place = gemp_new_schema_column(&a->patch->edges, u->names[0]);
	gemp_column *column;
	GEMP_OWNED_BY(gemp_column_free) gemp_column values = { 0 };
	GEMP_OWNED uint64_t *rows = NULL;
	if (!edges || place == a->patch->edges.count)
		return GEMP_OK;
	gemp_type type = a->patch->edges.columns[place].type;
	column = gemp_table_find(&edges->values, u->names[0]);
	if (!column)
		GEMP_TRY(gemp_table_add(&edges->values, u->names[0], type, &column));
	GEMP_TRY(gemp_column_pad(column, edges->count));
	GEMP_TRY(GEMP_NEW_UNSET(rows, edges->count));
	gemp_for_elements(edges->count, count_row_range, &(row_sequence){ rows, 0, 1 });
	GEMP_TRY(make_values(a, u, type, &values));
	return gemp_column_scatter(column, rows, edges->count, &values);
}

/* Edges are added before their values, since values refer to edges by number. */
static gemp_code add_creations(patch_builder *a)
{
	GEMP_TRY(number_vertices(a));
	for (size_t i = 0; i < a->rule->update_count; i++)
		if (a->rule->updates[i].kind == GEMP_CREATE_EDGE)
			GEMP_TRY(create_edges(a, &a->rule->updates[i]));
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		if (u->element.created && (u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE))
			GEMP_TRY(u->element.edge ? set_edge_values(a, u) : set_new_vertex_values(a, u));
	}
	return GEMP_OK;
}

/* Local. Columns are made first, since all values refer to columns by index. */
static gemp_code build_patch(patch_builder *a, const gemp_rule_set *rules)
{
	const gemp_frame *frame = a->created->frame;
	GEMP_TRY(gemp_new_schema_columns(&a->patch->vertices, a->graph, rules, a->rule, frame, false));
	GEMP_TRY(gemp_new_schema_columns(&a->patch->edges, a->graph, rules, a->rule, frame, true));
	GEMP_TRY(mark_deletions(a));
	GEMP_TRY(set_values(a));
	GEMP_TRY(add_creations(a));
	return gemp_new_schema_labels(a->patch, a->graph, a->created, a->changes);
}

/* Collective. After an error no kept row may refer to the graph, which can only be freed. */
static gemp_code patch_graph(gemp_shard **graph, gemp_runtime *context, gemp_patch *patch, gemp_patch_result *changed)
{
	GEMP_OWNED_BY(gemp_patch_result_free) gemp_patch_result done = { 0 };
	const gemp_shard *before = *graph;
	patch->want_growth = context->resident != NULL;
	gemp_code code = gemp_shard_patch(graph, context->comm, patch, &done);
	GEMP_THEN(gemp_resident_follow(context, before, *graph, &done));
	if (code != GEMP_OK)
		gemp_resident_evict(context);
	if (code == GEMP_OK && changed) {
		*changed = done;
		done = (gemp_patch_result){ 0 };
	}
	return code;
}

/* Collective. The ranks agree once, on the whole patch, before any rank changes its graph. The changes are freed before
 * the patch is applied, since that step needs memory for both the old and the new graph. */
gemp_code gemp_apply_matches(gemp_shard **graph, gemp_runtime *context, const gemp_new_vertices *created,
                             const gemp_rule_set *rules, bool string_keys, bool origins, gemp_patch_result *changed)
{
	GEMP_OWNED_BY(gemp_changes_free) gemp_changes changes = { 0 };
	GEMP_OWNED_BY(gemp_patch_free)
	gemp_patch patch = { .string_keys = string_keys,
		                 .want_origins = changed && origins,
		                 .want_changed = changed != NULL };
	patch_builder a = {
		.graph = *graph, .rule = created->rule, .created = created, .changes = &changes, .patch = &patch
	};
	GEMP_TRY(gemp_shard_load_outgoing(*graph));
	GEMP_TRY(gemp_changes_send(&changes, context->comm, *graph, created));
	GEMP_TRY(gemp_comm_agree(context->comm, build_patch(&a, rules)));
	gemp_changes_free(&changes);
	return patch_graph(graph, context, &patch, changed);
}
