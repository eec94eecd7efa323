/* New values of vertices and edges that matches have. */
#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"
#include "rewrite/apply_parts.h"
#include "rewrite/pick.h"
#include "rewrite/schema.h"

enum { PIECE = 1 << 14 };

gemp_code gemp_apply_put(gemp_patch_columns *all, size_t relation, size_t column, gemp_put **out)
{
	gemp_code code = GEMP_RESERVE(all->puts, all->put_capacity, all->put_count + 1);
	if (code != GEMP_OK)
		return code;
	*out = &all->puts[all->put_count++];
	**out = (gemp_put){ .relation = relation, .column = column };
	return code;
}

gemp_code gemp_apply_constant(gemp_column *out, const gemp_update *u, gemp_type type)
{
	gemp_code code = GEMP_OK;
	gemp_value value = { .type = type, .null = true };
	if (u->kind == GEMP_SET_ATTRIBUTE && !u->literal.null)
		value = u->literal;
	GEMP_TRY(gemp_column_init(out, "", value.type));
	code = gemp_column_add(out, &value);
done:
	return code;
}

typedef struct moving {
	const uint64_t *elements;
	const uint64_t *picked; /* of the elements; NULL: all */
	size_t count;
	uint64_t first;
	uint64_t *rows;
} moving;

static void move_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const moving *m = context;
	size_t end = (piece + 1) * PIECE < m->count ? (piece + 1) * PIECE : m->count;
	for (size_t i = piece * PIECE; i < end; i++)
		m->rows[i] = m->elements[m->picked ? m->picked[i] : i] - m->first;
}

static gemp_code fill_rows(gemp_put *put, const gemp_change *change, const uint64_t *picked, size_t count,
                           uint64_t first)
{
	gemp_code code = GEMP_OK;
	moving m = { change->elements, picked, count, first, NULL };
	GEMP_TRY(GEMP_NEW(put->rows, count));
	m.rows = put->rows;
	put->count = count;
	gemp_parallel_for((count + PIECE - 1) / PIECE, move_piece, &m);
done:
	return code;
}

static bool varies(const gemp_update *u)
{
	return u->kind == GEMP_SET_ATTRIBUTE && !u->constant;
}

static gemp_code put_vertices(gemp_applying *a, const gemp_update *u, gemp_change *change, size_t column)
{
	gemp_code code = GEMP_OK;
	gemp_put *put;
	GEMP_TRY(gemp_apply_put(&a->patch->vertices, 0, column, &put));
	GEMP_TRY(fill_rows(put, change, NULL, change->count, a->graph->first));
	if (!varies(u))
		return gemp_apply_constant(&put->values, u, a->patch->vertices.columns[column].type);
	put->values = change->values;
	change->values = (gemp_column){ 0 };
done:
	return code;
}

typedef struct choosing {
	const uint64_t *elements;
	uint64_t first, end;
} choosing;

static bool is_within(const void *self, size_t i)
{
	const choosing *c = self;
	return c->elements[i] >= c->first && c->elements[i] < c->end;
}

/* Of one relation. */
static gemp_code put_edges(gemp_applying *a, const gemp_update *u, const gemp_change *change, size_t column, size_t r)
{
	gemp_code code = GEMP_OK;
	gemp_put *put;
	uint64_t *picked = NULL, first = a->changes->places.offset[r] + a->graph->relations[r].first;
	size_t count = 0;
	const choosing c = { change->elements, first, first + a->graph->relations[r].out_begin[a->graph->rows] };
	GEMP_TRY(gemp_apply_put(&a->patch->edges, r, column, &put));
	GEMP_TRY(gemp_pick(&picked, &count, change->count, is_within, &c));
	GEMP_TRY(fill_rows(put, change, picked, count, first));
	code = varies(u) ? gemp_column_gather(&put->values, &change->values, NULL, picked, count)
	                 : gemp_apply_constant(&put->values, u, a->patch->edges.columns[column].type);
done:
	gemp_free(picked);
	return code;
}

gemp_code gemp_apply_values(gemp_applying *a)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < a->rule->update_count; i++) {
		const gemp_update *u = &a->rule->updates[i];
		const gemp_patch_columns *all = u->element.edge ? &a->patch->edges : &a->patch->vertices;
		if (u->element.created || (u->kind != GEMP_SET_ATTRIBUTE && u->kind != GEMP_REMOVE_ATTRIBUTE))
			continue;
		size_t column = gemp_schema_place(all, u->names[0]);
		if (column == all->count)
			continue; /* removed where nothing has it */
		if (!u->element.edge)
			GEMP_TRY(put_vertices(a, u, &a->changes->changes[i], column));
		for (size_t r = 0; r < a->graph->relation_count && u->element.edge; r++)
			GEMP_TRY(put_edges(a, u, &a->changes->changes[i], column, r));
	}
done:
	return code;
}
