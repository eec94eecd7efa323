/* What is deleted, merged into another, or gets another type. */
#include "core/memory.h"
#include "core/threads.h"
#include "rewrite/apply_parts.h"
#include "rewrite/pick.h"

#include <string.h>

enum { PIECE = 1 << 14, MOST_TYPES = 253 };

typedef struct marking {
	gemp_applying *a;
	const gemp_update *u;
	const gemp_change *change;
	uint64_t *into;    /* [rows] 1 + the vertex that this one is merged into; NULL: no rule merges */
	uint8_t *relations;/* [relation_count] nonzero: it has edges of the change */
	uint8_t fate;
} marking;

static size_t end_of(const marking *m, size_t piece)
{
	return (piece + 1) * PIECE < m->change->count ? (piece + 1) * PIECE : m->change->count;
}

/* VERTICES */

static void vertex_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const marking *m = context;
	for (size_t i = piece * PIECE; i < end_of(m, piece); i++) {
		size_t row = (size_t)(m->change->elements[i] - m->a->graph->first);
		m->a->patch->gone[row] = 1;
		if (m->into)
			m->into[row] = m->change->into ? m->change->into[i] + 1 : 0;
	}
}

static gemp_code mark_vertices(marking *m)
{
	gemp_code code = GEMP_OK;
	size_t rows = m->a->graph->rows;
	if (m->change->count == 0)
		return GEMP_OK;
	if (!m->a->patch->gone)
		GEMP_TRY(GEMP_NEW(m->a->patch->gone, rows));
	if (m->change->into && !m->into)
		GEMP_TRY(GEMP_NEW(m->into, rows));
	gemp_parallel_for((m->change->count + PIECE - 1) / PIECE, vertex_piece, m);
done:
	return code;
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
	GEMP_TRY(gemp_pick(&rows, &patch->merged_count, m->a->graph->rows, is_merged, m->into));
	GEMP_TRY(GEMP_NEW(patch->merged, patch->merged_count));
	for (size_t i = 0; i < patch->merged_count; i++)
		patch->merged[i] = (gemp_merged){ m->a->graph->first + rows[i], m->into[rows[i]] - 1 };
done:
	gemp_free(rows);
	return code;
}

/* EDGES */

/* First which relations there are, then the fates of their edges. */
static void edge_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const marking *m = context;
	const gemp_graph *graph = m->a->graph;
	const gemp_edge_places *places = &m->a->changes->places;
	for (size_t i = piece * PIECE; i < end_of(m, piece); i++) {
		uint64_t edge = m->change->elements[i];
		size_t r = gemp_edge_relation(places, edge);
		if (!m->fate)
			__atomic_store_n(&m->relations[r], 1, __ATOMIC_RELAXED);
		else
			m->a->patch->fates[r][edge - places->offset[r] - graph->relations[r].first] = m->fate;
	}
}

/* The fate of an edge that gets the type. */
static gemp_code find_type(gemp_patch *patch, const gemp_update *u, uint8_t *fate)
{
	size_t t = 0;
	while (t < patch->type_count && strcmp(patch->types[t], u->names[0]) != 0)
		t++;
	if (t == MOST_TYPES)
		return gemp_fail(GEMP_EUSAGE, "a rule sets edges to more than %d types; write two rules", MOST_TYPES);
	if (t == patch->type_count)
		patch->types[patch->type_count++] = u->names[0];
	*fate = (uint8_t)(t + 2);
	return GEMP_OK;
}

static gemp_code mark_edges(marking *m)
{
	gemp_code code = GEMP_OK;
	gemp_patch *patch = m->a->patch;
	const gemp_graph *graph = m->a->graph;
	uint8_t fate = 1;
	size_t pieces = (m->change->count + PIECE - 1) / PIECE;
	if (m->u->kind == GEMP_SET_TYPE)
		GEMP_TRY(find_type(patch, m->u, &fate));
	GEMP_TRY(GEMP_NEW(m->relations, graph->relation_count));
	m->fate = 0;
	gemp_parallel_for(pieces, edge_piece, m);
	for (size_t r = 0; r < graph->relation_count; r++)
		if (m->relations[r] && !patch->fates[r])
			GEMP_TRY(GEMP_NEW(patch->fates[r], graph->relations[r].out_begin[graph->rows]));
	m->fate = fate;
	gemp_parallel_for(pieces, edge_piece, m);
done:
	gemp_free(m->relations);
	m->relations = NULL;
	return code;
}

gemp_code gemp_apply_deletions(gemp_applying *a)
{
	gemp_code code = GEMP_OK;
	marking m = { .a = a };
	a->patch->relation_count = a->graph->relation_count;
	GEMP_TRY(GEMP_NEW(a->patch->fates, a->graph->relation_count));
	GEMP_TRY(GEMP_NEW(a->patch->types, a->rule->update_count));
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
