#include "pattern/group.h"

#include "core/memory.h"

gemp_code gemp_symmetry_full(gemp_symmetry **out, size_t vertices)
{
	gemp_symmetry *symmetry = NULL;
	gemp_code code = GEMP_OK;
	GEMP_CHECK(vertices >= 1 && vertices <= GEMP_MAX_PATTERN_VERTICES);
	GEMP_TRY(GEMP_NEW(symmetry, 1));
	symmetry->vertices = symmetry->points = vertices;
	GEMP_TRY(GEMP_NEW(symmetry->images, vertices * vertices));
	for (size_t first = 0; first + 1 < vertices; first++) { /* swaps of neighbours */
		int *images = symmetry->images + symmetry->count++ * vertices;
		for (size_t i = 0; i < vertices; i++)
			images[i] = (int)(i == first ? i + 1 : i == first + 1 ? i - 1 : i);
	}
	GEMP_TRY(gemp_symmetry_finish(symmetry));
	*out = symmetry;
	symmetry = NULL;
done:
	gemp_symmetry_free(symmetry);
	return code;
}

void gemp_symmetry_free(gemp_symmetry *symmetry)
{
	if (!symmetry)
		return;
	gemp_free(symmetry->images);
	gemp_free(symmetry);
}

gemp_code gemp_symmetry_finish(gemp_symmetry *symmetry)
{
	int base[GEMP_MAX_POINTS];
	const int *orbit;
	gemp_chain *chain;
	for (size_t i = 0; i < symmetry->points; i++)
		base[i] = (int)i;
	gemp_code code = gemp_chain_new(&chain, symmetry, base, symmetry->points);
	if (code != GEMP_OK)
		return code;
	symmetry->order = 1;
	for (size_t i = 0; i < symmetry->points; i++) {
		size_t size = gemp_chain_orbit(chain, i, &orbit);
		if (__builtin_mul_overflow(symmetry->order, size, &symmetry->order))
			symmetry->overflow = true;
	}
	if (symmetry->overflow)
		symmetry->order = UINT64_MAX;
	gemp_chain_free(chain);
	return GEMP_OK;
}

size_t gemp_symmetry_points(const gemp_symmetry *symmetry)
{
	return symmetry->points;
}

size_t gemp_symmetry_generators(const gemp_symmetry *symmetry)
{
	return symmetry->count;
}

const int *gemp_symmetry_generator(const gemp_symmetry *symmetry, size_t index)
{
	GEMP_CHECK(index < symmetry->count);
	return symmetry->images + index * symmetry->points;
}

uint64_t gemp_symmetry_order(const gemp_symmetry *symmetry, bool *overflow)
{
	*overflow = symmetry->overflow;
	return symmetry->order;
}
