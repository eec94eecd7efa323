/* What chosen matches create: vertices in the order of the matches here, and edges. */
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "rewrite/apply_parts.h"
#include "rewrite/schema.h"

enum { PIECE = 1 << 14 };

typedef struct creating {
	const gemp_applying *a;
	const gemp_rule_element *element; /* of rows and ends */
	uint64_t *out;
	int rank;
} creating;

static size_t end_of(const creating *c, size_t piece)
{
	return (piece + 1) * PIECE < c->a->fresh->count ? (piece + 1) * PIECE : c->a->fresh->count;
}

static void for_matches(gemp_loop_body *body, creating *c)
{
	gemp_parallel_for((c->a->fresh->count + PIECE - 1) / PIECE, body, c);
}

/* VERTICES */

static void number_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const creating *c = context;
	const gemp_fresh *fresh = c->a->fresh;
	size_t width = c->a->rule->created_vertices;
	for (size_t i = piece * PIECE; i < end_of(c, piece); i++)
		for (size_t k = 0; k < width; k++)
			c->out[i * width + k] = fresh->number[fresh->rows[i]] * width + k;
}

static void row_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const creating *c = context;
	size_t width = c->a->rule->created_vertices;
	for (size_t i = piece * PIECE; i < end_of(c, piece); i++)
		c->out[i] = c->a->graph->rows + i * width + c->element->index;
}

static gemp_code number_vertices(gemp_applying *a)
{
	gemp_code code = GEMP_OK;
	creating c = { .a = a };
	a->patch->added = a->fresh->count * a->rule->created_vertices;
	a->patch->first_key = a->fresh->first;
	GEMP_TRY(GEMP_NEW(a->patch->numbers, a->patch->added));
	c.out = a->patch->numbers;
	for_matches(number_piece, &c);
done:
	return code;
}

/* What an update of something created gives to each. */
static gemp_code make_values(const gemp_applying *a, const gemp_update *u, gemp_type type, gemp_column *out)
{
	const gemp_fresh *fresh = a->fresh;
	if (u->kind == GEMP_SET_ATTRIBUTE && !u->constant)
		return gemp_column_gather(out, &fresh->frame->columns[u->column].values, NULL, fresh->rows, fresh->count);
	return gemp_apply_constant(out, u, type);
}

static gemp_code put_vertices(gemp_applying *a, const gemp_update *u)
{
	gemp_code code = GEMP_OK;
	gemp_put *put;
	size_t column = gemp_schema_place(&a->patch->vertices, u->names[0]);
	creating c = { .a = a, .element = &u->element };
	if (column == a->patch->vertices.count)
		return GEMP_OK;
	GEMP_TRY(gemp_apply_put(&a->patch->vertices, 0, column, &put));
	GEMP_TRY(GEMP_NEW(put->rows, a->fresh->count));
	put->count = a->fresh->count;
	c.out = put->rows;
	for_matches(row_piece, &c);
	code = make_values(a, u, a->patch->vertices.columns[column].type, &put->values);
done:
	return code;
}

/* EDGES */

static void end_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const creating *c = context;
	const gemp_fresh *fresh = c->a->fresh;
	size_t width = c->a->rule->created_vertices;
	const uint64_t *elements = c->element->created ? NULL : fresh->frame->columns[c->element->index].elements;
	for (size_t i = piece * PIECE; i < end_of(c, piece); i++)
		c->out[i] = elements ? elements[fresh->rows[i]] : gemp_added_vertex(c->rank, i * width + c->element->index);
}

static gemp_code make_ends(const gemp_applying *a, const gemp_rule_element *element, uint64_t **out)
{
	gemp_code code = GEMP_OK;
	creating c = { .a = a, .element = element, .rank = a->graph->rank };
	GEMP_TRY(GEMP_NEW(*out, a->fresh->count));
	c.out = *out;
	for_matches(end_piece, &c);
done:
	return code;
}

static gemp_added_edges *edges_of(gemp_applying *a, const gemp_rule_element *element)
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

static gemp_code create_edges(gemp_applying *a, const gemp_update *u)
{
	gemp_code code = GEMP_OK;
	gemp_patch *patch = a->patch;
	GEMP_TRY(GEMP_RESERVE(patch->added_edges, patch->added_edge_capacity, patch->added_edge_count + 1));
	gemp_added_edges *edges = &patch->added_edges[patch->added_edge_count++];
	*edges = (gemp_added_edges){ .type = u->names[0], .count = a->fresh->count };
	GEMP_TRY(make_ends(a, &u->from, &edges->source));
	code = make_ends(a, &u->to, &edges->target);
done:
	return code;
}

static gemp_code give_edges(gemp_applying *a, const gemp_update *u)
{
	gemp_code code = GEMP_OK;
	gemp_added_edges *edges = edges_of(a, &u->element);
	size_t place = gemp_schema_place(&a->patch->edges, u->names[0]);
	gemp_column *column, values = { 0 };
	uint64_t *rows = NULL;
	if (!edges || place == a->patch->edges.count)
		return GEMP_OK;
	gemp_type type = a->patch->edges.columns[place].type;
	column = gemp_table_find(&edges->values, u->names[0]);
	if (!column)
		GEMP_TRY(gemp_table_add(&edges->values, u->names[0], type, &column));
	GEMP_TRY(gemp_column_grow(column, edges->count));
	GEMP_TRY(GEMP_NEW(rows, edges->count));
	for (size_t i = 0; i < edges->count; i++)
		rows[i] = i;
	GEMP_TRY(make_values(a, u, type, &values));
	code = gemp_column_put(column, rows, edges->count, &values);
done:
	gemp_free(rows);
	gemp_column_free(&values);
	return code;
}

gemp_code gemp_apply_creations(gemp_applying *a)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(number_vertices(a));
	for (size_t i = 0; i < a->rule->update_count; i++)
		if (a->rule->updates[i].kind == GEMP_CREATE_EDGE)
			GEMP_TRY(create_edges(a, &a->rule->updates[i]));
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		if (u->element.created && (u->kind == GEMP_SET_ATTRIBUTE || u->kind == GEMP_REMOVE_ATTRIBUTE))
			GEMP_TRY(u->element.edge ? give_edges(a, u) : put_vertices(a, u));
	}
done:
	return code;
}
