/* Turns the updates of a rule into a patch of this rank's part of the graph, in the order deletions, values,
 * creations, labels. */

#include "transform/apply/apply.h"

#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/patch/patch.h"
#include "partition/views/resident.h"
#include "transform/apply/new_schema.h"

#include <string.h>

/* The rule's updates on one side, the patch on the other; columns of values move from the changes into the patch. */
typedef struct patch_builder {
	const gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_new_vertices *created;
	gemp_changes *changes; /* values are taken from it */
	gemp_patch *patch;     /* its columns are known */
} patch_builder;

/* What is deleted, merged into another, or gets another type. */

enum { MAX_TYPES = 253 }; /* an action is a byte: 0 keeps the edge, 1 deletes it, t + 2 gives it type t */

/* Vertices and edges that are deleted, merged into another vertex, or get another type. */
typedef struct deletion_context {
	patch_builder *a;
	const gemp_update *u;
	const gemp_change *change;
	uint64_t *merged_into; /* [rows] 1 + the vertex that this one is merged into; NULL: no rule merges */
	uint8_t *relations;    /* [relation_count] nonzero: it has edges of the change */
	uint8_t action;
} deletion_context;

/* VERTICES */

/* A vertex may be deleted under one name and merged under another only if the identification condition holds, so
 * the last update wins. */
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

/* Arrays by row are only made where the rule deletes or merges some vertex of this rank. */
static gemp_code mark_vertices(deletion_context *m)
{
	size_t rows = m->a->graph->rows;
	if (m->change->count == 0)
		return GEMP_OK;
	if (!m->a->patch->deleted)
		GEMP_TRY(GEMP_NEW(m->a->patch->deleted, rows));
	if (m->change->into && !m->merged_into)
		GEMP_TRY(GEMP_NEW(m->merged_into, rows));
	gemp_for_ranges(m->change->count, mark_vertex_range, m);
	return GEMP_OK;
}

static bool is_merged(const void *self, size_t row)
{
	return ((const uint64_t *)self)[row] != 0;
}

/* The merged vertices, in ascending order as the patch wants them. */
static gemp_code list_merged(const deletion_context *m)
{
	gemp_patch *patch = m->a->patch;
	GEMP_OWNED uint64_t *rows = NULL;
	if (!m->merged_into)
		return GEMP_OK;
	GEMP_TRY(gemp_pick(&rows, &patch->merge_count, m->a->graph->rows, is_merged, m->merged_into));
	GEMP_TRY(GEMP_NEW(patch->merges, patch->merge_count));
	for (size_t i = 0; i < patch->merge_count; i++)
		patch->merges[i] = (gemp_vertex_merge){ m->a->graph->first_vertex + rows[i], m->merged_into[rows[i]] - 1 };
	return GEMP_OK;
}

/* EDGES */

/* The first pass finds the relations whose edges change, so that action arrays are allocated for these only; the
 * second pass sets the actions. */
static void mark_edge_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const deletion_context *m = self;
	const gemp_shard *graph = m->a->graph;
	const gemp_edge_owners *places = &m->a->changes->places;
	for (size_t i = begin; i < end; i++) {
		uint64_t edge = m->change->elements[i];
		size_t r = gemp_edge_relation(places, edge);
		if (!m->action)
			__atomic_store_n(&m->relations[r], 1, __ATOMIC_RELAXED);
		else
			m->a->patch->edge_actions[r][edge - places->relation_offset[r] - graph->relations[r].first_edge] =
				m->action;
	}
}

/* The action of an edge that gets the type; types share a byte with "keep" and "delete". */
static gemp_code find_type_action(gemp_patch *patch, const gemp_update *u, uint8_t *fate)
{
	size_t t = 0;
	while (t < patch->type_count && strcmp(patch->types[t], u->names[0]) != 0)
		t++;
	if (t == MAX_TYPES)
		return gemp_fail(GEMP_EUSAGE, "a rule sets edges to more than %d types; write two rules", MAX_TYPES);
	if (t == patch->type_count)
		patch->types[patch->type_count++] = u->names[0];
	*fate = (uint8_t)(t + 2);
	return GEMP_OK;
}

