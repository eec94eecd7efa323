#include "transform/changelog/edit.h"

#include "core/memory.h"
#include "partition/exchange/value_exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NONE SIZE_MAX

/* PACKED EDITS */

/* All members are packed for every kind. A member that the kind does not use takes a few bytes. */
void gemp_edit_pack(gemp_text *out, const gemp_edit *edit)
{
	gemp_pack_number(out, edit->kind);
	gemp_pack_number(out, edit->line);
	gemp_pack_number(out, edit->step);
	gemp_pack_value(out, &edit->key);
	gemp_pack_value(out, &edit->target);
	gemp_pack_bytes(out, edit->type.bytes, edit->type.size);
	gemp_pack_bytes(out, edit->into.bytes, edit->into.size);
	gemp_pack_bytes(out, edit->labels.bytes, edit->labels.size);
	gemp_pack_number(out, edit->n);
	gemp_pack_number(out, edit->attribute_count);
	for (size_t i = 0; i < edit->attribute_count; i++) {
		gemp_pack_number(out, edit->attributes[i].column);
		gemp_pack_value(out, &edit->attributes[i].value);
	}
	gemp_pack_number(out, edit->column);
	gemp_pack_value(out, &edit->value);
	gemp_pack_value(out, &edit->was);
}

gemp_code gemp_edit_unpack(gemp_edit *edit, const char **at)
{
	edit->kind = (gemp_edit_kind)gemp_unpack_number(at);
	edit->line = gemp_unpack_number(at);
	edit->step = gemp_unpack_number(at);
	edit->key = gemp_unpack_value(at);
	edit->target = gemp_unpack_value(at);
	edit->type.bytes = gemp_unpack_bytes(at, &edit->type.size);
	edit->into.bytes = gemp_unpack_bytes(at, &edit->into.size);
	edit->labels.bytes = gemp_unpack_bytes(at, &edit->labels.size);
	edit->n = gemp_unpack_number(at);
	edit->attribute_count = (size_t)gemp_unpack_number(at);
	GEMP_TRY(GEMP_RESERVE(edit->attributes, edit->attribute_capacity, edit->attribute_count));
	for (size_t i = 0; i < edit->attribute_count; i++) {
		edit->attributes[i].column = (size_t)gemp_unpack_number(at);
		edit->attributes[i].value = gemp_unpack_value(at);
	}
	edit->column = (size_t)gemp_unpack_number(at);
	edit->value = gemp_unpack_value(at);
	edit->was = gemp_unpack_value(at);
	return GEMP_OK;
}

/* MESSAGES */

/* The text of a key for a message, cut to 60 characters. */
typedef struct quoted_key {
	char text[80];
} quoted_key;

/* The text is returned by value, since one message may quote two keys. */
static quoted_key quote_key(const gemp_value *key)
{
	quoted_key out;
	if (key->type == GEMP_STRING)
		snprintf(out.text, sizeof out.text, "'%.*s'", (int)(key->string.size < 60 ? key->string.size : 60),
		         key->string.bytes);
	else
		snprintf(out.text, sizeof out.text, "%" PRId64, key->integer);
	return out;
}

static gemp_code fail_missing_edge(const gemp_edit *e)
{
	return gemp_fail(GEMP_EDATA,
	                 "there is no edge %.*s from %s to %s with these attributes%s before step %" PRIu64
	                 "; apply the log to the graph that it was written for, whole and as it is",
	                 (int)(e->type.size < 60 ? e->type.size : 60), e->type.bytes, quote_key(&e->key).text,
	                 quote_key(&e->target).text, e->n > 1 ? ", or fewer than n" : "", e->step);
}

static gemp_code fail_other_value(const gemp_edit *e, const char *name)
{
	return gemp_fail(GEMP_EDATA,
	                 "'%s' of %s %s has another value than the log says it was before step %" PRIu64 "; "
	                 "apply the log to the graph that it was written for, whole and as it is",
	                 name, gemp_edit_is_of_edge(e) ? "the edge from" : "vertex", quote_key(&e->key).text, e->step);
}

/* VERTICES */

