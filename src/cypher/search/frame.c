#include "core/memory.h"
#include "cypher/search/state.h"

#include <string.h>

gemp_code gemp_cypher_frame_add(gemp_cypher_frame *frame, const uint64_t *row, uint64_t **out)
{
	const size_t cells = (frame->rows + 1) * frame->width;
	GEMP_TRY(GEMP_RESERVE(frame->cells, frame->capacity, cells));
	*out = gemp_cypher_frame_row(frame, frame->rows++);
	memcpy(*out, row, frame->width * sizeof *row);
	return GEMP_OK;
}

void gemp_cypher_frame_free(gemp_cypher_frame *frame)
{
	gemp_free(frame->cells);
	*frame = (gemp_cypher_frame){ .width = frame->width };
}

void gemp_cypher_frame_replace(gemp_cypher_frame *frame, gemp_cypher_frame *next)
{
	gemp_cypher_frame_free(frame);
	*frame = *next;
	*next = (gemp_cypher_frame){ .width = frame->width };
}

/* TRAILS */

static gemp_code add_trail(gemp_cypher_trails *trails, const gemp_cypher_trail *trail, size_t *index)
{
	GEMP_TRY(GEMP_RESERVE(trails->trails, trails->capacity, trails->count + 1));
	*index = trails->count;
	trails->trails[trails->count++] = *trail;
	return GEMP_OK;
}

gemp_code gemp_cypher_trail_add(gemp_cypher_trails *trails, size_t parent, gemp_edge edge, gemp_vertex vertex,
                                size_t *index)
{
	const gemp_cypher_trail trail = { edge, parent, vertex, trails->trails[parent].length + 1 };
	return add_trail(trails, &trail, index);
}

gemp_code gemp_cypher_trail_root(gemp_cypher_trails *trails, gemp_vertex vertex, size_t *index)
{
	const gemp_cypher_trail trail = { GEMP_NO_EDGE, SIZE_MAX, vertex, 0 };
	return add_trail(trails, &trail, index);
}

/* A root has no edge and no parent. */
bool gemp_cypher_trail_has(const gemp_cypher_trails *trails, size_t trail, gemp_edge edge)
{
	for (const gemp_cypher_trail *t = &trails->trails[trail]; t->length; t = &trails->trails[t->parent])
		if (t->edge == edge)
			return true;
	return false;
}

/* DISTINCT RELATIONSHIPS */

bool gemp_cypher_row_has_edge(const gemp_cypher_answer *a, const uint64_t *row, gemp_edge edge)
{
	for (size_t i = 0; i < a->bound_count; i++) {
		const size_t h = a->bound_hops[i];
		const uint64_t cell = row[gemp_cypher_hop_cell(a->plan, h)];
		const gemp_cypher_hop *hop = &a->plan->hops[h];
		if (hop->kind != GEMP_CY_PATH)
			continue;
		if (gemp_cypher_hop_has_trail(hop) ? gemp_cypher_trail_has(&a->trails, cell, edge) : cell == edge)
			return true;
	}
	return false;
}

bool gemp_cypher_row_meets_trail(const gemp_cypher_answer *a, const uint64_t *row, size_t trail)
{
	const gemp_cypher_trail *trails = a->trails.trails;
	for (const gemp_cypher_trail *t = &trails[trail]; t->length && a->bound_count; t = &trails[t->parent])
		if (gemp_cypher_row_has_edge(a, row, t->edge))
			return true;
	return false;
}