/* Two passes over the edges of the change: which relations, then the actions. */
static gemp_code mark_edges(deletion_context *m)
{
	gemp_code code = GEMP_OK;
	gemp_patch *patch = m->a->patch;
	const gemp_shard *graph = m->a->graph;
	uint8_t fate = 1;
	if (m->u->kind == GEMP_SET_TYPE)
		GEMP_TRY_DONE(find_type_action(patch, m->u, &fate));
	GEMP_TRY_DONE(GEMP_NEW(m->relations, graph->relation_count));
	m->action = 0;
	gemp_for_ranges(m->change->count, mark_edge_range, m);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (m->relations[r] && !patch->edge_actions[r])
			GEMP_TRY_DONE(GEMP_NEW(patch->edge_actions[r], graph->relations[r].out_offsets[graph->rows]));
	m->action = fate;
	gemp_for_ranges(m->change->count, mark_edge_range, m);
done:
	gemp_free(m->relations);
	m->relations = NULL;
	return code;
}

/* Local. Deletions, merges and new types. */
static gemp_code mark_deletions(patch_builder *a)
{
	gemp_code code = GEMP_OK;
	deletion_context m = { .a = a };
	a->patch->relation_count = a->graph->relation_count;
	GEMP_TRY_DONE(gemp_new_all(GEMP_ARRAY(a->patch->edge_actions, a->graph->relation_count),
	                           GEMP_ARRAY(a->patch->types, a->rule->update_count)));
	for (size_t i = 0; i < a->rule->update_count; i++) {
		m.u = &a->rule->updates[i];
		m.change = &a->changes->changes[i];
		if (m.u->kind == GEMP_SET_TYPE || (m.u->kind == GEMP_DELETE && m.u->element.edge))
			GEMP_TRY_DONE(mark_edges(&m));
		else if (m.u->kind == GEMP_DELETE || m.u->kind == GEMP_MERGE)
			GEMP_TRY_DONE(mark_vertices(&m));
	}
	code = list_merged(&m);
done:
	gemp_free(m.merged_into);
	return code;
}

/* New values of vertices and edges that matches have. */

/* Local. Appends an empty assignment of values. */
static gemp_code add_values(gemp_patch_columns *all, size_t relation, size_t column, gemp_patch_values **out)
{
	gemp_code code = GEMP_RESERVE(all->values, all->value_capacity, all->value_count + 1);
	if (code != GEMP_OK)
		return code;
	*out = &all->values[all->value_count++];
	**out = (gemp_patch_values){ .relation = relation, .column = column };
	return code;
}

/* Local. A column of the update's constant, or of NULL in a type that the attribute accepts. */
static gemp_code constant_column(gemp_column *out, const gemp_update *u, gemp_type type)
{
	gemp_value value = { .type = type, .null = true };
	if (u->kind == GEMP_SET_ATTRIBUTE && !u->literal.null)
		value = u->literal;
	GEMP_TRY(gemp_column_init(out, "", value.type));
	return gemp_column_add(out, &value);
}

/* Rows of a patch are positions in this rank's arrays. */
typedef struct row_gather {
	const uint64_t *elements;
	const uint64_t *picked; /* of the elements; NULL: all */
	size_t count;
	uint64_t first;
	uint64_t *rows;
} row_gather;

static void gather_rows(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const row_gather *m = self;
	for (size_t i = begin; i < end; i++)
		m->rows[i] = m->elements[m->picked ? m->picked[i] : i] - m->first;
}

static gemp_code fill_rows(gemp_patch_values *assigned, const gemp_change *change, const uint64_t *picked, size_t count,
                           uint64_t first)
{
	row_gather m = { change->elements, picked, count, first, NULL };
	GEMP_TRY(GEMP_NEW(assigned->rows, count));
	m.rows = assigned->rows;
	assigned->count = count;
	gemp_for_ranges(count, gather_rows, &m);
	return GEMP_OK;
}

/* Values that differ from match to match are moved into the patch, not copied. */
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