/* *out becomes the entry of the vertex with a key. An unknown key gets a new entry whose `exists` is false. */
static gemp_code find_vertex(gemp_edit_state *t, const gemp_value *key, size_t *out)
{
	bool added;
	gemp_text_clear(&t->scratch);
	gemp_pack_value(&t->scratch, key);
	GEMP_TRY(gemp_text_status(&t->scratch));
	GEMP_TRY(GEMP_RESERVE(t->vertices, t->vertex_capacity, t->keys.count + 1));
	GEMP_TRY(
		GEMP_RESERVE(t->vertex_values, t->vertex_value_capacity, (t->keys.count + 1) * t->vertex_schema->count + 1));
	GEMP_TRY(gemp_key_table_add(&t->keys, t->scratch.data, t->scratch.size,
	                            gemp_key_hash(t->scratch.data, t->scratch.size), out, &added));
	if (added)
		t->vertices[*out] = (gemp_edit_state_vertex){ 0 };
	return GEMP_OK;
}

/* Attributes that the edit does not name become NULL. */
static void set_values(gemp_value *values, const gemp_edit *e, size_t columns)
{
	for (size_t c = 0; c < columns; c++)
		values[c] = (gemp_value){ .null = true };
	for (size_t i = 0; i < e->attribute_count; i++)
		values[e->attributes[i].column] = e->attributes[i].value;
}

/* The values are a row of a table, so the pointer is valid until the next element is added. */
static gemp_value *values_of_vertex(const gemp_edit_state *t, size_t vertex)
{
	return t->vertex_values + vertex * t->vertex_schema->count;
}

/* A deleted vertex may be created again. It then has none of its old labels and values. */
static gemp_code create_vertex(gemp_edit_state *t, const gemp_edit *e, size_t vertex)
{
	gemp_edit_state_vertex *v = &t->vertices[vertex];
	if (v->exists)
		return gemp_fail(GEMP_EDATA,
		                 "vertex %s cannot be created, since it exists; apply the log to the graph that "
		                 "it was written for, whole and as it is",
		                 quote_key(&e->key).text);
	gemp_free(v->own_labels);
	*v = (gemp_edit_state_vertex){ .exists = true, .labels = e->labels, .line = e->line };
	set_values(values_of_vertex(t, vertex), e, t->vertex_schema->count);
	return GEMP_OK;
}

/* Takes the next label from a list that is joined by semicolons. */
static bool next_label(gemp_name *rest, gemp_name *out)
{
	if (!rest->size)
		return false;
	const char *end = memchr(rest->bytes, ';', rest->size);
	*out = (gemp_name){ rest->bytes, end ? (size_t)(end - rest->bytes) : rest->size };
	size_t used = out->size + (end != NULL);
	*rest = (gemp_name){ rest->bytes + used, rest->size - used };
	return true;
}

/* Whole names are compared, so label A does not match label AB. */
static bool has_label(gemp_name labels, gemp_name label)
{
	gemp_name one;
	while (next_label(&labels, &one))
		if (one.size == label.size && memcmp(one.bytes, label.bytes, one.size) == 0)
			return true;
	return false;
}

/* Labels are joined by semicolons, as in the graph's label sets. */
static void add_label(gemp_text *out, gemp_name label)
{
	if (out->size)
		gemp_text_add(out, ";", 1);
	gemp_text_add(out, label.bytes, label.size);
}

/* Added labels are appended in the order of the edit. Removed labels leave no gap. */
static gemp_code change_labels(gemp_edit_state_vertex *v, const gemp_edit *e)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	gemp_name one, rest = v->labels;
	bool adds = e->kind == GEMP_EDIT_ADD_LABELS;
	while (next_label(&rest, &one))
		if (adds || !has_label(e->labels, one))
			add_label(&text, one);
	rest = e->labels;
	while (adds && next_label(&rest, &one))
		if (!has_label(v->labels, one))
			add_label(&text, one);
	GEMP_TRY(gemp_text_status(&text));
	gemp_free(v->own_labels);
	v->own_labels = text.data;
	v->labels = (gemp_name){ text.data, text.size };
	text = (gemp_text){ 0 };
	return GEMP_OK;
}

/* Every edit except a creation needs an existing vertex. */
static gemp_code apply_to_vertex(gemp_edit_state *t, const gemp_edit *e)
{
	size_t vertex;
	GEMP_TRY(find_vertex(t, &e->key, &vertex));
	gemp_edit_state_vertex *v = &t->vertices[vertex];
	if (e->kind == GEMP_EDIT_CREATE_VERTEX)
		return create_vertex(t, e, vertex);
	if (!v->exists)
		return gemp_fail(GEMP_EDATA,
		                 "there is no vertex %s in step %" PRIu64 "; apply the log to the graph that it "
		                 "was written for, whole and as it is",
		                 quote_key(&e->key).text, e->step);
	if (e->kind == GEMP_EDIT_DELETE_VERTEX)
		v->exists = false;
	else if (e->kind == GEMP_EDIT_SET_VERTEX)
		values_of_vertex(t, vertex)[e->column] = e->value;
	else
		return change_labels(v, e);
	return GEMP_OK;
}

