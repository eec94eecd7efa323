#include "match/distinct/packed_places.h"

#include "core/vector.h"
#include "match/distinct/class_set.h"

#include <string.h>

GEMP_VECTOR_BODY void places_of(const gemp_place_rule *rule, const uint32_t *records, const size_t words, size_t count,
                                uint16_t *place)
{
	const uint64_t mask = rule->hash_mask, low = rule->low, width = rule->high - rule->low;
	const uint64_t rank = rule->rank, ranks = rule->ranks, many = rule->place_count > 1;
	for (size_t i = 0; i < count; i++) {
		const uint64_t hash = gemp_number_hash(records + i * words, words / 2) & mask;
		const uint64_t owner = (hash & UINT32_MAX) * ranks >> 32;
		const uint64_t own = many ? gemp_number_place(hash) : 0;
		const uint64_t wanted = owner == rank ? own : GEMP_CLASS_REMOTE;
		place[i] = (uint16_t)((hash >> 32) - low < width ? wanted : GEMP_CLASS_DROPPED);
	}
}

GEMP_VECTOR_BODY void find_places_loop(const gemp_place_rule *rule, const uint32_t *records, size_t words, size_t count,
                                       uint16_t *place)
{
	if (words == 2)
		places_of(rule, records, 2, count, place);
	else
		places_of(rule, records, 4, count, place);
}

GEMP_VECTOR_LOOP(find_places,
                 (const gemp_place_rule *rule, const uint32_t *records, size_t words, size_t count, uint16_t *place),
                 (rule, records, words, count, place))

void gemp_packed_places(const gemp_place_rule *rule, const uint32_t *records, size_t words, size_t count,
                        uint16_t *place)
{
	find_places(rule, records, words, count, place);
}