/* An update may change edges of several relations; each relation takes the values of its own edges. */
static gemp_code set_relation_values(patch_builder *a, const gemp_update *u, const gemp_change *change, size_t column,
                                     size_t r)
{
	gemp_patch_values *assigned;
	GEMP_OWNED uint64_t *picked = NULL;
	uint64_t first = a->changes->places.relation_offset[r] + a->graph->relations[r].first_edge;
	size_t count = 0;
	const edge_filter c = { change->elements, first, first + a->graph->relations[r].out_offsets[a->graph->rows] };
	GEMP_TRY(add_values(&a->patch->edges, r, column, &assigned));
	GEMP_TRY(gemp_pick(&picked, &count, change->count, is_within, &c));
	GEMP_TRY(fill_rows(assigned, change, picked, count, first));
	return gemp_update_has_column(u) ? gemp_column_gather(&assigned->values, &change->values, NULL, picked, count)
	                                 : constant_column(&assigned->values, u, a->patch->edges.columns[column].type);
}

/* New values of matched vertices and edges. */
static gemp_code set_values(patch_builder *a)
{
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		const gemp_patch_columns *all = u->element.edge ? &a->patch->edges : &a->patch->vertices;
		if (u->element.created || (u->kind != GEMP_SET_ATTRIBUTE && u->kind != GEMP_REMOVE_ATTRIBUTE))
			continue;
		size_t column = gemp_new_schema_column(all, u->names[0]);
		if (column == all->count)
			continue; /* removed where nothing has it */
		if (!u->element.edge)
			GEMP_TRY(set_vertex_values(a, u, &a->changes->changes[i], column));
		for (size_t r = 0; r < a->graph->relation_count && u->element.edge; r++)
			GEMP_TRY(set_relation_values(a, u, &a->changes->changes[i], column, r));
	}
	return GEMP_OK;
}

/* What selected matches create: vertices in the order of the matches here, and edges. */

/* Vertices are created in the order of this rank's matches; edges have an array for each CREATE clause. */
typedef struct creation_context {
	const patch_builder *a;
	const gemp_rule_element *element; /* of rows and ends */
	uint64_t *out;
	int rank;
} creation_context;

static void number_range(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creation_context *c = self;
	const gemp_new_vertices *created = c->a->created;
	size_t width = c->a->rule->created_vertices;
	for (size_t i = begin; i < end; i++)
		for (size_t k = 0; k < width; k++)
			c->out[i * width + k] = created->number[created->rows[i]] * width + k;
}

static void fill_new_rows(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creation_context *c = self;
	size_t width = c->a->rule->created_vertices;
	for (size_t i = begin; i < end; i++)
		c->out[i] = c->a->graph->rows + i * width + c->element->index;
}

/* New vertices are numbered by match and by position in the rule, which gives them the same keys on every number
 * of ranks. */
static gemp_code number_vertices(patch_builder *a)
{
	creation_context c = { .a = a };
	a->patch->new_vertices = a->created->count * a->rule->created_vertices;
	a->patch->first_key = a->created->first;
	GEMP_TRY(GEMP_NEW(a->patch->numbers, a->patch->new_vertices));
	c.out = a->patch->numbers;
	gemp_for_ranges(a->created->count, number_range, &c);
	return GEMP_OK;
}

/* The values that an update gives to what its matches create. */
static gemp_code make_values(const patch_builder *a, const gemp_update *u, gemp_type type, gemp_column *out)
{
	const gemp_new_vertices *created = a->created;
	if (gemp_update_has_column(u))
		return gemp_column_gather(out, &created->frame->columns[u->column].values, NULL, created->rows, created->count);
	return constant_column(out, u, type);
}

/* New vertices are rows behind those of the graph. */
static gemp_code set_new_vertex_values(patch_builder *a, const gemp_update *u)
{
	gemp_patch_values *assigned;
	size_t column = gemp_new_schema_column(&a->patch->vertices, u->names[0]);
	creation_context c = { .a = a, .element = &u->element };
	if (column == a->patch->vertices.count)
		return GEMP_OK;
	GEMP_TRY(add_values(&a->patch->vertices, 0, column, &assigned));
	GEMP_TRY(GEMP_NEW(assigned->rows, a->created->count));
	assigned->count = a->created->count;
	c.out = assigned->rows;
	gemp_for_ranges(a->created->count, fill_new_rows, &c);
	return make_values(a, u, a->patch->vertices.columns[column].type, &assigned->values);
}

