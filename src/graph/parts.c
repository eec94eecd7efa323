#include "graph/parts.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_parts_init(gemp_parts *parts, const uint64_t *bounds, size_t count, const char *method)
{
	gemp_code code = GEMP_OK;
	*parts = (gemp_parts){ .count = count };
	GEMP_TRY(GEMP_NEW(parts->bounds, count + 1));
	memcpy(parts->bounds, bounds, (count + 1) * sizeof *bounds);
	parts->method = gemp_strdup(method);
	if (!parts->method)
		code = GEMP_ENOMEM;
done:
	if (code != GEMP_OK)
		gemp_parts_free(parts);
	return code;
}

void gemp_parts_free(gemp_parts *parts)
{
	gemp_free(parts->bounds);
	gemp_free(parts->method);
	*parts = (gemp_parts){ 0 };
}

size_t gemp_range_of(const uint64_t *bounds, size_t count, uint64_t id)
{
	size_t low = 0, high = count - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (id < bounds[middle + 1])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Where the piece-th of `pieces` equal pieces of [from, to) begins. */
static uint64_t cut(uint64_t from, uint64_t to, uint64_t piece, uint64_t pieces)
{
	return from + (uint64_t)((unsigned __int128)piece * (to - from) / pieces);
}

bool gemp_parts_share(const gemp_parts *parts, uint64_t vertices, size_t ranks, uint64_t *bounds)
{
	size_t count = parts->count, pieces = count ? ranks / count : 0;
	bool whole = count && count % ranks == 0, split = count && ranks % count == 0;
	for (size_t r = 0; r <= ranks; r++)
		if (whole)
			bounds[r] = parts->bounds[r * (count / ranks)];
		else if (split && r < ranks)
			bounds[r] = cut(parts->bounds[r / pieces], parts->bounds[r / pieces + 1], r % pieces, pieces);
		else
			bounds[r] = cut(0, vertices, r, ranks);
	return whole || split || !count || strcmp(parts->method, "random") == 0;
}
