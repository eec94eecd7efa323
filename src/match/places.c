#include "match/places.h"

#include "core/memory.h"
#include "match/values.h"

/* Bits are cheaper than sorting unless they are more words than this for each of the ids. */
enum { WORDS_FOR_AN_ID = 8, ALWAYS_WORDS = 1 << 12 };

gemp_code gemp_places_new(gemp_places *out, uint64_t vertices, size_t most)
{
	gemp_code code = GEMP_OK;
	size_t words = vertices / 64 + 1;
	*out = (gemp_places){ .vertices = vertices };
	if (words <= ALWAYS_WORDS || words / WORDS_FOR_AN_ID <= most) {
		out->words = words;
		GEMP_TRY(GEMP_NEW(out->bits, words));
		GEMP_TRY(GEMP_NEW(out->before, words));
	} else {
		GEMP_TRY(GEMP_NEW(out->found, most));
	}
done:
	if (code != GEMP_OK)
		gemp_places_free(out);
	return code;
}

void gemp_places_free(gemp_places *places)
{
	gemp_free(places->bits);
	gemp_free(places->before);
	gemp_free(places->found);
	*places = (gemp_places){ 0 };
}

void gemp_places_add(gemp_places *places, const gemp_vertex *ids, size_t count, size_t stride)
{
	uint64_t *bits = places->bits;
	for (size_t i = 0; i < count; i++) {
		gemp_vertex id = ids[i * stride];
		GEMP_CHECK(id < places->vertices);
		if (bits)
			bits[id / 64] |= UINT64_C(1) << id % 64;
		else
			places->found[places->count++] = id;
	}
}

gemp_code gemp_places_finish(gemp_places *places)
{
	gemp_code code = GEMP_OK;
	size_t n = 0;
	if (!places->bits)
		return gemp_sort_distinct(places->found, &places->count);
	for (size_t w = 0; w < places->words; w++) {
		places->before[w] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(places->bits[w]);
	}
	GEMP_TRY(GEMP_NEW(places->found, n));
	for (size_t w = 0; w < places->words; w++)
		for (uint64_t left = places->bits[w]; left; left &= left - 1)
			places->found[places->count++] = (gemp_vertex)(w * 64 + (size_t)__builtin_ctzll(left));
done:
	return code;
}

void gemp_places_find(const gemp_places *places, const gemp_vertex *ids, size_t count, size_t stride, uint32_t *place)
{
	const uint64_t *bits = places->bits;
	for (size_t i = 0; i < count; i++) {
		gemp_vertex id = ids[i * stride];
		if (bits)
			place[i] = places->before[id / 64] +
			           (uint32_t)__builtin_popcountll(bits[id / 64] & ((UINT64_C(1) << id % 64) - 1));
		else
			place[i] = (uint32_t)gemp_fetch_index(places->found, places->count, id);
	}
}
