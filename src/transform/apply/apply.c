/* apply_parts: what the files of apply share. */

#include "transform/apply/apply.h"

#include "core/memory.h"
#include "core/pick.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "partition/patch/patch.h"
#include "partition/views/resident.h"
#include "transform/apply/new_schema.h"

#include <string.h>

typedef struct patch_builder {
	const gemp_shard *graph;
	const gemp_rule *rule;
	const gemp_new_vertices *fresh;
	gemp_changes *changes; /* values are taken from it */
	gemp_patch *patch;     /* its columns are known */
} patch_builder;

/* What is deleted, merged into another, or gets another type. */

enum { MAX_TYPES = 253 }; /* an action is a byte: 0 keeps the edge, 1 deletes it, t + 2 gives it type t */

typedef struct marking {
	patch_builder *a;
	const gemp_update *u;
	const gemp_change *change;
	uint64_t *into;     /* [rows] 1 + the vertex that this one is merged into; NULL: no rule merges */
	uint8_t *relations; /* [relation_count] nonzero: it has edges of the change */
	uint8_t fate;
} marking;

/* VERTICES */

static void vertex_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const marking *m = self;
	for (size_t i = begin; i < end; i++) {
		size_t row = (size_t)(m->change->elements[i] - m->a->graph->first_vertex);
		m->a->patch->deleted[row] = 1;
		if (m->into)
			m->into[row] = m->change->into ? m->change->into[i] + 1 : 0;
	}
}

static gemp_code mark_vertices(marking *m)
{
	size_t rows = m->a->graph->rows;
	if (m->change->count == 0)
		return GEMP_OK;
	if (!m->a->patch->deleted)
		GEMP_PROPAGATE(GEMP_NEW(m->a->patch->deleted, rows));
	if (m->change->into && !m->into)
		GEMP_PROPAGATE(GEMP_NEW(m->into, rows));
	gemp_for_ranges(m->change->count, vertex_piece, m);
	return GEMP_OK;
}

static bool is_merged(const void *self, size_t row)
{
	return ((const uint64_t *)self)[row] != 0;
}

static gemp_code list_merged(const marking *m)
{
	gemp_code code = GEMP_OK;
	gemp_patch *patch = m->a->patch;
	uint64_t *rows = NULL;
	if (!m->into)
		return GEMP_OK;
	GEMP_TRY(gemp_pick(&rows, &patch->merge_count, m->a->graph->rows, is_merged, m->into));
	GEMP_TRY(GEMP_NEW(patch->merges, patch->merge_count));
	for (size_t i = 0; i < patch->merge_count; i++)
		patch->merges[i] = (gemp_vertex_merge){ m->a->graph->first_vertex + rows[i], m->into[rows[i]] - 1 };
done:
	gemp_free(rows);
	return code;
}

/* EDGES */

/* First which relations there are, then the fates of their edges. */
static void edge_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const marking *m = self;
	const gemp_shard *graph = m->a->graph;
	const gemp_edge_owners *places = &m->a->changes->places;
	for (size_t i = begin; i < end; i++) {
		uint64_t edge = m->change->elements[i];
		size_t r = gemp_edge_relation(places, edge);
		if (!m->fate)
			__atomic_store_n(&m->relations[r], 1, __ATOMIC_RELAXED);
		else
			m->a->patch->edge_actions[r][edge - places->relation_offset[r] - graph->relations[r].first_edge] = m->fate;
	}
}

/* The fate of an edge that gets the type. */
static gemp_code find_type(gemp_patch *patch, const gemp_update *u, uint8_t *fate)
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

