/* A step for a relationship, or a list of relationships, that the row before the pattern has: its ends are known, so no
 * search is needed. */

#include "core/memory.h"
#include "cypher/search/state.h"

#include <string.h>

typedef struct walk {
	gemp_cypher_answer *answer;
	const gemp_cypher_hop *hop;
	size_t hop_number;
	gemp_cypher_frame next;
} walk;

static bool has_type(const walk *w, gemp_edge edge)
{
	const gemp_cypher_store *store = &w->answer->search->store;
	const char *name = w->answer->search->session.graph->relations[gemp_cypher_store_relation(store, edge)].name;
	const gemp_cypher_label *type = w->hop->edge->types;
	while (type && strcmp(type->name.bytes, name) != 0)
		type = type->next;
	return type || !w->hop->edge->types;
}

/* True if the relationship leads from `from` in the direction of the hop; *to becomes its other end. */
static bool follow(const walk *w, gemp_cypher_ends ends, gemp_vertex from, gemp_vertex *to)
{
	if (w->hop->heading != GEMP_CY_LEFT && ends.source == from) {
		*to = ends.target;
		return true;
	}
	*to = ends.source;
	return w->hop->heading != GEMP_CY_RIGHT && ends.target == from;
}

/* The vertices at which a walk over the first relationship may begin. */
static size_t beginnings(const walk *w, const uint64_t *row, gemp_cypher_ends ends, gemp_vertex begin[2])
{
	const uint64_t known = row[gemp_cypher_vertex_cell(w->hop->from)];
	size_t count = 0;
	if (w->hop->heading != GEMP_CY_LEFT)
		begin[count++] = ends.source;
	if (w->hop->heading != GEMP_CY_RIGHT && (count == 0 || ends.target != ends.source))
		begin[count++] = ends.target;
	if (known == GEMP_CY_UNKNOWN)
		return count;
	for (size_t i = 0; i < count; i++)
		if (begin[i] == known) {
			begin[0] = begin[i];
			return 1;
		}
	return 0;
}

/* Adds the row with the ends of the hop, unless it has other ones. */
static gemp_code add_row(walk *w, const uint64_t *row, gemp_vertex from, gemp_vertex to, uint64_t hop)
{
	const size_t a = gemp_cypher_vertex_cell(w->hop->from), b = gemp_cypher_vertex_cell(w->hop->to);
	uint64_t *out;
	if ((row[a] != GEMP_CY_UNKNOWN && row[a] != from) || (row[b] != GEMP_CY_UNKNOWN && row[b] != to) ||
	    (a == b && from != to))
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_frame_add(&w->next, row, &out));
	out[a] = from;
	out[b] = to;
	out[gemp_cypher_hop_cell(w->answer->plan, w->hop_number)] = hop;
	return GEMP_OK;
}

static gemp_code use_relationship(walk *w, const uint64_t *row, gemp_datum value)
{
	gemp_cypher_ends ends;
	gemp_vertex begin[2], to;
	if (value.kind != GEMP_DATUM_RELATIONSHIP || !has_type(w, value.id) ||
	    gemp_cypher_row_has_edge(w->answer, row, value.id))
		return GEMP_OK;
	GEMP_TRY(gemp_cypher_store_ends(&w->answer->search->store, value.id, &ends));
	const size_t count = beginnings(w, row, ends, begin);
	for (size_t i = 0; i < count; i++)
		if (follow(w, ends, begin[i], &to))
			GEMP_TRY(add_row(w, row, begin[i], to, value.id));
	return GEMP_OK;
}

/* Walks along the list from one vertex. */
static gemp_code walk_list(walk *w, const uint64_t *row, gemp_datum list, gemp_vertex from)
{
	size_t trail;
	gemp_vertex at = from;
	GEMP_TRY(gemp_cypher_trail_root(&w->answer->trails, from, &trail));
	for (size_t i = 0; i < list.size; i++) {
		const gemp_edge edge = list.items[i].id;
		gemp_cypher_ends ends;
		GEMP_TRY(gemp_cypher_store_ends(&w->answer->search->store, edge, &ends));
		if (!follow(w, ends, at, &at) || gemp_cypher_trail_has(&w->answer->trails, trail, edge) ||
		    gemp_cypher_row_has_edge(w->answer, row, edge))
			return GEMP_OK;
		GEMP_TRY(gemp_cypher_trail_add(&w->answer->trails, trail, edge, at, &trail));
	}
	return add_row(w, row, from, at, trail);
}

static bool is_walkable(const walk *w, gemp_datum list)
{
	bool right = list.kind == GEMP_DATUM_LIST && list.size >= w->hop->edge->min_hops &&
	             (!w->hop->edge->has_max || list.size <= w->hop->edge->max_hops);
	for (size_t i = 0; right && i < list.size; i++)
		right = list.items[i].kind == GEMP_DATUM_RELATIONSHIP && has_type(w, list.items[i].id);
	return right;
}

/* An empty list joins a vertex with itself, so one of the ends must be known. */
static gemp_code use_list(walk *w, const uint64_t *row, gemp_datum list)
{
	gemp_cypher_ends ends;
	gemp_vertex begin[2];
	if (!is_walkable(w, list))
		return GEMP_OK;
	if (list.size == 0) {
		uint64_t known = row[gemp_cypher_vertex_cell(w->hop->from)];
		if (known == GEMP_CY_UNKNOWN)
			known = row[gemp_cypher_vertex_cell(w->hop->to)];
		return known == GEMP_CY_UNKNOWN ? GEMP_OK : walk_list(w, row, list, (gemp_vertex)known);
	}
	GEMP_TRY(gemp_cypher_store_ends(&w->answer->search->store, list.items[0].id, &ends));
	const size_t count = beginnings(w, row, ends, begin);
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(walk_list(w, row, list, begin[i]));
	return GEMP_OK;
}

/* All relationships are met before the first one is read, so that their ends are fetched together. */
static gemp_code use_rows(walk *w)
{
	const gemp_cypher_frame *frame = &w->answer->frame;
	gemp_cypher_answer *a = w->answer;
	for (size_t row = 0; row < frame->rows; row++)
		GEMP_TRY(gemp_cypher_store_add(
			&a->search->store, &gemp_cypher_table_row(a->in, gemp_cypher_frame_row(frame, row)[0])[w->hop->slot]));
	for (size_t row = 0; row < frame->rows; row++) {
		const uint64_t *cells = gemp_cypher_frame_row(frame, row);
		const gemp_datum value = gemp_cypher_table_row(a->in, cells[0])[w->hop->slot];
		GEMP_TRY(w->hop->variable ? use_list(w, cells, value) : use_relationship(w, cells, value));
	}
	return GEMP_OK;
}

gemp_code gemp_cypher_step_given(gemp_cypher_answer *answer, const gemp_cypher_step *step)
{
	walk w = { .answer = answer,
		       .hop = &answer->plan->hops[step->hop],
		       .hop_number = step->hop,
		       .next = { .width = answer->frame.width } };
	gemp_code code = use_rows(&w);
	if (code == GEMP_OK) {
		gemp_cypher_frame_replace(&answer->frame, &w.next);
		answer->bound_hops[answer->bound_count++] = step->hop;
	}
	gemp_cypher_frame_free(&w.next);
	return code;
}
