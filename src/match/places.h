/* places: of many vertices the distinct ones, and where each of the many is among them.
 *
 *     gemp_places_new -> gemp_places_add, again and again -> gemp_places_finish -> gemp_places_find -> gemp_places_free
 */
#ifndef GEMP_MATCH_PLACES_H
#define GEMP_MATCH_PLACES_H

#include "core/status.h"
#include "core/types.h"

#include <stddef.h>

/* A bit for each vertex of the graph; or, where few vertices of very many come, those that came. */
typedef struct gemp_places {
	uint64_t vertices;
	size_t words;
	uint64_t *bits;       /* [words]; NULL: ids are sorted */
	uint32_t *before;     /* [words]: set bits before each word */
	size_t count;         /* once finished: of the distinct ones */
	gemp_vertex *found;   /* [count] ascending; while adding, where there are no bits: as they came */
} gemp_places;

/* vertices: ids are below it. most: how many will be added at most. Nothing to free after an error. */
gemp_code gemp_places_new(gemp_places *out, uint64_t vertices, size_t most);
void gemp_places_free(gemp_places *places);

/* ids[0], ids[stride], ids[2 * stride], ..., count of them. */
void gemp_places_add(gemp_places *places, const gemp_vertex *ids, size_t count, size_t stride);
gemp_code gemp_places_finish(gemp_places *places);
/* place[i] becomes where ids[i * stride], one that was added, is in places->found. */
void gemp_places_find(const gemp_places *places, const gemp_vertex *ids, size_t count, size_t stride, uint32_t *place);

#endif