static gemp_code mark_edges(marking *m)
{
	gemp_code code = GEMP_OK;
	gemp_patch *patch = m->a->patch;
	const gemp_shard *graph = m->a->graph;
	uint8_t fate = 1;
	if (m->u->kind == GEMP_SET_TYPE)
		GEMP_TRY(find_type(patch, m->u, &fate));
	GEMP_TRY(GEMP_NEW(m->relations, graph->relation_count));
	m->fate = 0;
	gemp_for_ranges(m->change->count, edge_piece, m);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (m->relations[r] && !patch->edge_actions[r])
			GEMP_TRY(GEMP_NEW(patch->edge_actions[r], graph->relations[r].out_offsets[graph->rows]));
	m->fate = fate;
	gemp_for_ranges(m->change->count, edge_piece, m);
done:
	gemp_free(m->relations);
	m->relations = NULL;
	return code;
}

/* Local, each. What is deleted, merged or gets another type; new values of what is matched; what is created. */
static gemp_code mark_deletions(patch_builder *a)
{
	gemp_code code = GEMP_OK;
	marking m = { .a = a };
	a->patch->relation_count = a->graph->relation_count;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(a->patch->edge_actions, a->graph->relation_count),
	                      GEMP_ARRAY(a->patch->types, a->rule->update_count)));
	for (size_t i = 0; i < a->rule->update_count; i++) {
		m.u = &a->rule->updates[i];
		m.change = &a->changes->changes[i];
		if (m.u->kind == GEMP_SET_TYPE || (m.u->kind == GEMP_DELETE && m.u->element.edge))
			GEMP_TRY(mark_edges(&m));
		else if (m.u->kind == GEMP_DELETE || m.u->kind == GEMP_MERGE)
			GEMP_TRY(mark_vertices(&m));
	}
	code = list_merged(&m);
done:
	gemp_free(m.into);
	return code;
}

/* New values of vertices and edges that matches have. */

/* Local. Room for one put more. */
static gemp_code add_values(gemp_patch_columns *all, size_t relation, size_t column, gemp_patch_values **out)
{
	gemp_code code = GEMP_RESERVE(all->values, all->value_capacity, all->value_count + 1);
	if (code != GEMP_OK)
		return code;
	*out = &all->values[all->value_count++];
	**out = (gemp_patch_values){ .relation = relation, .column = column };
	return code;
}

/* Local. A column of the update's constant, or NULL, of a type that goes with the attribute's. */
static gemp_code constant_column(gemp_column *out, const gemp_update *u, gemp_type type)
{
	gemp_value value = { .type = type, .null = true };
	if (u->kind == GEMP_SET_ATTRIBUTE && !u->literal.null)
		value = u->literal;
	GEMP_PROPAGATE(gemp_column_init(out, "", value.type));
	return gemp_column_add(out, &value);
}

typedef struct moving {
	const uint64_t *elements;
	const uint64_t *picked; /* of the elements; NULL: all */
	size_t count;
	uint64_t first;
	uint64_t *rows;
} moving;

static void move_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const moving *m = self;
	for (size_t i = begin; i < end; i++)
		m->rows[i] = m->elements[m->picked ? m->picked[i] : i] - m->first;
}

static gemp_code fill_rows(gemp_patch_values *put, const gemp_change *change, const uint64_t *picked, size_t count,
                           uint64_t first)
{
	moving m = { change->elements, picked, count, first, NULL };
	GEMP_PROPAGATE(GEMP_NEW(put->rows, count));
	m.rows = put->rows;
	put->count = count;
	gemp_for_ranges(count, move_piece, &m);
	return GEMP_OK;
}