/* EDGES */

/* Edges with the same type, source and target form a group. A group is a linked list that begins with the newest edge.
 * The table of groups packs source, target and type in the order in which gemp_edit_state_ends reads them. */
static gemp_code find_group(gemp_edit_state *t, const gemp_value *source, const gemp_value *target, gemp_name type,
                            size_t *out)
{
	bool added;
	gemp_text_clear(&t->scratch);
	gemp_pack_value(&t->scratch, source);
	gemp_pack_value(&t->scratch, target);
	gemp_pack_bytes(&t->scratch, type.bytes, type.size);
	GEMP_TRY(gemp_text_status(&t->scratch));
	GEMP_TRY(GEMP_RESERVE(t->first, t->group_capacity, t->groups.count + 1));
	GEMP_TRY(gemp_key_table_add(&t->groups, t->scratch.data, t->scratch.size,
	                            gemp_key_hash(t->scratch.data, t->scratch.size), out, &added));
	if (added)
		t->first[*out] = NONE;
	return GEMP_OK;
}

static gemp_value *values_of_edge(const gemp_edit_state *t, size_t edge)
{
	return t->edge_values + edge * t->edge_schema->count;
}

/* Returns whether the edge has exactly the attributes of the edit. Both lists are in the order of columns. */
static bool has_attributes(const gemp_edit_state *t, size_t edge, const gemp_edit *e)
{
	const gemp_value *values = values_of_edge(t, edge);
	size_t at = 0;
	for (size_t c = 0; c < t->edge_schema->count; c++) {
		gemp_value wanted = { .null = true };
		if (at < e->attribute_count && e->attributes[at].column == c)
			wanted = e->attributes[at++].value;
		if (!gemp_value_same(&wanted, &values[c]))
			return false;
	}
	return true;
}

/* Finds the n-th edge of the group with these attributes. Edges with the same attributes are interchangeable, and all
 * edits of a step count in the same order, so the newest edge may come first. */
static gemp_code find_edge(gemp_edit_state *t, const gemp_edit *e, size_t *out)
{
	size_t group;
	uint64_t n = e->n;
	GEMP_TRY(find_group(t, &e->key, &e->target, e->type, &group));
	for (*out = t->first[group]; *out != NONE; *out = t->edges[*out].next)
		if (t->edges[*out].exists && t->edges[*out].group == group && has_attributes(t, *out, e) && --n == 0)
			return GEMP_OK;
	return fail_missing_edge(e);
}

/* A new edge is the first edge of its group. This does not change the meaning of edits that count edges, since all
 * edges that a step names are looked up before its edits are applied. */
static gemp_code create_edge(gemp_edit_state *t, const gemp_edit *e)
{
	size_t group, edge = t->edge_count;
	GEMP_TRY(find_group(t, &e->key, &e->target, e->type, &group));
	GEMP_TRY(GEMP_RESERVE(t->edges, t->edge_capacity, edge + 1));
	GEMP_TRY(GEMP_RESERVE(t->edge_values, t->edge_value_capacity, (edge + 1) * t->edge_schema->count + 1));
	t->edges[edge] = (gemp_edit_state_edge){
		.exists = true, .group = group, .next = t->first[group], .became = NONE, .line = e->line
	};
	t->first[group] = edge;
	t->edge_count++;
	set_values(values_of_edge(t, edge), e, t->edge_schema->count);
	return GEMP_OK;
}

/* The retyped edge belongs to another group, so a new edge is made, and the old edge refers to it. */
static gemp_code retype_edge(gemp_edit_state *t, const gemp_edit *e, size_t edge)
{
	const gemp_edit again = {
		.kind = GEMP_EDIT_CREATE_EDGE, .line = t->edges[edge].line, .key = e->key, .target = e->target, .type = e->into
	};
	GEMP_TRY(create_edge(t, &again));
	if (t->edge_schema->count)
		memcpy(values_of_edge(t, t->edge_count - 1), values_of_edge(t, edge),
		       t->edge_schema->count * sizeof *t->edge_values);
	t->edges[edge].exists = false;
	t->edges[edge].became = t->edge_count - 1;
	return GEMP_OK;
}