/* Ends of new edges: matched vertices by id, created ones by rank and local number. */
static void fill_ends(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creation_context *c = self;
	const gemp_new_vertices *created = c->a->created;
	size_t width = c->a->rule->created_vertices;
	const uint64_t *elements = c->element->created ? NULL : created->frame->columns[c->element->index].elements;
	for (size_t i = begin; i < end; i++)
		c->out[i] = elements ? elements[created->rows[i]]
		                     : gemp_patch_new_vertex(c->rank, i * width + c->element->index);
}

static gemp_code make_ends(const patch_builder *a, const gemp_rule_element *element, uint64_t **out)
{
	creation_context c = { .a = a, .element = element, .rank = a->graph->rank };
	GEMP_TRY(GEMP_NEW(*out, a->created->count));
	c.out = *out;
	gemp_for_ranges(a->created->count, fill_ends, &c);
	return GEMP_OK;
}

/* The patch's edges of a CREATE clause. */
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

static gemp_code create_edges(patch_builder *a, const gemp_update *u)
{
	gemp_patch *patch = a->patch;
	GEMP_TRY(GEMP_RESERVE(patch->added_edges, patch->added_edge_capacity, patch->added_edge_count + 1));
	gemp_patch_edges *edges = &patch->added_edges[patch->added_edge_count++];
	*edges = (gemp_patch_edges){ .type = u->names[0], .count = a->created->count };
	GEMP_TRY(make_ends(a, &u->from, &edges->source));
	return make_ends(a, &u->to, &edges->target);
}

/* Values of edges that the same rule creates belong to the columns of these edges. */
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
	GEMP_TRY(GEMP_NEW(rows, edges->count));
	for (size_t i = 0; i < edges->count; i++)
		rows[i] = i;
	GEMP_TRY(make_values(a, u, type, &values));
	return gemp_column_scatter(column, rows, edges->count, &values);
}

/* Edges are added before their values, which refer to them by number. */
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

/* Local. Fills the whole patch; the ranks agree on the code afterwards. */
static gemp_code build_patch(patch_builder *a, const gemp_apply_options *options)
{
	const gemp_frame *frame = a->created->frame;
	GEMP_TRY(gemp_new_schema_columns(&a->patch->vertices, a->graph, options->rules, a->rule, frame, false));
	GEMP_TRY(gemp_new_schema_columns(&a->patch->edges, a->graph, options->rules, a->rule, frame, true));
	GEMP_TRY(mark_deletions(a));
	GEMP_TRY(set_values(a));
	GEMP_TRY(add_creations(a));
	return gemp_new_schema_labels(a->patch, a->graph, a->created, a->changes);
}

/* Collective. The ranks agree once, on the whole patch, before any of them changes its graph: after a failure every rank still
 * has the old one. */
gemp_code gemp_apply_matches(gemp_shard **graph, gemp_runtime *context, const gemp_new_vertices *created,
                             const gemp_apply_options *options, gemp_patch_result *done)
{
	GEMP_OWNED_BY(gemp_changes_free) gemp_changes changes = { 0 };
	GEMP_OWNED_BY(gemp_patch_free)
	gemp_patch patch = { .string_keys = options->string_keys,
		                 .want_origins = done != NULL,
		                 .want_changed = done != NULL };
	patch_builder a = {
		.graph = *graph, .rule = created->rule, .created = created, .changes = &changes, .patch = &patch
	};
	GEMP_TRY(gemp_shard_load_outgoing(*graph));
	GEMP_TRY(gemp_changes_send(&changes, context->comm, *graph, created));
	GEMP_TRY(gemp_comm_agree(context->comm, build_patch(&a, options)));
	gemp_changes_free(&changes);
	gemp_resident_evict(context);
	return gemp_shard_patch(graph, context->comm, &patch, done);
}