static gemp_code put_vertices(patch_builder *a, const gemp_update *u, gemp_change *change, size_t column)
{
	gemp_patch_values *put;
	GEMP_PROPAGATE(add_values(&a->patch->vertices, 0, column, &put));
	GEMP_PROPAGATE(fill_rows(put, change, NULL, change->count, a->graph->first_vertex));
	if (!gemp_update_has_column(u))
		return constant_column(&put->values, u, a->patch->vertices.columns[column].type);
	put->values = change->values;
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

/* Of one relation. */
static gemp_code put_edges(patch_builder *a, const gemp_update *u, const gemp_change *change, size_t column, size_t r)
{
	gemp_code code = GEMP_OK;
	gemp_patch_values *put;
	uint64_t *picked = NULL, first = a->changes->places.relation_offset[r] + a->graph->relations[r].first_edge;
	size_t count = 0;
	const edge_filter c = { change->elements, first, first + a->graph->relations[r].out_offsets[a->graph->rows] };
	GEMP_TRY(add_values(&a->patch->edges, r, column, &put));
	GEMP_TRY(gemp_pick(&picked, &count, change->count, is_within, &c));
	GEMP_TRY(fill_rows(put, change, picked, count, first));
	code = gemp_update_has_column(u) ? gemp_column_gather(&put->values, &change->values, NULL, picked, count)
	                                 : constant_column(&put->values, u, a->patch->edges.columns[column].type);
done:
	gemp_free(picked);
	return code;
}

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
			GEMP_PROPAGATE(put_vertices(a, u, &a->changes->changes[i], column));
		for (size_t r = 0; r < a->graph->relation_count && u->element.edge; r++)
			GEMP_PROPAGATE(put_edges(a, u, &a->changes->changes[i], column, r));
	}
	return GEMP_OK;
}

/* What chosen matches create: vertices in the order of the matches here, and edges. */

typedef struct creating {
	const patch_builder *a;
	const gemp_rule_element *element; /* of rows and ends */
	uint64_t *out;
	int rank;
} creating;

static void number_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creating *c = self;
	const gemp_new_vertices *fresh = c->a->fresh;
	size_t width = c->a->rule->created_vertices;
	for (size_t i = begin; i < end; i++)
		for (size_t k = 0; k < width; k++)
			c->out[i * width + k] = fresh->number[fresh->rows[i]] * width + k;
}

static void row_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creating *c = self;
	size_t width = c->a->rule->created_vertices;
	for (size_t i = begin; i < end; i++)
		c->out[i] = c->a->graph->rows + i * width + c->element->index;
}

static gemp_code number_vertices(patch_builder *a)
{
	creating c = { .a = a };
	a->patch->new_vertices = a->fresh->count * a->rule->created_vertices;
	a->patch->first_key = a->fresh->first;
	GEMP_PROPAGATE(GEMP_NEW(a->patch->numbers, a->patch->new_vertices));
	c.out = a->patch->numbers;
	gemp_for_ranges(a->fresh->count, number_piece, &c);
	return GEMP_OK;
}

/* What an update of something created gives to each. */
static gemp_code make_values(const patch_builder *a, const gemp_update *u, gemp_type type, gemp_column *out)
{
	const gemp_new_vertices *fresh = a->fresh;
	if (gemp_update_has_column(u))
		return gemp_column_gather(out, &fresh->frame->columns[u->column].values, NULL, fresh->rows, fresh->count);
	return constant_column(out, u, type);
}

static gemp_code apply_creations_put_vertices(patch_builder *a, const gemp_update *u)
{
	gemp_patch_values *put;
	size_t column = gemp_new_schema_column(&a->patch->vertices, u->names[0]);
	creating c = { .a = a, .element = &u->element };
	if (column == a->patch->vertices.count)
		return GEMP_OK;
	GEMP_PROPAGATE(add_values(&a->patch->vertices, 0, column, &put));
	GEMP_PROPAGATE(GEMP_NEW(put->rows, a->fresh->count));
	put->count = a->fresh->count;
	c.out = put->rows;
	gemp_for_ranges(a->fresh->count, row_piece, &c);
	return make_values(a, u, a->patch->vertices.columns[column].type, &put->values);
}

static void end_piece(void *self, size_t range, size_t begin, size_t end)
{
	(void)range;
	const creating *c = self;
	const gemp_new_vertices *fresh = c->a->fresh;
	size_t width = c->a->rule->created_vertices;
	const uint64_t *elements = c->element->created ? NULL : fresh->frame->columns[c->element->index].elements;
	for (size_t i = begin; i < end; i++)
		c->out[i] = elements ? elements[fresh->rows[i]] : gemp_patch_new_vertex(c->rank, i * width + c->element->index);
}