/* If the step has already retyped the edge, the edit applies to the new edge. */
static gemp_code apply_to_edge(gemp_edit_state *t, const gemp_edit *e, size_t edge)
{
	if (e->kind == GEMP_EDIT_CREATE_EDGE)
		return create_edge(t, e);
	while (t->edges[edge].became != NONE)
		edge = t->edges[edge].became;
	if (e->kind == GEMP_EDIT_DELETE_EDGE)
		t->edges[edge].exists = false;
	else if (e->kind == GEMP_EDIT_SET_EDGE)
		values_of_edge(t, edge)[e->column] = e->value;
	else
		return retype_edge(t, e, edge);
	return GEMP_OK;
}

/* STEPS */

/* The old value in the log must be the value in the graph; otherwise the log belongs to another graph. A vertex that
 * the step itself creates has no old value. If it never exists, the edit fails later. */
static gemp_code check_was(gemp_edit_state *t, const gemp_edit *e, size_t edge)
{
	const gemp_table *schema = t->edge_schema;
	const gemp_value *values = NULL;
	if (e->kind == GEMP_EDIT_SET_EDGE) {
		values = values_of_edge(t, edge);
	} else {
		size_t vertex;
		GEMP_TRY(find_vertex(t, &e->key, &vertex));
		if (!t->vertices[vertex].exists)
			return GEMP_OK;
		values = values_of_vertex(t, vertex);
		schema = t->vertex_schema;
	}
	return gemp_value_same(&values[e->column], &e->was) ? GEMP_OK
	                                                    : fail_other_value(e, schema->columns[e->column].name);
}

/* Edges are looked up before any edit of the step is applied, since edits name edges and values in their state before
 * the step. */
static gemp_code check_edit(gemp_edit_state *t, const gemp_edit *e, size_t *edge)
{
	if (e->kind > GEMP_EDIT_CREATE_EDGE)
		GEMP_TRY(find_edge(t, e, edge));
	if (e->kind == GEMP_EDIT_SET_EDGE || e->kind == GEMP_EDIT_SET_VERTEX)
		return check_was(t, e, *edge);
	return GEMP_OK;
}

gemp_code gemp_edit_state_apply(gemp_edit_state *t, const gemp_edit *edits, size_t count)
{
	GEMP_OWNED size_t *edge = NULL; /* [count] the edge that each edit names */
	t->failed_line = 0;
	GEMP_TRY(GEMP_NEW(edge, count));
	for (size_t i = 0; i < count; i++) {
		t->failed_line = edits[i].line;
		GEMP_TRY(check_edit(t, &edits[i], &edge[i]));
	}
	for (size_t i = 0; i < count; i++) {
		t->failed_line = edits[i].line;
		GEMP_TRY(gemp_edit_is_of_edge(&edits[i]) ? apply_to_edge(t, &edits[i], edge[i])
		                                         : apply_to_vertex(t, &edits[i]));
	}
	return GEMP_OK;
}

/* READING THE STATE */

gemp_value gemp_edit_state_key(const gemp_edit_state *t, size_t vertex)
{
	size_t size;
	const char *at = gemp_key_bytes(&t->keys, vertex, &size);
	return gemp_unpack_value(&at);
}

void gemp_edit_state_ends(const gemp_edit_state *t, size_t edge, gemp_name *type, gemp_value ends[2])
{
	size_t size;
	const char *at = gemp_key_bytes(&t->groups, t->edges[edge].group, &size);
	ends[0] = gemp_unpack_value(&at);
	ends[1] = gemp_unpack_value(&at);
	type->bytes = gemp_unpack_bytes(&at, &type->size);
}

/* Labels that a vertex owns are freed one by one. All other texts are borrowed. */
void gemp_edit_state_free(gemp_edit_state *t)
{
	for (size_t v = 0; v < t->keys.count; v++)
		gemp_free(t->vertices[v].own_labels);
	gemp_key_table_free(&t->keys);
	gemp_key_table_free(&t->groups);
	gemp_free_all(t->vertices, t->vertex_values, t->first, t->edges, t->edge_values);
	gemp_text_free(&t->scratch);
}