static gemp_code make_ends(const patch_builder *a, const gemp_rule_element *element, uint64_t **out)
{
	creating c = { .a = a, .element = element, .rank = a->graph->rank };
	GEMP_PROPAGATE(GEMP_NEW(*out, a->fresh->count));
	c.out = *out;
	gemp_for_ranges(a->fresh->count, end_piece, &c);
	return GEMP_OK;
}

static gemp_patch_edges *edges_of(patch_builder *a, const gemp_rule_element *element)
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
	GEMP_PROPAGATE(GEMP_RESERVE(patch->added_edges, patch->added_edge_capacity, patch->added_edge_count + 1));
	gemp_patch_edges *edges = &patch->added_edges[patch->added_edge_count++];
	*edges = (gemp_patch_edges){ .type = u->names[0], .count = a->fresh->count };
	GEMP_PROPAGATE(make_ends(a, &u->from, &edges->source));
	return make_ends(a, &u->to, &edges->target);
}

static gemp_code give_edges(patch_builder *a, const gemp_update *u)
{
	gemp_code code = GEMP_OK;
	gemp_patch_edges *edges = edges_of(a, &u->element);
	size_t place = gemp_new_schema_column(&a->patch->edges, u->names[0]);
	gemp_column *column, values = { 0 };
	uint64_t *rows = NULL;
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
	code = gemp_column_scatter(column, rows, edges->count, &values);
done:
	gemp_free(rows);
	gemp_column_free(&values);
	return code;
}

static gemp_code add_creations(patch_builder *a)
{
	GEMP_PROPAGATE(number_vertices(a));
	for (size_t i = 0; i < a->rule->update_count; i++)
		if (a->rule->updates[i].kind == GEMP_CREATE_EDGE)
			GEMP_PROPAGATE(create_edges(a, &a->rule->updates[i]));
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		if (u->element.created && (u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE))
			GEMP_PROPAGATE(u->element.edge ? give_edges(a, u) : apply_creations_put_vertices(a, u));
	}
	return GEMP_OK;
}

/* Local. */
static gemp_code fill(patch_builder *a, const gemp_apply_options *options)
{
	const gemp_frame *frame = a->fresh->frame;
	GEMP_PROPAGATE(gemp_new_schema_columns(&a->patch->vertices, a->graph, options->rules, a->rule, frame, false));
	GEMP_PROPAGATE(gemp_new_schema_columns(&a->patch->edges, a->graph, options->rules, a->rule, frame, true));
	GEMP_PROPAGATE(mark_deletions(a));
	GEMP_PROPAGATE(set_values(a));
	GEMP_PROPAGATE(add_creations(a));
	return gemp_new_schema_labels(a->patch, a->graph, a->fresh, a->changes);
}

gemp_code gemp_apply_matches(gemp_shard **graph, gemp_runtime *context, const gemp_new_vertices *fresh,
                             const gemp_apply_options *options, gemp_patch_result *done)
{
	gemp_code code = GEMP_OK;
	gemp_changes changes = { 0 };
	gemp_patch patch = { .string_keys = options->string_keys,
		                 .want_origins = done != NULL,
		                 .want_changed = done != NULL };
	patch_builder a = { .graph = *graph, .rule = fresh->rule, .fresh = fresh, .changes = &changes, .patch = &patch };
	GEMP_TRY(gemp_shard_load_outgoing(*graph));
	GEMP_TRY(gemp_changes_send(&changes, context->comm, *graph, fresh));
	GEMP_TRY(gemp_comm_agree(context->comm, fill(&a, options)));
	gemp_changes_free(&changes);
	gemp_resident_evict(context);
	code = gemp_shard_patch(graph, context->comm, &patch, done);
done:
	gemp_changes_free(&changes);
	gemp_patch_free(&patch);
	return code;
}
